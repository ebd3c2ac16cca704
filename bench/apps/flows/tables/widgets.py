"""Flows on widgets that are put over plain HTML: jQuery UI, Select2, Shoelace's web components."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import click, drag, press, typed

jquery = partial(Flow, "jquery-ui", path="/")
select2 = partial(Flow, "select2", path="/")
shoelace = partial(Flow, "shoelace", path="/", ready="sl-tree-item")
OPEN_CALENDAR = (typed("#day", "03/05/2026"), click("#day"))

FLOWS = (
    jquery(
        name="open a part",
        act=(click("#accordion h3 >> nth=1"),),
        true="page().includes('Two.') && !page().includes('One.')",
        key=(said("Two."), state("expanded|selected", "true", "Second")),
    ),
    jquery(
        name="another tab",
        act=(click("text=Proin"),),
        true="page().includes('Tab two')",
        key=(said("Tab two"), state("selected", "true", "Proin"), state("expanded", "true", "Proin")),
    ),
    jquery(
        name="completions",
        act=(typed("#language", "ja"),),
        true="shown('.ui-autocomplete').includes('JavaScript')",
        key=(said("JavaScript"), said("2 results are available")),
    ),
    jquery(
        name="take a completion",
        act=(typed("#language", "ja"), click('.ui-autocomplete >> text="Java"')),
        true="one('#language').value === 'Java'",
        key=(state("value", "Java"),),
    ),
    jquery(
        name="open the calendar",
        act=(click("#day"),),
        true="shown('.ui-datepicker').includes('March 2026')",
        key=(said("March"), said("2026")),
        before=(typed("#day", "03/05/2026"), press("Tab"), press("Escape")),
    ),
    jquery(
        name="next month",
        act=(click(".ui-datepicker-next"),),
        true="shown('.ui-datepicker-title') === 'April 2026'",
        key=(said("April"),),
        before=OPEN_CALENDAR,
    ),
    jquery(
        name="choose a day",
        act=(click('.ui-datepicker-calendar >> text="17"'),),
        true="one('#day').value === '03/17/2026'",
        key=(said("03/17/2026"),),
        before=OPEN_CALENDAR,
    ),
    jquery(
        name="choose a speed",
        act=(click("#speed-button"), click("#speed-menu >> text=Fast")),
        true="one('#speed').value === 'Fast'",
        key=(said("Fast"),),
    ),
    jquery(
        name="one more",
        act=(click(".ui-spinner-up"),),
        true="one('#amount').value === '4'",
        key=(state("value", "4", "Amount"), state("valuenow", "4")),
    ),
    jquery(
        name="move the slider",
        act=(press("ArrowRight", "#slider .ui-slider-handle"), press("ArrowRight", "#slider .ui-slider-handle")),
        true="$('#slider').slider('value') === 32",
        key=(said("32"), said("slider"), state("style", "left: 32%;")),
    ),
    jquery(
        name="open the dialog",
        act=(click("#open"),),
        true="shown('.ui-dialog').includes('Move it or close it.')",
        key=(said("Basic dialog"),),
    ),
    jquery(
        name="close the dialog",
        act=(click(".ui-dialog >> role=button[name=Ok]"),),
        true="all('.ui-dialog').length === 0",
        key=(gone("Basic dialog"),),
        before=(click("#open"),),
    ),
    jquery(
        name="check breakfast",
        act=(click("label[for=c1]"),),
        true="one('#c1').checked",
        key=(state("checked", "true", "Breakfast"),),
    ),
    jquery(
        name="drop",
        act=(drag("#drag", "#drop"),),
        true="shown('#drop') === 'Dropped!'",
        key=(said("Dropped!"),),
    ),
    jquery(
        name="sort the list",
        act=(drag("#sort li >> nth=0", "#sort li >> nth=2", targetPosition={"x": 20, "y": 15}),),
        true="shown('#sort') !== 'Item 1 Item 2 Item 3'",
        key=(said("Item 1"), said("reordered"), state("position", "3", "Item 1"), state("position", "2", "Item 1")),
    ),
    select2(
        name="open",
        act=(click("#from + .select2 .select2-selection"),),
        true="shown('.select2-results').includes('Turku')",
        key=(said("Turku"), state("expanded", "true")),
    ),
    select2(
        name="choose",
        act=(click("#from + .select2 .select2-selection"), click('.select2-results >> text="Bari"')),
        true="one('#from').value === 'Bari'",
        key=(said("Bari"),),
    ),
    select2(
        name="search",
        act=(typed(".select2-search--dropdown .select2-search__field", "mal"),),
        true="shown('.select2-results').includes('Malaga') && !shown('.select2-results').includes('Oslo')",
        key=(gone("Oslo"), said("Malaga")),
        before=(click("#from + .select2 .select2-selection"),),
    ),
    select2(
        name="search nothing",
        act=(typed(".select2-search--dropdown .select2-search__field", "zzz"),),
        true="shown('.select2-results').includes('No results found')",
        key=(said("No results found"),),
        before=(click("#from + .select2 .select2-selection"),),
    ),
    select2(
        name="one more person",
        act=(click("#with + .select2 .select2-selection"), click('.select2-results >> text="Cleo"')),
        true="one('#with').selectedOptions.length === 2",
        key=(said("Cleo"),),
    ),
    select2(
        name="take a person away",
        act=(click("#with + .select2 .select2-selection__choice__remove"),),
        true="one('#with').selectedOptions.length === 0",
        key=(gone("Ann"),),
    ),
    select2(
        name="a tag of one's own",
        act=(typed("#tags + .select2 .select2-search__field", "night"), press("Enter")),
        true="[...one('#tags').selectedOptions].some((option) => option.text === 'night')",
        key=(said("night"),),
    ),
    select2(
        name="search far away",
        act=(typed(".select2-search--dropdown .select2-search__field", "ri"),),
        true="shown('.select2-results') === 'Riga'",
        key=(said("Riga"), gone("Rome")),
        before=(click("#far + .select2 .select2-selection"),),
    ),
    select2(
        name="clear",
        act=(click("#class + .select2 .select2-selection__clear"),),
        true="one('#class').value === ''",
        key=(gone("First"), said("Any class")),
        before=(
            click("#class + .select2 .select2-selection"),
            click('.select2-results >> text="First"'),
        ),
    ),
    shoelace(
        name="choose a kind",
        act=(click("#kind"), click("sl-option[value=cargo]")),
        true="one('#kind').value === 'cargo'",
        key=(said("Cargo bike"),),
    ),
    shoelace(
        name="open more",
        act=(click("#more"),),
        true="one('sl-dropdown').open",
        key=(said("Repair"), state("expanded|open", "true")),
    ),
    shoelace(
        name="open the dialog",
        act=(click("#ask"),),
        true="one('#dialog').open",
        key=(said("Question"), state("open", "true")),
    ),
    shoelace(
        name="close the dialog",
        act=(press("Escape"),),
        true="!one('#dialog').open",
        key=(gone("Question"), state("open", "false")),
        before=(click("#ask"),),
    ),
    shoelace(
        name="another tab",
        act=(click("sl-tab[panel=two]"),),
        true="page().includes('All.')",
        key=(said("All."), state("selected|active", "true", "Free")),
    ),
    shoelace(
        name="open the rules",
        act=(click("sl-details"),),
        true="one('sl-details').open",
        key=(said("Wear a helmet."), state("expanded|open", "true")),
    ),
    shoelace(
        name="close the alert",
        act=(click("sl-alert >> role=button"),),
        true="!one('sl-alert').open",
        key=(gone("Two bikes are"),),
    ),
    shoelace(
        name="take the helmet off",
        act=(click("sl-checkbox"),),
        true="!one('sl-checkbox').checked",
        key=(state("checked", "false"),),
    ),
    shoelace(
        name="insure",
        act=(click("sl-switch"),),
        true="one('sl-switch').checked",
        key=(state("checked", "true"),),
    ),
    shoelace(
        name="a small one",
        act=(click("sl-radio[value='1']"),),
        true="one('sl-radio-group').value === '1'",
        key=(state("checked", "true", "Small"),),
    ),
)
