"""The applications: what each is made of, how it starts, and the states that it is looked at in."""

from __future__ import annotations

from typing import NamedTuple

from bench.apps.launch import Pages, Program
from bench.doing import Do, click, double_click, fill, press, right_click, typed


class State(NamedTuple):
    """A state to look at: `actions` lead to it from `path`, or from the state before it where that is None.

    `ready` is a CSS selector of what shows that the page is there.
    """

    name: str
    path: str | None = None
    actions: tuple[Do, ...] = ()
    ready: str | None = None
    signs_in: bool = False
    """Whether the states after it need it to have been there."""


class App(NamedTuple):
    """An application: what it shows, how it is served, and its states, which are visited in order in one context."""

    name: str
    what: str
    served: Program | Pages
    states: tuple[State, ...]


APPS = (
    App(
        "django-admin",
        "Django's admin: server-rendered forms and tables, jQuery, Select2",
        Program(("{sites}/django_admin/serve.py", "{port}", "{data}")),
        (
            State("login", "/admin/", signs_in=True),
            State(
                "login refused", None, (fill("#id_username", "eve"), fill("#id_password", "x"), click("[type=submit]"))
            ),
            State(
                "index",
                None,
                (fill("#id_username", "admin"), fill("#id_password", "amber-glass-7"), click("[type=submit]")),
                signs_in=True,
            ),
            State("products", "/admin/shop/product/"),
            State("products searched", None, (fill("#searchbar", "glow"), press("Enter"))),
            State("product", "/admin/shop/product/3/change/"),
            State("product, more open", None, (click("details summary"),)),
            State(
                "product, wrong values",
                None,
                (fill("#id_price", "-1"), fill("#id_released", "soon"), click("[name=_save]")),
            ),
            State(
                "calendar open",
                "/admin/shop/product/add/",
                (
                    click("details summary"),
                    click("#calendarlink0"),
                ),
            ),
            State("order with lines", "/admin/shop/order/1/change/"),
            State("autocomplete open", None, (click("#line_set-0 .select2-selection"),), ".select2-results__option"),
            State("delete asked", "/admin/shop/order/2/delete/"),
            State("history", "/admin/shop/order/1/history/"),
            State("users", "/admin/auth/user/1/change/"),
        ),
    ),
    App(
        "jupyterlab",
        "JupyterLab: Lumino panels, CodeMirror, menus, a file browser",
        Program(
            (
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                "--ServerApp.port={port}",
                "--IdentityProvider.token=",
                "--ServerApp.password=",
                "--ServerApp.root_dir={data}",
                "--LabApp.news_url=",
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            ),
            prepare=(("{sites}/jupyterlab_settings.py", "{data}"),),
        ),
        (
            State("launcher", "/lab?reset", (), ".jp-LauncherCard"),
            State("file menu", None, (click(".lm-MenuBar-item:first-child"),), ".lm-Menu"),
            State(
                "notebook",
                None,
                (press("Escape"), click(".jp-LauncherCard[data-category=Notebook]")),
                ".jp-Notebook .jp-Cell",
            ),
            State("cell edited", None, (typed(".jp-Cell .cm-content", "print(6 * 7)"),)),
            State("context menu", None, (right_click(".jp-Cell .cm-content"),), ".lm-Menu"),
            State("commands", None, (press("Escape"), press("Control+Shift+C")), ".lm-CommandPalette-item"),
            State("view menu", None, (press("Escape"), click(".lm-MenuBar-item:nth-child(3)")), ".lm-Menu"),
        ),
    ),
    App(
        "streamlit",
        "Streamlit: React, BaseWeb selects, a grid on a canvas",
        Program(
            (
                "-m",
                "streamlit",
                "run",
                "{sites}/streamlit_app.py",
                "--server.port={port}",
                "--server.address=127.0.0.1",
                "--server.headless=true",
                "--browser.gatherUsageStats=false",
                "--server.fileWatcherType=none",
            )
        ),
        (
            State("page", "/", (), "[data-testid=stTabs]"),
            State("region open", None, (click("[data-testid=stSelectbox] input"),), "[role=listbox]"),
            State("months open", None, (press("Escape"), click("[data-testid=stMultiSelect] input")), "[role=listbox]"),
            State(
                "form",
                None,
                (press("Escape"), click("[data-testid=stTab]:nth-of-type(3), [role=tab]:nth-of-type(3)")),
                "[data-testid=stTextInput] input",
            ),
            State(
                "ordered",
                None,
                (fill("[data-testid=stTextInput] input", "Ann"), click("[data-testid=stFormSubmitButton] button")),
                "[data-testid=stAlert]",
            ),
            State("expander open", None, (click("[data-testid=stExpander] summary"),)),
        ),
    ),
    App(
        "gradio",
        "Gradio: Svelte",
        Program(("{sites}/gradio_app.py", "{port}")),
        (
            State("page", "/", (), "button[role=tab]"),
            State("greeting open", None, (click("input[aria-label=Greeting]"),), "[role=listbox]"),
            State(
                "greeted",
                None,
                (press("Escape"), fill("textarea[placeholder='Your name']", "Ann"), click("button.primary")),
            ),
            State("settings", None, (click("button[role=tab]:nth-of-type(2)"),)),
            State("table", None, (click("button[role=tab]:nth-of-type(3)"),)),
        ),
    ),
    App(
        "dash",
        "Dash: React, its own selects and sliders, a data table",
        Program(("{sites}/dash_app.py", "{port}")),
        (
            State("page", "/", (), ".dash-spreadsheet td"),
            State("order open", None, (click("#order"),)),
            State("filtered", None, (press("Escape"), click("details summary"))),
        ),
    ),
    App(
        "nicegui",
        "NiceGUI: Vue, Quasar",
        Program(("{sites}/nicegui_app.py", "{port}")),
        (
            State("page", "/", (), ".q-table"),
            State("menu open", None, (click("[aria-label=Menu]"),), ".q-menu"),
            State("packaging open", None, (press("Escape"), click(".q-select")), "[role=listbox]"),
            State("asked", None, (press("Escape"), click("text=Empty")), ".q-dialog"),
        ),
    ),
    App(
        "flask-admin",
        "Flask-Admin: Bootstrap 4, Select2, inline editing",
        Program(("{sites}/flask_admin_app.py", "{port}")),
        (
            State("home", "/admin/"),
            State("posts", "/admin/post/"),
            State("actions open", None, (click("text=With selected"),)),
            State("post", "/admin/post/edit/?id=3"),
            State("author", "/admin/author/new/"),
        ),
    ),
    App(
        "datasette",
        "Datasette: server-rendered tables, hidden menus",
        Program(
            ("-m", "datasette", "serve", "{data}/rivers.db", "--host", "127.0.0.1", "--port", "{port}"),
            prepare=(("{sites}/datasette_data.py", "{data}/rivers.db"),),
        ),
        (
            State("home", "/"),
            State("table", "/rivers/rivers?_facet=sea"),
            State("column menu", None, (click("th:nth-of-type(3) svg"),), ".dropdown-menu"),
            State("row", "/rivers/rivers/3"),
            State("query", "/rivers?sql=select+*+from+rivers+limit+5"),
        ),
    ),
    App(
        "mkdocs-material",
        "A Material for MkDocs site",
        Pages(
            "site",
            build=(
                (
                    "-m",
                    "mkdocs",
                    "build",
                    "--quiet",
                    "--config-file",
                    "{sites}/mkdocs/mkdocs.yml",
                    "--site-dir",
                    "{data}/site",
                ),
            ),
        ),
        (
            State("home", "/index.html"),
            State("search", None, (typed("input.md-search__input", "fuses"),)),
            State("guide", "/wiring/index.html"),
        ),
    ),
    App(
        "sphinx-furo",
        "A Sphinx manual in the Furo theme",
        Pages("site", build=(("-m", "sphinx", "-q", "{sites}/sphinx", "{data}/site"),)),
        (State("index", "/index.html"), State("fuses", "/fuses.html"), State("search", "/search.html?q=lamp")),
    ),
    App(
        "swagger-ui",
        "Swagger UI with a small petstore: React",
        Pages("swagger"),
        (
            State("list", "/", (), ".opblock"),
            State(
                "operation open", None, (click("#operations-pet-findPets .opblock-summary-control"),), ".opblock-body"
            ),
            State("tried", None, (click(".try-out__btn"), click(".execute")), ".live-responses-table"),
            State(
                "body open",
                None,
                (click("#operations-pet-addPet .opblock-summary-control"),),
                "#operations-pet-addPet .opblock-body",
            ),
            State("authorize", None, (click(".btn.authorize"),), ".modal-ux"),
        ),
    ),
    App(
        "tabulator",
        "Tabulator: a grid of ARIA rows and cells",
        Pages("tabulator"),
        (
            State("table", "/", (), ".tabulator-row"),
            State("sorted", None, (click(".tabulator-col[tabulator-field=age] .tabulator-col-title"),)),
            State(
                "filter list",
                None,
                (click(".tabulator-col[tabulator-field=team] .tabulator-header-filter input"),),
                ".tabulator-edit-list",
            ),
            State(
                "context menu",
                None,
                (
                    press("Escape"),
                    right_click(".tabulator-table .tabulator-row:first-child .tabulator-cell[tabulator-field=name]"),
                ),
                ".tabulator-menu",
            ),
            State(
                "editing",
                None,
                (
                    press("Escape"),
                    double_click(".tabulator-table .tabulator-row:nth-child(2) .tabulator-cell[tabulator-field=name]"),
                ),
            ),
        ),
    ),
    App(
        "select2",
        "Select2 over plain selects: jQuery",
        Pages("select2"),
        (
            State("form", "/"),
            State("single open", None, (click("#from + .select2 .select2-selection"),), ".select2-results__option"),
            State("searched", None, (typed(".select2-search__field[type=search]:focus", "a"),)),
            State("several open", "/", (click("#with + .select2 .select2-selection"),), ".select2-results__option"),
            State("remote open", "/", (click("#far + .select2 .select2-selection"),), ".select2-results__option"),
        ),
    ),
    App(
        "jquery-ui",
        "jQuery UI's widgets",
        Pages("jquery_ui"),
        (
            State("widgets", "/"),
            State(
                "completed", None, (typed("#language", "ja"),), "#ui-id-1 .ui-menu-item, .ui-autocomplete .ui-menu-item"
            ),
            State("calendar", "/", (click("#day"),), ".ui-datepicker-calendar"),
            State("speed open", "/", (click("#speed-button"),), "#speed-menu"),
            State("dialog", "/", (click("#open"),), ".ui-dialog"),
        ),
    ),
    App(
        "todomvc-react",
        "TodoMVC in React",
        Pages("todomvc", bundle="app.jsx"),
        (
            State("two", "/", (), ".todo-list li"),
            State("three", None, (typed(".new-todo", "Feed the cat"), press("Enter"))),
            State("editing", None, (double_click(".todo-list li:first-child label"),), "input.edit"),
            State("completed", None, (press("Escape"), click("a[href='#/Completed']"))),
        ),
    ),
    App(
        "ant-design",
        "Ant Design: React, popups at the end of the body",
        Pages("antd", bundle="app.jsx"),
        (
            State("page", "/", (), ".ant-table-row"),
            State("city open", None, (click("#city"),), ".ant-select-dropdown"),
            State("dialog", None, (press("Escape"), click("#open-modal")), ".ant-modal"),
            State("more open", "/", (click("#more"),), ".ant-dropdown-menu"),
            State("drawer", "/", (click("#open-drawer"),), ".ant-drawer-body"),
            State("calendar", "/", (click("#born"),), ".ant-picker-content"),
        ),
    ),
    App(
        "mui",
        "Material UI: React",
        Pages("mui", bundle="app.jsx"),
        (
            State("page", "/", (), "table"),
            State("menu", None, (click("#account"),), "[role=menu]"),
            State("genre open", "/", (click("#genre"),), "[role=listbox]"),
            State("film open", "/", (typed("#film", "a"),), "[role=listbox]"),
            State("dialog", "/", (click("#open"),), "[role=dialog]"),
            State("notified", "/", (click("#notify"),), ".MuiSnackbarContent-root"),
        ),
    ),
    App(
        "shoelace",
        "Shoelace: web components with shadow roots",
        Pages("shoelace"),
        (
            State("page", "/", (), "sl-tree-item"),
            State("kind open", None, (click("#kind"),)),
            State("more open", "/", (click("#more"),)),
            State("dialog", "/", (click("#ask"),)),
            State("rules", "/", (click("sl-details"),)),
        ),
    ),
    App(
        "sb-admin",
        "A Bootstrap 4 template of an administration",
        Pages(),
        (
            State("dashboard", "/npm/startbootstrap-sb-admin-2/index.html"),
            State("alerts open", None, (click("#alertsDropdown"),)),
            State("user open", None, (click("#userDropdown"),)),
            State("sidebar open", None, (click("[data-target='#collapseTwo']"),)),
            State("tables", "/npm/startbootstrap-sb-admin-2/tables.html"),
            State("register", "/npm/startbootstrap-sb-admin-2/register.html"),
        ),
    ),
    App(
        "element-plus",
        "Element Plus: Vue, popups at the end of the body",
        Pages("element_plus"),
        (
            State("page", "/", (), "#stock tbody tr"),
            State("town open", None, (click("#town"),), ".el-select-dropdown__item"),
            State("calendar", "/", (click(".el-date-editor input"),), ".el-date-table"),
            State("asked", "/", (click("#cancel"),), ".el-message-box"),
            State("shelves", "/", (click("#tab-shelves"),), ".el-tree-node"),
        ),
    ),
    App(
        "vuetify",
        "Vuetify: Vue",
        Pages("vuetify"),
        (
            State("page", "/", (), ".v-data-table tbody tr"),
            State("menu open", None, (click("#menu"),), ".v-menu .v-list-item"),
            State("asked", "/", (click("#ask"),), ".v-dialog .v-card"),
        ),
    ),
    App(
        "mantine",
        "Mantine: React",
        Pages("mantine", bundle="app.jsx"),
        (
            State("page", "/", (), "table tbody tr"),
            State("more open", None, (click("#more"),), "[role=menuitem]"),
            State("help", "/", (click("#help"),), ".mantine-Drawer-content"),
        ),
    ),
    App(
        "react-aria",
        "React Aria's components, and a list that dnd kit sorts",
        Pages("react_aria", bundle="app.jsx"),
        (
            State("page", "/", (), "[role=grid]"),
            State("tools open", None, (click("#tools"),), "[role=menuitem]"),
            State("plan open", "/", (click("#plan"),), "[role=dialog]"),
        ),
    ),
    App(
        "ag-grid",
        "AG Grid: a virtual grid of ARIA rows and cells",
        Pages("ag_grid"),
        (
            State("grid", "/", (), ".ag-row"),
            State(
                "filter open",
                None,
                (click(".ag-header-cell[col-id=crate] .ag-header-cell-filter-button"),),
                ".ag-filter",
            ),
        ),
    ),
    App(
        "fullcalendar",
        "FullCalendar: months, weeks and lists of events",
        Pages("full_calendar"),
        (
            State("month", "/", (), "#calendar a, #calendar button"),
            State("week", None, (click("text=week"),)),
            State("list", None, (click("text=list"),)),
        ),
    ),
    App(
        "blockly",
        "Blockly: programs of SVG blocks",
        Pages("blockly"),
        (
            State("space", "/", (), ".blocklyText"),
            State("drawer open", None, (click(".blocklyToolboxCategory"),)),
        ),
    ),
    App(
        "quill",
        "Quill: an editor of rich text",
        Pages("quill"),
        (
            State("letter", "/", (), ".ql-toolbar"),
            State("heading open", None, (click(".ql-header .ql-picker-label"),)),
        ),
    ),
    App(
        "node-red",
        "Node-RED: jQuery, SVG, an editor of flows, live over a socket",
        Program(
            ("{npm}/node-red/red.js", "-p", "{port}", "-u", "{data}", "--settings", "{sites}/node_red_settings.cjs"),
            prepare=(("-e", "fs.copyFileSync('{sites}/node_red_flows.json', '{data}/flows.json')"),),
            node=True,
        ),
        (State("editor", "/", (), ".red-ui-palette-node"),),
    ),
    App(
        "tiddlywiki",
        "TiddlyWiki: a notebook that is a program in one page, kept by a server",
        Program(
            ("{npm}/tiddlywiki/tiddlywiki.js", "{data}/wiki", "--listen", "host=127.0.0.1", "port={port}"),
            prepare=(("{npm}/tiddlywiki/tiddlywiki.js", "{data}/wiki", "--init", "server"),),
            node=True,
        ),
        (State("start", "/", (), ".tc-site-title"),),
    ),
    App(
        "locust",
        "Locust: React and Material UI, figures that move by themselves",
        Program(
            (
                "-m",
                "locust",
                "--locustfile",
                "{sites}/locust_file.py",
                "--web-host",
                "127.0.0.1",
                "--web-port",
                "{port}",
                "--host",
                "http://127.0.0.1:{port}",
            )
        ),
        (State("start", "/", (), "form"),),
    ),
    App(
        "marimo",
        "marimo: a reactive notebook, run as an application over a socket",
        Program(
            ("-m", "marimo", "run", "{sites}/marimo_app.py", "--headless", "--host", "127.0.0.1", "--port", "{port}")
        ),
        (State("page", "/", (), "marimo-ui-element"),),
    ),
    App(
        "panel",
        "Panel: Bokeh's nested shadow roots, over a socket",
        Program(
            (
                "-m",
                "panel",
                "serve",
                "{sites}/panel_app.py",
                "--address",
                "127.0.0.1",
                "--port",
                "{port}",
                "--allow-websocket-origin",
                "127.0.0.1:{port}",
            )
        ),
        (State("page", "/panel_app"),),
    ),
    App(
        "shiny",
        "Shiny for Python: Bootstrap 5, Selectize, over a socket",
        Program(
            ("-m", "shiny", "run", "--host", "127.0.0.1", "--port", "{port}", "{sites}/shiny_app.py"),
        ),
        (
            State("page", "/", (), "#told"),
            State("asked", None, (click("#ask"),), ".modal-body"),
        ),
    ),
    App(
        "optuna-dashboard",
        "Optuna Dashboard: React and Material UI, plots",
        Program(
            ("{sites}/optuna_serve.py", "{port}", "{data}/studies.sqlite3"),
            prepare=(("{sites}/optuna_data.py", "{data}/studies.sqlite3"),),
        ),
        (
            State("studies", "/dashboard", (), "main, #dashboard"),
            State("study", "/dashboard/studies/1/trialTable"),
        ),
    ),
    App(
        "sqlite-web",
        "sqlite-web: pages that a server renders, Bootstrap",
        Program(
            (
                "-m",
                "sqlite_web.sqlite_web",
                "--no-browser",
                "--host",
                "127.0.0.1",
                "--port",
                "{port}",
                "{data}/rivers.db",
            ),
            prepare=(("{sites}/datasette_data.py", "{data}/rivers.db"),),
        ),
        (
            State("home", "/"),
            State("content", "/rivers/content/"),
            State("query", "/query/"),
        ),
    ),
    App(
        "starlette-admin",
        "Starlette-Admin: Tabler, DataTables, Select2, flatpickr",
        Program(("{sites}/starlette_admin_app.py", "{port}", "{data}")),
        (
            State("home", "/admin/"),
            State("trees", "/admin/tree/list", (), "tbody tr td"),
            State("meadow", "/admin/meadow/create"),
        ),
    ),
    App(
        "wagtail",
        "Wagtail's administration: Stimulus, Draftail, Telepath",
        Program(("{sites}/wagtail_site/serve.py", "{port}", "{data}")),
        (
            State("login", "/admin/", signs_in=True),
            State(
                "home",
                None,
                (fill("#id_username", "admin"), fill("#id_password", "amber-glass-7"), click("[type=submit]")),
                signs_in=True,
            ),
            State("article", "/admin/pages/4/edit/"),
        ),
    ),
)
