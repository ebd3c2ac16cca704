"""Wagtail over a small newspaper: `serve.py PORT FOLDER`; the user is `admin`, the password `amber-glass-7`."""

from __future__ import annotations

import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

PORT, FOLDER = sys.argv[1:3]
MADE = Path(FOLDER) / "made"
"""Where the migrations go: tables of pages need some."""
MADE.mkdir()
(MADE / "__init__.py").touch()
sys.path[:0] = [str(Path(__file__).parent), FOLDER]

settings.configure(
    DEBUG=True,
    SECRET_KEY="not a secret: it lives on loopback for a minute",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="press.urls",
    INSTALLED_APPS=[
        "press",
        "wagtail.contrib.forms",
        "wagtail.contrib.redirects",
        "wagtail.embeds",
        "wagtail.sites",
        "wagtail.users",
        "wagtail.snippets",
        "wagtail.documents",
        "wagtail.images",
        "wagtail.search",
        "wagtail.admin",
        "wagtail",
        "modelcluster",
        "taggit",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
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
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/press.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    MEDIA_ROOT=f"{FOLDER}/media",
    MEDIA_URL="/media/",
    STATIC_URL="/static/",
    WAGTAIL_SITE_NAME="Evening Lamp",
    WAGTAILADMIN_BASE_URL=f"http://127.0.0.1:{PORT}",
    WAGTAIL_ENABLE_UPDATE_CHECK=False,
    MIGRATION_MODULES={"press": "made"},
    USE_TZ=True,
)
django.setup()
call_command("makemigrations", "press", verbosity=0)
call_command("migrate", verbosity=0)

from django.contrib.auth.models import User  # noqa: E402
from press.models import fill  # noqa: E402

User.objects.create_superuser("admin", "admin@example.org", "amber-glass-7")
fill()
call_command("runserver", f"127.0.0.1:{PORT}", use_reloader=False)
