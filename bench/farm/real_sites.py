"""The sites of `bench.farm.real`: applications of bench/apps, and documentation that other people wrote and publish."""

from __future__ import annotations

from typing import NamedTuple

from bench.apps.catalogue import APPS
from bench.apps.launch import Pages, Program


class RealSite(NamedTuple):
    """A site: how it is served, where a crawl of it begins, and what `exclude` keeps out of it."""

    name: str
    served: Program | Pages
    start: str = "/"
    exclude: tuple[str, ...] = ()


SIGNED_IN = ("django-admin",)
"""Applications that show nothing to who has not signed in."""
MANUAL_EXTENSIONS = ",".join(
    f"sphinx.ext.{name}" for name in ("autodoc", "todo", "autosummary", "extlinks", "viewcode")
)
"""Those of the Sphinx manual that need no internet and no Graphviz."""
PLACES = ("**?id=*",)
"""How docsify links to a heading: each would be one more URL of its page."""
FASTIFY = "{sites}/fastify_docs.py"

DOCUMENTATION = (
    RealSite(
        "sphinx-manual",
        Pages(
            "site",
            build=(
                (
                    *("-m", "sphinx", "-Q", "-D", f"extensions={MANUAL_EXTENSIONS}"),
                    *("{sources}/sphinx-9.0.4/doc", "{data}/site"),
                ),
            ),
        ),
    ),
    RealSite("fastify-mkdocs", Pages("site", build=((FASTIFY, "mkdocs", "{npm}", "{data}"),))),
    RealSite("fastify-vitepress", Pages("site", build=((FASTIFY, "vitepress", "{npm}", "{data}"),))),
    RealSite("fastify-docsify", Pages("docsify"), exclude=PLACES),
    RealSite("fastify-docsify-history", Pages("docsify_history", routes="/{route:[^.]+}"), exclude=PLACES),
)
"""One manual by its own generator, and Fastify's by three: pages that scripts then replace, and routes of two kinds."""

REAL_SITES = (
    *DOCUMENTATION,
    *(RealSite(app.name, app.served, app.states[0].path or "/") for app in APPS if app.name not in SIGNED_IN),
)
