"""Flows on Flask-Admin and Datasette: pages that a server renders, with messages, counters and errors."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, said, state
from bench.doing import choose, click, fill, keys, press

flask = partial(Flow, "flask-admin")
data = partial(Flow, "datasette")

FLOWS = (
    flask(
        "add an author",
        "/admin/author/new/",
        (fill("#name", "Dora"), click("[type=submit] >> nth=0")),
        "(await server('/admin/author/')).includes('Dora')",
        (said("Record was successfully created"),),
    ),
    flask(
        "search",
        "/admin/post/",
        (fill("[name=search]", "Post 2"), press("Enter", "[name=search]")),
        "shown('.nav-tabs').includes('List (7)')",
        (said("List (7)"),),
    ),
    flask(
        "sort by title, downwards",
        "/admin/post/",
        (click("th.col-title a >> nth=0"),),
        "shown('tbody tr:first-child .col-title') === 'Post 9'",
        (said("Post 9"),),
        before=(click("th.col-title a >> nth=0"),),
    ),
    flask(
        "second page",
        "/admin/post/",
        (click('.pagination >> text="2"'),),
        "shown('tbody tr:first-child .col-title') === 'Post 4'",
        (said("Post 4"),),
    ),
    flask(
        "save a post",
        "/admin/post/edit/?id=3",
        (fill("#body", "A longer text."), click("[type=submit] >> nth=0")),
        "(await server('/admin/post/details/?id=3')).includes('A longer text.')",
        (said("Record was successfully saved"),),
    ),
    flask(
        "delete a post",
        "/admin/post/?page=1",
        (click("tbody tr:nth-child(10) button[title*=elete]"),),
        "(await server('/admin/post/')).includes('List (24)')",
        (said("Record was successfully deleted"),),
    ),
    flask(
        "add a filter",
        "/admin/post/",
        (click("text=Add Filter"), click('.field-filters >> text="Title"')),
        "all('.filters [name^=flt]').length > 0",
        (said("contains"), said("Apply"), said("Title")),
    ),
    flask(
        "edit in the list",
        "/admin/post/",
        (
            click("tbody tr:nth-child(2) .col-title a"),
            fill(".popover input", "Post three"),
            click(".popover [type=submit]"),
        ),
        "(await server('/admin/post/')).includes('Post three')",
        (said("Post three"),),
    ),
    flask(
        "open the actions",
        "/admin/post/",
        (click("text=With selected"),),
        "shown('.dropdown-menu').includes('Delete')",
        (said("Delete"), state("expanded", "true")),
    ),
    flask(
        "another page of the site",
        "/admin/post/",
        (click('.navbar >> text="Authors"'),),
        "shown('tbody').includes('Cleo')",
        (said("Cleo"), said("List (3)"), said("List (4)"), said("Authors")),
    ),
    data(
        "facet by sea",
        "/rivers/rivers",
        (click('.suggested-facets >> text="sea"'),),
        "shown('.facet-results').includes('North Sea')",
        (said("North Sea", "79"),),
    ),
    data(
        "sort by length",
        "/rivers/rivers",
        (click("th.col-km a"),),
        "page().includes('239 rows sorted by km')",
        (said("sorted by km"),),
    ),
    data(
        "filter by sea",
        "/rivers/rivers",
        (
            choose("[name=_filter_column]", "sea"),
            fill("[name=_filter_value]", "Baltic"),
            click("form.filters input[type=submit]"),
        ),
        "page().includes('80 rows where')",
        (said("80 rows"),),
    ),
    data(
        "next page",
        "/rivers/rivers",
        (click("text=Next page"),),
        "shown('tbody tr:first-child').includes('River 101')",
        (said("River 101"),),
    ),
    data(
        "SQL with an error",
        "/rivers?sql=select+*+from+rivers+limit+5",
        (
            click(".CodeMirror-code"),
            press("Control+a"),
            keys("select * from streams"),
            click("input[type=submit][value='Run SQL']"),
        ),
        "page().includes('no such table: streams')",
        (said("no such table: streams"),),
    ),
    data(
        "SQL",
        "/rivers?sql=select+*+from+rivers+limit+5",
        (
            click(".CodeMirror-code"),
            press("Control+a"),
            keys("select max(km) as longest from rivers"),
            click("input[type=submit][value='Run SQL']"),
        ),
        "page().includes('3147')",
        (said("3147"),),
    ),
    data(
        "open a column's menu",
        "/rivers/rivers",
        (click("th.col-sea svg"),),
        "shown('.dropdown-menu').includes('Facet by this')",
        (said("Facet by this"), said("Sort ascending")),
    ),
    data(
        "open a row",
        "/rivers/rivers",
        (click("tbody tr:nth-child(7) td:first-child a"),),
        "shown('h1').includes('7') && location.pathname.endsWith('/7')",
        (said("rivers: 7"), said("River 7")),
    ),
)
