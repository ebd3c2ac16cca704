"""Flows on documentation: Material for MkDocs, Sphinx with Furo, Swagger UI."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, said, state
from bench.doing import choose, click, fill, press, typed

mkdocs = partial(Flow, "mkdocs-material", path="/index.html")
furo = partial(Flow, "sphinx-furo", path="/index.html")
swagger = partial(Flow, "swagger-ui", path="/", ready=".opblock")
OPENED = (click("#operations-pet-findPets .opblock-summary-control"),)

FLOWS = (
    mkdocs(
        name="search",
        act=(typed("input.md-search__input", "fuses"),),
        true="/matching document/.test(shown('.md-search-result__meta'))",
        key=(said("matching document"), said("Use 3 A")),
    ),
    mkdocs(
        name="another page",
        act=(click(".md-tabs >> text=Guide"),),
        true="shown('h1').startsWith('Wiring')",
        key=(said("Wiring"),),
    ),
    mkdocs(
        name="another tab of code",
        path="/wiring/index.html",
        act=(click("label >> text=Shell"),),
        true="page().includes('lamp --on')",
        key=(said("lamp --on"), state("checked", "true", "Shell")),
    ),
    mkdocs(
        name="open a note",
        act=(click("details summary"),),
        true="one('details').open",
        key=(said("Ten minutes are enough"), state("open|expanded", "true")),
    ),
    mkdocs(
        name="dark colours",
        act=(click("label[title=Dark], label[for=__palette_1]"),),
        true="document.body.dataset.mdColorScheme === 'slate'",
        key=(state("checked", "true"), said("Light"), said("slate")),
    ),
    furo(
        name="another page",
        act=(click(".sidebar-tree >> text=Fuses"),),
        true="shown('h1').startsWith('Fuses')",
        key=(said("Fuses"),),
    ),
    furo(
        name="search",
        act=(fill("input.sidebar-search", "lamp"), press("Enter", "input.sidebar-search")),
        true="/found \\d+ page|\\d page/.test(shown('#search-results'))",
        key=(said("Search finished"), said("Search Results"), said("matching the search query")),
    ),
    swagger(
        name="open an operation",
        act=OPENED,
        true="shown('#operations-pet-findPets').includes('Which pets')",
        key=(said("Which pets"), state("expanded", "true"), said("Parameters")),
    ),
    swagger(
        name="try it out",
        act=(click(".try-out__btn"),),
        true="all('.execute').length === 1",
        key=(said("Execute"), said("Cancel")),
        before=OPENED,
    ),
    swagger(
        name="execute",
        act=(choose("#operations-pet-findPets select >> nth=0", "sold"), click(".execute")),
        true="shown('.live-responses-table').includes('404')",
        key=(said("404"),),
        before=(*OPENED, click(".try-out__btn")),
    ),
    swagger(
        name="execute without what is required",
        act=(click(".execute"),),
        true="all('#operations-pet-removePet .invalid').length > 0",
        key=(state("invalid", "true"), said("invalid"), said("Required field is not provided")),
        before=(click("#operations-pet-removePet .opblock-summary-control"), click(".try-out__btn")),
    ),
    swagger(
        name="authorize is asked",
        act=(click(".btn.authorize"),),
        true="shown('.modal-ux').includes('Available authorizations')",
        key=(said("Available authorizations"),),
    ),
    swagger(
        name="authorize",
        act=(fill(".modal-ux input", "k-1"), click(".modal-ux button.authorize")),
        true="shown('.modal-ux').includes('Authorized')",
        key=(said("Authorized"), said("Logout")),
        before=(click(".btn.authorize"),),
    ),
    swagger(
        name="close a tag",
        act=(click("#operations-tag-pet .expand-operation, #operations-tag-pet button"),),
        true="all('#operations-pet-findPets').length === 0",
        key=(state("expanded", "false"), state("open", "false")),
    ),
)
