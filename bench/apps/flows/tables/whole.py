"""Flows on whole applications as their makers ship them: editors, notebooks, dashboards and administrations."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, choose, click, double_click, drag, fill, keys, press, typed

nodered = partial(Flow, "node-red", path="/", ready=".red-ui-flow-node", noise=".red-ui-notification")
tiddly = partial(Flow, "tiddlywiki", path="/", ready=".tc-site-title")
# A test that runs counts by itself, every two seconds.
COUNTS = "tbody, .MuiToolbar-root span, .MuiToolbar-root p"
locust = partial(Flow, "locust", path="/", ready="form, [role=tablist]", noise=COUNTS)
optuna = partial(Flow, "optuna-dashboard", path="/dashboard", ready="text=1. bread")
sqlite = partial(Flow, "sqlite-web")
orchard = partial(Flow, "starlette-admin", ready="main, .page-body")
wagtail = partial(Flow, "wagtail", noise="#w-editing-sessions, .w-ping")
NODES = ".red-ui-flow-node"
TREES = "/admin/tree/list"
NEW = "role=button[name*='new tiddler'] >> nth=0"
SIGN_IN = (fill("#id_username", "admin"), fill("#id_password", "amber-glass-7"), click("[type=submit]"))

FLOWS = (
    nodered(
        name="search the palette",
        act=(typed("#red-ui-palette-search input", "delay"),),
        true="all('.red-ui-palette-node').length === 1",
        key=(gone("inject"), said("delay")),
    ),
    nodered(
        name="add a node",
        act=(
            drag(
                ".red-ui-palette-node[data-palette-type=delay]",
                "#red-ui-workspace-chart",
                targetPosition={"x": 320, "y": 300},
            ),
        ),
        true="page().includes('delay 5s')",
        key=(said("delay 5s"), said("delay"), state("disabled", "false", "Deploy")),
    ),
    nodered(
        name="open a node",
        act=(double_click(f"#say {NODES}"),),
        true="shown('.red-ui-tray').includes('Edit function node')",
        key=(said("Edit function node"),),
    ),
    nodered(
        name="rename a node",
        act=(double_click(f"#show {NODES}"), fill("#node-input-name", "Show the tea"), click("#node-dialog-ok")),
        true="page().includes('Show the tea') && all('.red-ui-tray').length === 0",
        key=(said("Show the tea"),),
    ),
    nodered(
        name="deploy",
        act=(click("#red-ui-header-button-deploy"),),
        true="(await server('/flows')).includes('Warm')",
        key=(said("Successfully deployed"),),
        before=(double_click(f"#say {NODES}"), fill("#node-input-name", "Warm"), click("#node-dialog-ok")),
    ),
    nodered(
        name="press the kettle",
        act=(click(".red-ui-flow-node-button-button >> nth=0"),),
        true="page().includes('The kettle will boil')",
        key=(said("The kettle will boil"),),
        before=(press("Control+g"), keys("d")),
    ),
    nodered(
        name="open the menu",
        act=(click("#red-ui-header-button-sidemenu"),),
        true="shown('#red-ui-header-button-sidemenu-submenu').includes('Import')",
        key=(said("Import"),),
    ),
    nodered(
        name="import is asked",
        act=(press("Control+i"),),
        true="shown('.ui-dialog').includes('Paste flow json')",
        key=(said("Import nodes"), said("Paste flow json")),
    ),
    nodered(
        name="one more flow",
        act=(click(".red-ui-tab-button.red-ui-tabs-add a"),),
        true="shown('#red-ui-workspace-tabs').includes('Flow 1')",
        key=(said("Flow 1"),),
    ),
    tiddly(
        name="write a tiddler",
        act=(click(NEW), fill("input.tc-titlebar", "Lamps"), click("role=button[name*=onfirm] >> nth=0")),
        true="all('[data-tiddler-title=Lamps]').length > 0",
        key=(said("Lamps"),),
    ),
    tiddly(
        name="search",
        act=(typed("input[type=search]", "lamp"),),
        true="shown('.tc-search-results, .tc-block-dropdown').includes('Lamps')",
        key=(said("Lamps"),),
    ),
    tiddly(
        name="open a tab",
        act=(click("role=tab[name=More]"),),
        true="one('[role=tab][aria-selected=true]') && shown('.tc-sidebar-tabs-main').includes('Orphans')",
        key=(said("Orphans"), state("selected", "true", "More")),
    ),
    tiddly(
        name="the control panel",
        act=(click("role=button[name*='control panel']"),),
        true="all('[data-tiddler-title=\"$:/ControlPanel\"]').length === 1",
        key=(said("Control Panel"), said("$:/ControlPanel")),
    ),
    tiddly(
        name="close a tiddler",
        act=(click("[data-tiddler-title=GettingStarted] >> role=button[name=close]"),),
        true="all('[data-tiddler-title=GettingStarted]').length === 0",
        key=(gone("GettingStarted"),),
    ),
    tiddly(
        name="edit a tiddler",
        act=(click("[data-tiddler-title=GettingStarted] >> role=button[name='Edit this tiddler']"),),
        true="one('input.tc-titlebar')?.value === 'GettingStarted'",
        key=(said("Draft of 'GettingStarted'"), said("GettingStarted")),
    ),
    tiddly(
        name="more of a tiddler",
        act=(click("[data-tiddler-title=GettingStarted] >> role=button[name=more]"),),
        true="shown('.tc-drop-down').includes('clone')",
        key=(said("clone"),),
    ),
    locust(
        name="start",
        act=(fill("[name=userCount]", "3"), click("role=button[name=Start]")),
        true="/running/i.test(page()) && /Stop/i.test(page())",
        key=(said("Running"), said("Spawning"), said("/article")),
    ),
    locust(
        name="the failures",
        act=(click("role=tab[name=Failures]"),),
        true="page().includes('article lost')",
        key=(said("article lost"), state("selected", "true", "Failures")),
    ),
    locust(
        name="edit is asked",
        act=(click("role=button[name=Edit]"),),
        true="page().includes('Edit running load test')",
        key=(said("Edit running load test"),),
    ),
    locust(
        name="stop",
        act=(click("role=button[name=Stop]"),),
        true="/stopped/i.test(page())",
        key=(said("Stopped"),),
    ),
    optuna(
        name="open a study",
        act=(click("role=link[name*=bread]"),),
        true="location.pathname.includes('/studies/1')",
        key=(said("bread (id=1)"), said("History"), said("Hyperparameter Importance")),
    ),
    optuna(
        name="search",
        act=(typed("#search-study", "sou"),),
        true="!page().includes('bread') && page().includes('soup')",
        key=(gone("bread"),),
    ),
    optuna(
        name="create is asked",
        act=(click("role=button[name=Create]"),),
        true="all('[role=dialog]').length === 1",
        key=(said("Study name"), said("New Study")),
    ),
    optuna(
        name="create a study",
        act=(fill("role=dialog >> label=Study name", "broth"), click("role=dialog >> role=button[name=Create]")),
        true="(await server('/api/studies/4')).includes('broth')",
        key=(said("broth"), said("4. broth")),
        before=(click("role=button[name=Create]"),),
    ),
    optuna(
        name="delete is asked",
        act=(click("role=button[name='delete study'] >> nth=1"),),
        true="all('[role=dialog]').length === 1",
        key=(said("Delete"),),
    ),
    optuna(
        name="another trial",
        path="/dashboard/studies/1/trials",
        ready="text=12 Trials",
        act=(click("role=button[name*='Trial 4']"),),
        true="shown('h4').includes('Trial 4 (trial_id=5)')",
        key=(said("Trial 4 (trial_id=5)"), said("Trial 4")),
    ),
    optuna(
        name="filter the trials",
        path="/dashboard/studies/1/trials",
        ready="text=12 Trials",
        act=(click("role=button[name=Filter]"),),
        true="all('[role=menu]').length === 1",
        key=(said("Complete"), said("Pruned"), said("All")),
    ),
    sqlite(
        name="query",
        path="/query/",
        act=(fill("#sql", "select max(km) as longest from rivers"), click("#query-form >> role=button[name=Execute]")),
        true="shown('tbody').includes('3147')",
        key=(said("3147"),),
    ),
    sqlite(
        name="query with an error",
        path="/query/",
        act=(fill("#sql", "select * from streams"), press("Control+Enter", "#sql")),
        true="page().includes('no such table: streams')",
        key=(said("no such table: streams"),),
    ),
    sqlite(
        name="sort by length, downwards",
        path="/rivers/content/",
        act=(click("th[data-col=km] a"),),
        true="shown('tbody tr').startsWith('239 River 239')",
        key=(said("River 239"),),
        before=(click("th[data-col=km] a"),),
    ),
    sqlite(
        name="next page",
        path="/rivers/content/",
        act=(click(".pagination li:nth-child(4) a"),),
        true="page().includes('showing page 2')",
        key=(said("River 51"), said("showing page 2"), said("Page 2 / 5")),
    ),
    sqlite(
        name="choose all rows",
        path="/rivers/content/",
        act=(check("#toggle-pk-all"),),
        true="all('.toggle-pk').every((box) => box.checked)",
        key=(state("checked", "true"), state("disabled", "false", "Bulk Delete")),
    ),
    sqlite(
        name="add a column",
        path="/gauges/add-column/",
        act=(
            fill("#id_name", "keeper"),
            choose("#id_type", "TEXT"),
            click("#content [type=submit], main [type=submit]"),
        ),
        true="(await server('/gauges/')).includes('keeper')",
        key=(said("was added successfully!"),),
    ),
    sqlite(
        name="add a column without a name",
        path="/gauges/add-column/",
        act=(click("#content [type=submit], main [type=submit]"),),
        true="page().includes('Name and column type are required.')",
        key=(said("Name and column type are required."),),
    ),
    sqlite(
        name="ask for a table",
        path="/",
        act=(click("#createTableButton"),),
        true="all('[name=table_name]').length === 1",
        key=(said("New table name"), said("Create"), state("expanded", "true")),
    ),
    orchard(
        name="search",
        path=TREES,
        act=(fill("[name=q]", "Tree 4"), press("Enter", "[name=q]")),
        true="all('tbody tr').length === 6",
        key=(said("6 entries"), said("of 6"), said("Tree 44"), gone("Tree 0")),
    ),
    orchard(
        name="sort by name, downwards",
        path=TREES,
        act=(click("th .sort-link >> has-text=Name"),),
        true="shown('tbody tr').includes('Tree 9')",
        key=(said("Tree 9"), state("sort", "descending", "Name")),
        before=(click("th .sort-link >> has-text=Name"),),
    ),
    orchard(
        name="next page",
        path=TREES,
        act=(click("role=link[name='Next page']"),),
        true="shown('tbody tr').includes('Tree 10')",
        key=(said("Tree 10"), said("Showing 11 to 20")),
    ),
    orchard(
        name="delete is asked",
        path=TREES,
        act=(click("tbody tr:nth-child(4) >> role=link[name=Delete]"),),
        true="shown('#modal-action').includes('Are you sure')",
        key=(said("Are you sure"),),
    ),
    orchard(
        name="delete",
        path=TREES,
        act=(click("#actionSubmit"),),
        true="!(await server('/admin/tree/list')).includes('Tree 5')",
        key=(gone("Tree 5"), said("deleted")),
        before=(click("tbody tr:nth-child(6) >> role=link[name=Delete]"),),
    ),
    orchard(
        name="choose two trees",
        path=TREES,
        act=(click("tbody tr:nth-child(2) input[type=checkbox]"), click("tbody tr:nth-child(3) input[type=checkbox]")),
        true="all('tbody input[type=checkbox]').filter((box) => box.checked).length === 2",
        key=(said("2"), state("checked", "true")),
    ),
    orchard(
        name="show the columns",
        path=TREES,
        act=(click("#column-visibility-dropdown button >> nth=0"),),
        true="shown('#column-visibility-dropdown .dropdown-menu').includes('Reset')",
        key=(said("Reset"), said("Apply"), state("expanded", "true", "Columns")),
    ),
    orchard(
        name="add a meadow",
        path="/admin/meadow/create",
        act=(fill("[name=name]", "Long Meadow"), click("role=button[name=Save]")),
        true="(await server('/admin/meadow/list')).includes('Long Meadow')",
        key=(said("was added successfully"),),
    ),
    wagtail(
        name="login refused",
        path="/admin/login/",
        act=(fill("#id_username", "eve"), fill("#id_password", "x"), click("[type=submit]")),
        true="page().includes('Your username and password didn')",
        key=(said("username and password"),),
        fresh=True,
    ),
    wagtail(
        name="login",
        path="/admin/",
        act=SIGN_IN,
        true="document.title === 'Dashboard - Wagtail'",
        key=(said("Dashboard"), said("Evening Lamp")),
        fresh=True,
    ),
    wagtail(
        name="add a section",
        path="/admin/snippets/press/section/add/",
        act=(fill("#id_name", "Sport"), click("[type=submit] >> text=Save")),
        true="(await server('/admin/snippets/press/section/')).includes('Sport')",
        key=(said("Section 'Sport' created."), said("Sport", "created")),
    ),
    wagtail(
        name="save a draft",
        path="/admin/pages/5/edit/",
        act=(fill("#id_lead", "The tram is very late."), click("role=button[name*='Save draft']")),
        true="(await server('/admin/pages/5/edit/')).includes('The tram is very late.')",
        key=(said("has been saved"), said("saved"), said("Page 'Tram is late' has been updated.")),
    ),
    wagtail(
        name="insert a block",
        path="/admin/pages/5/edit/",
        act=(click("role=button[name*='Insert a block'] >> nth=0"), click("role=option[name*=Paragraph]")),
        true="all('textarea[name^=body-]').length === 1",
        key=(said("Paragraph"),),
    ),
    wagtail(
        name="choose a section",
        path="/admin/pages/6/edit/",
        act=(click("role=button[name*='Choose section'] >> nth=0"), click(".modal-body >> text=Town")),
        true="page().includes('Town') && all('.modal-body').length === 0",
        key=(said("Town"),),
    ),
    wagtail(
        name="open the status",
        path="/admin/pages/5/edit/",
        act=(click("[data-side-panel=status], [aria-label='Toggle status'] >> nth=0"),),
        true="shown('[data-side-panel=status], .form-side').includes('Live')",
        key=(said("Live"), state("expanded", "true")),
    ),
    wagtail(
        name="the articles",
        path="/admin/pages/3/",
        act=(click("th >> text=Title"),),
        true="location.search.includes('ordering=title')",
        key=(said("Fog over the bay"),),
    ),
    wagtail(
        name="choose a page",
        path="/admin/pages/3/",
        act=(click("tbody input[type=checkbox] >> nth=0"),),
        true="page().includes('1 page selected')",
        key=(said("1 page selected"),),
    ),
    wagtail(
        name="search a page",
        path="/admin/pages/search/",
        act=(typed("#id_q", "bridge"),),
        true="shown('table').includes('Old bridge closed') && !shown('table').includes('Fog')",
        key=(said("There is one matching page"), said("Old bridge closed")),
    ),
    wagtail(
        name="delete a page",
        path="/admin/pages/7/delete/",
        act=(click("[type=submit] >> text=Yes"),),
        true="!(await server('/admin/pages/3/')).includes('Old bridge closed')",
        key=(said("Page 'Old bridge closed' deleted."), said("deleted")),
    ),
)
