"""Flows on component libraries of Vue: Element Plus, Vuetify."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, click, fill, press, typed, wait_for

element = partial(Flow, "element-plus", path="/", ready="#stock tbody tr", noise=".el-message, .el-notification")
vuetify = partial(Flow, "vuetify", path="/", ready=".v-data-table tbody tr", noise=".v-snackbar")
STREET = "#street"

FLOWS = (
    element(
        name="send without a customer",
        act=(click("#send"),),
        true="page().includes('Say who it is for')",
        key=(said("Say who it is for"),),
    ),
    element(
        name="send",
        act=(fill("label=Customer", "Ann"), click("#send")),
        true="!one('#send').classList.contains('is-loading') && one('.el-form input').value === 'Ann'",
        key=(said("1 loaves for Ann"),),
    ),
    element(
        name="choose a town",
        act=(click("#town"), click('.el-select-dropdown >> text="Oslo"')),
        true="shown('.el-select').includes('Oslo')",
        key=(said("Oslo"),),
    ),
    element(
        name="pick a day",
        act=(click(".el-date-editor input"), click('.el-date-table >> text="17"')),
        true="one('.el-date-editor input').value === '2026-03-17'",
        key=(said("2026-03-17"),),
    ),
    element(
        name="streets with a word",
        act=(typed(STREET, "mar"),),
        true="shown('.el-autocomplete-suggestion') === 'Market Square'",
        key=(said("Market Square"),),
    ),
    element(
        name="take a street",
        act=(
            typed(STREET, "mi"),
            wait_for(selector=".el-autocomplete-suggestion li >> text=Mill Lane"),  # not the one that says it loads
            press("ArrowDown"),
            press("Enter"),
        ),
        true=f"one('{STREET}').value === 'Mill Lane'",
        key=(said("Mill Lane"),),
    ),
    element(
        name="two more loaves",
        act=(click(".el-input-number__increase"), click(".el-input-number__increase")),
        true="one('.el-input-number input').value === '3'",
        key=(state("value", "3", "Loaves"), state("valuenow", "3")),
    ),
    element(
        name="slice it",
        act=(click("role=switch"),),
        true="one('.el-switch input').checked",
        key=(state("checked", "true"),),
    ),
    element(
        name="cancel is asked",
        act=(click("#cancel"),),
        true="page().includes('Is the bread really not wanted?')",
        key=(said("Is the bread really not wanted?"),),
    ),
    element(
        name="cancel the order",
        act=(click("#cancel"), click("role=button[name='Yes, cancel']")),
        true="page().includes('The baker knows.')",
        key=(said("The baker knows."),),
    ),
    element(
        name="open the recipe",
        act=(click("#drawer"),),
        true="page().includes('Knead for ten minutes.')",
        key=(said("Knead for ten minutes."),),
    ),
    element(
        name="sort by grams, downwards",
        act=(click("th >> has-text=Grams"),),
        true="shown('#stock tbody tr').startsWith('Loaf 5')",
        key=(state("sort", "descending", "Grams"), said("Loaf 5")),
        before=(click("th >> has-text=Grams"),),
    ),
    element(
        name="next page",
        act=(click('.el-pager >> text="2"'),),
        true="shown('#stock tbody tr').startsWith('Loaf 6')",
        key=(said("Loaf 6"),),
    ),
    element(
        name="only rye",
        act=(
            click(".el-table__column-filter-trigger"),
            click(".el-table-filter >> text=Rye"),
            click(".el-table-filter__bottom >> text=Confirm"),
        ),
        true="all('#stock tbody tr').length === 2",
        key=(said("2 rows"), said("Loaf 3")),
    ),
    element(
        name="choose all rows",
        act=(check("#stock thead input[type=checkbox]"),),
        true="[...document.querySelectorAll('#stock tbody input')].every((box) => box.checked)",
        key=(state("checked", "true"),),
    ),
    element(
        name="open a branch",
        act=(click('.el-tree >> text="Top"'),),
        true="page().includes('Salt')",
        key=(said("Salt"), state("expanded", "true", "Top")),
        before=(click("role=tab[name=Shelves]"),),
    ),
    element(
        name="send Ann to work",
        act=(
            check(".el-transfer-panel >> nth=0 >> .el-checkbox__original >> nth=1"),
            click(".el-transfer__button >> nth=1"),
        ),
        true="shown('.el-transfer-panel:last-of-type .el-transfer-panel__item').includes('Ann')",
        key=(said("Ann"), gone("Ann"), said("0/1"), said("0/2")),
        before=(click("role=tab[name=Staff]"),),
    ),
    vuetify(
        name="open the menu",
        act=(click("#menu"),),
        true="shown('.v-menu').includes('Cast off')",
        key=(said("Cast off"), state("expanded", "true", "Menu")),
    ),
    vuetify(
        name="choose in the menu",
        act=(click("#menu"), click(".v-menu .v-list-item >> has-text=Refuel")),
        true="page().includes('Refuel it is')",
        key=(said("Refuel it is"),),
    ),
    vuetify(
        name="ask",
        act=(click("#ask"),),
        true="shown('.v-dialog').includes('The tide is low.')",
        key=(said("Leave the berth?"),),
    ),
    vuetify(
        name="leave",
        act=(click("#ask"), click(".v-dialog >> text=Leave >> nth=-1")),
        true="page().includes('Gone to sea')",
        key=(said("Gone to sea"),),
    ),
    vuetify(
        name="ring the bell",
        act=(click("#ring"),),
        true="one('.v-snackbar') !== null",
        key=(said("The bell rings."),),
    ),
    vuetify(
        name="send without a skipper",
        act=(click("#send"),),
        true="page().includes('A skipper is needed')",
        key=(said("A skipper is needed"),),
    ),
    vuetify(
        name="send",
        act=(fill("label=Skipper", "Ann"), click("#send")),
        true="page().includes('Ann sails')",
        key=(said("Ann sails"),),
    ),
    vuetify(
        name="choose a pier",
        act=(click("label=Pier"), click("role=option[name=North]")),
        true="shown('.v-select').includes('North')",
        key=(said("North"),),
    ),
    vuetify(
        name="ports with a letter",
        act=(typed("label=Port", "br"),),
        true="shown('.v-overlay--active .v-list').trim() === 'Bremen'",
        key=(said("Bremen"), state("expanded", "true", "Port")),
    ),
    vuetify(
        name="two cargoes",
        act=(
            typed(".v-combobox input:not([type=hidden])", "Tea"),
            press("Enter"),
            typed(".v-combobox input:not([type=hidden])", "Rope"),
            press("Enter"),
        ),
        true="all('.v-chip').length === 2",
        key=(said("Rope"),),
    ),
    vuetify(
        name="two more hands",
        act=(press("ArrowRight", ".v-slider-thumb"), press("ArrowRight", ".v-slider-thumb")),
        true="one('.v-slider-thumb').getAttribute('aria-valuenow') === '7'",
        key=(state("valuenow|value", "7"), said("7")),
    ),
    vuetify(
        name="a red flag",
        act=(check("role=radio[name=Red]"),),
        true="one('input[value=red]').checked",
        key=(state("checked", "true", "Red"),),
    ),
    vuetify(
        name="open the rules",
        act=(click(".v-expansion-panel-title"),),
        true="page().includes('No wake in the harbour.')",
        key=(said("No wake in the harbour."), state("expanded", "true", "Rules")),
    ),
    vuetify(
        name="another tab",
        act=(click("role=tab[name=Weather]"),),
        true="page().includes('Wind from the west.')",
        key=(said("Wind from the west."), state("selected", "true", "Weather")),
    ),
    vuetify(
        name="search a boat",
        act=(typed("#search", "boat 2"),),
        true="shown('.v-data-table-footer__info').includes('of 11')",
        key=(said("of 11"), said("Boat 20")),
    ),
    vuetify(
        name="sort by length",
        act=(click("th >> has-text=Metres"),),
        true="shown('.v-data-table tbody tr').startsWith('Boat 0')",
        key=(state("sort", "ascending", "Metres"), said("Boat 19")),
        before=(click("th >> has-text=Berth"), click("th >> has-text=Berth")),
    ),
    vuetify(
        name="next page",
        act=(click("role=button[name='Next page']"),),
        true="shown('.v-data-table tbody tr').startsWith('Boat 5')",
        key=(said("Boat 5"),),
    ),
)
