"""Flask-Admin (Bootstrap) over two tables: `flask_admin_app.py PORT`."""

from __future__ import annotations

import sys

from flask import Flask, redirect
from flask_admin import Admin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
app.config.update(SECRET_KEY="on loopback for a minute", SQLALCHEMY_DATABASE_URI="sqlite://")
db = SQLAlchemy(app)


class Author(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(60), nullable=False)
    active = db.Column(db.Boolean, default=True)

    def __str__(self) -> str:
        return self.name


class Post(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String(80), nullable=False)
    body = db.Column(db.Text)
    day = db.Column(db.Date)
    author_id = db.Column(db.ForeignKey(Author.id))
    author = db.relationship(Author, backref="posts")


class PostView(ModelView):
    column_searchable_list = ("title",)
    column_filters = ("title", "day")
    column_editable_list = ("title",)
    can_view_details = True
    page_size = 10


@app.get("/")
def home() -> object:
    return redirect("/admin/")


admin = Admin(app, name="Press")
with app.app_context():
    db.create_all()
    writers = [Author(name=name) for name in ("Ann", "Ben", "Cleo")]
    db.session.add_all([*writers, *(Post(title=f"Post {n}", body="…", author=writers[n % 3]) for n in range(25))])
    db.session.commit()
    admin.add_view(ModelView(Author, db, name="Authors"))
    admin.add_view(PostView(Post, db, name="Posts", category="Content"))
app.run(port=int(sys.argv[1]))
