"""Flows on Django's admin: forms, messages, change lists, Select2."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, choose, click, fill, press, typed

flow = partial(Flow, "django-admin")
SIGN_IN = (fill("#id_username", "admin"), fill("#id_password", "amber-glass-7"), click("[type=submit]"))
PRODUCTS = "/admin/shop/product/"

FLOWS = (
    flow(
        "login refused",
        "/admin/",
        (fill("#id_username", "eve"), fill("#id_password", "x"), click("[type=submit]")),
        "page().includes('Please enter the correct username')",
        (said("Please enter the correct username and password"),),
        fresh=True,
    ),
    flow(
        "login",
        "/admin/",
        SIGN_IN,
        "(await server('/admin/')).includes('Site administration')",
        (said("Site administration"),),
        fresh=True,
    ),
    flow(
        "log out",
        "/admin/",
        (click("#logout-form button"),),
        "(await server('/admin/')).includes('Log in')",
        (said("Logged out"),),
        before=SIGN_IN,
        fresh=True,
    ),
    flow(
        "add a product without its fields",
        PRODUCTS + "add/",
        (fill("#id_name", "Flow lamp"), click("[name=_save]")),
        "page().includes('Please correct the errors below')",
        (said("Please correct the errors below"), said("This field is required")),
    ),
    flow(
        "add a category",
        "/admin/shop/category/add/",
        (fill("#id_name", "Lanterns"), click("[name=_save]")),
        "(await server('/admin/shop/category/')).includes('>Lanterns<')",
        (said("Lanterns", "was added successfully"),),
    ),
    flow(
        "add a category that exists",
        "/admin/shop/category/add/",
        (fill("#id_name", "Lamps"), click("[name=_save]")),
        "page().includes('Category with this Name already exists')",
        (said("Category with this Name already exists"),),
    ),
    flow(
        "save a product",
        PRODUCTS + "5/change/",
        (fill("#id_price", "77.50"), click("[name=_save]")),
        "(await server('/admin/shop/product/5/change/')).includes('77.50')",
        (said("was changed successfully"),),
    ),
    flow(
        "save with wrong values",
        PRODUCTS + "6/change/",
        (fill("#id_price", ""), fill("#id_released", "soon"), click("[name=_save]")),
        "page().includes('Enter a valid date')",
        (said("Please correct the errors below"), said("Enter a valid date"), said("This field is required")),
    ),
    flow(
        "save and continue",
        "/admin/shop/tag/1/change/",
        (fill("#id_name", "brand-new"), click("[name=_continue]")),
        "(await server('/admin/shop/tag/')).includes('brand-new')",
        (said("was changed successfully"),),
    ),
    flow(
        "search",
        PRODUCTS,
        (fill("#searchbar", "glow"), press("Enter", "#searchbar")),
        "shown('.paginator').includes('11 products')",
        (said("11 results"), said("11 products")),
    ),
    flow(
        "sort by price",
        PRODUCTS,
        (click("th.column-price .text a"),),
        "shown('#result_list tbody tr:first-child th') === 'Ember 0'",
        (said("Ember 0"), state("aria-sort|sort", "ascending", "Price")),
    ),
    flow(
        "filter by category",
        PRODUCTS,
        (click('#changelist-filter >> text="Candles"'),),
        "shown('.paginator').includes('43 products')",
        (said("43 products"),),
    ),
    flow(
        "second page",
        PRODUCTS,
        (click('.paginator >> text="2"'),),
        "shown('#result_list tbody tr:first-child th') === 'Orbit 29'",
        (said("Orbit 29"),),
    ),
    flow(
        "select one row",
        PRODUCTS,
        (check("#result_list tbody tr:nth-child(2) .action-select"),),
        "page().includes('1 of 100 selected')",
        (said("1 of 100 selected"),),
    ),
    flow(
        "select all rows",
        PRODUCTS,
        (check("#action-toggle"),),
        "page().includes('100 of 100 selected')",
        (said("100 of 100 selected"),),
    ),
    flow(
        "action without rows",
        PRODUCTS,
        (choose("[name=action] >> nth=0", "delete_selected"), click("button[name=index] >> nth=0")),
        "page().includes('Items must be selected')",
        (said("Items must be selected"),),
    ),
    flow(
        "delete selected is asked",
        "/admin/shop/order/",
        (
            check("#result_list tbody tr:nth-child(1) .action-select"),
            choose("[name=action]", "delete_selected"),
            click("button[name=index]"),
        ),
        "page().includes('Are you sure you want to delete the selected order')",
        (said("Delete multiple objects"), said("Are you sure")),
    ),
    flow(
        "delete an order",
        "/admin/shop/order/6/delete/",
        (click("#content [type=submit]"),),
        "!(await server('/admin/shop/order/')).includes('Order 6<')",
        (said("Order 6", "was deleted successfully"),),
    ),
    flow(
        "change in the list",
        PRODUCTS + "?q=Vesper",
        (fill("#id_form-0-price", "999"), click("[name=_save]")),
        "(await server('/admin/shop/product/?q=Vesper')).includes('value=\"999.00\"')",
        (said("was changed successfully"),),
    ),
    flow(
        "open the autocomplete",
        "/admin/shop/order/1/change/",
        (click("#line_set-1 .select2-selection"),),
        "all('.select2-results__option').length > 5",
        (said("Ember 0"), state("expanded", "true")),
    ),
    flow(
        "choose in the autocomplete",
        "/admin/shop/order/1/change/",
        (typed(".select2-search__field", "Tide 21"), click('.select2-results >> text="Tide 21"')),
        "shown('#line_set-1 .select2-selection__rendered').includes('Tide 21')",
        (said("Tide 21"),),
        before=(click("#line_set-1 .select2-selection"),),
    ),
    flow(
        "add an inline row",
        "/admin/shop/order/1/change/",
        (click("text=Add another Line"),),
        "all('#line_set-3').length === 1",
        (said("Remove"),),
    ),
    flow(
        "history",
        "/admin/shop/order/1/change/",
        (click(".historylink"),),
        "shown('#content h1').startsWith('Change history')",
        (said("Change history"),),
    ),
    flow(
        "open a closed part",
        PRODUCTS + "3/change/",
        (click("details summary"),),
        "one('details').open",
        (state("open|expanded", "true"), said("Picture")),
    ),
    flow(
        "open the calendar",
        PRODUCTS + "3/change/",
        (fill("#id_released", "2026-03-05"), click("#calendarlink0")),
        "/march 2026/i.test(shown('#calendarbox0'))",
        (said("March 2026"),),
    ),
    flow(
        "give a tag",
        PRODUCTS + "8/change/",
        (choose("#id_tags_from", "outdoor"), click("#id_tags_add")),
        "[...one('#id_tags_to').options].some((option) => option.text === 'outdoor')",
        (said("outdoor"), gone("outdoor"), state("parent", "#id_tags_to", "outdoor")),
    ),
    flow(
        "old password is wrong",
        "/admin/password_change/",
        (
            fill("#id_old_password", "no"),
            fill("#id_new_password1", "Xk29-amber"),
            fill("#id_new_password2", "Xk29-amber"),
            click("#content [type=submit]"),
        ),
        "page().includes('Your old password was entered incorrectly')",
        (said("Your old password was entered incorrectly"), said("Please correct the error below")),
    ),
)
