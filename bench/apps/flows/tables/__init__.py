"""The flows, by family of application."""

from __future__ import annotations

from bench.apps.flows.flow import Flow
from bench.apps.flows.tables import (
    admins,
    django,
    docs,
    grids,
    jupyter,
    libraries,
    python_ui,
    react,
    react_more,
    sockets,
    vue,
    whole,
    widgets,
)
from bench.doing import Do

TABLES = (django, admins, jupyter, python_ui, docs, grids, widgets, react, vue, react_more, libraries, sockets, whole)
FLOWS: tuple[Flow, ...] = tuple(flow for table in TABLES for flow in table.FLOWS)
SIGN_IN: dict[str, tuple[str, tuple[Do, ...]]] = {
    "django-admin": ("/admin/", django.SIGN_IN),
    "wagtail": ("/admin/", whole.SIGN_IN),
}
"""By application that asks for it, the path and the actions that sign in."""
