"""Django's own admin over a small shop: `serve.py PORT FOLDER [USER …]`.

The user is `admin`, and those that are named; the password is `amber-glass-7`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

PORT, FOLDER, *MORE = sys.argv[1:]
sys.path.insert(0, str(Path(__file__).parent))

settings.configure(
    DEBUG=True,
    SECRET_KEY="not a secret: it lives on loopback for a minute",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="shop.urls",
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
        "shop",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/shop.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    STATIC_URL="/static/",
    USE_TZ=True,
)
django.setup()
call_command("migrate", run_syncdb=True, verbosity=0)

from django.contrib.auth.models import User  # noqa: E402
from shop.models import fill  # noqa: E402

for name in ("admin", *MORE):
    User.objects.create_superuser(name, f"{name}@example.org", "amber-glass-7")
fill()
call_command("runserver", f"127.0.0.1:{PORT}", use_reloader=False)
