"""The administration and the site."""

from __future__ import annotations

from django.urls import include, path
from wagtail import urls as site
from wagtail.admin import urls as admin
from wagtail.documents import urls as documents

urlpatterns = [
    path("admin/", include(admin)),
    path("documents/", include(documents)),
    path("", include(site)),
]
