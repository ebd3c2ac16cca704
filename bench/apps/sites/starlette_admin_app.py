"""Starlette-Admin over a small orchard: `starlette_admin_app.py PORT FOLDER`."""

from __future__ import annotations

import datetime
import enum
import sys

import uvicorn
from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from starlette.applications import Starlette
from starlette_admin.contrib.sqla import Admin, ModelView

PORT, FOLDER = sys.argv[1:3]


class Base(DeclarativeBase):
    pass


class Kind(enum.Enum):
    """What a tree bears."""

    apple = "apple"
    pear = "pear"
    plum = "plum"


class Meadow(Base):
    __tablename__ = "meadow"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    trees: Mapped[list[Tree]] = relationship(back_populates="meadow")


class Tree(Base):
    __tablename__ = "tree"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    kind: Mapped[Kind]
    planted: Mapped[datetime.date]
    old: Mapped[bool]
    meadow_id: Mapped[int] = mapped_column(ForeignKey("meadow.id"))
    meadow: Mapped[Meadow] = relationship(back_populates="trees")


class TreeView(ModelView):
    page_size = 10


engine = create_engine(f"sqlite:///{FOLDER}/orchard.sqlite3", connect_args={"check_same_thread": False})
Base.metadata.create_all(engine)
with Session(engine) as session:
    meadows = [Meadow(name=name) for name in ("Brook", "Hill", "Mill")]
    session.add_all(meadows)
    for n in range(45):
        planted = datetime.date(1950 + n, 1 + n % 12, 1 + n % 28)
        tree = Tree(name=f"Tree {n}", kind=list(Kind)[n % 3], planted=planted, old=n < 20, meadow=meadows[n % 3])
        session.add(tree)
    session.commit()

app = Starlette()
admin = Admin(engine, title="Orchard")
admin.add_view(TreeView(Tree, icon="fa fa-tree"))
admin.add_view(ModelView(Meadow, icon="fa fa-leaf"))
admin.mount_to(app)
uvicorn.run(app, host="127.0.0.1", port=int(PORT), log_level="warning")
