"""Flows on component libraries of React: Mantine, React Aria with dnd kit."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, click, drag, fill, keys, press, typed

mantine = partial(Flow, "mantine", path="/", ready="table tbody tr")
aria = partial(Flow, "react-aria", path="/", ready="[role=grid]")
JOBS = (click("role=tab[name=Jobs]"),)

FLOWS = (
    mantine(
        name="save without a name",
        act=(click("#save"),),
        true="page().includes('A name is needed')",
        key=(said("A name is needed"),),
    ),
    mantine(
        name="save",
        act=(fill("label=Name", "Ann"), click("#save")),
        true="shown('#told') === 'Saved Ann'",
        key=(said("Saved Ann"),),
    ),
    mantine(
        name="choose a floor",
        act=(click("label=Floor"), click("role=option[name=Attic]")),
        true="all('input').some((input) => input.value === 'Attic')",
        key=(said("Attic"),),
    ),
    mantine(
        name="one more day",
        act=(click("label=Days"), click("role=option[name=Friday]"), press("Escape")),
        true="shown('.mantine-MultiSelect-pill').includes('Friday')",
        key=(said("Friday"),),
    ),
    mantine(
        name="streets with a letter",
        act=(typed("label=Street", "mill"),),
        true="all('[role=option]').length === 1",
        key=(said("Mill Lane"),),
    ),
    mantine(
        name="two tags",
        act=(typed("label=Tags", "quiet"), press("Enter"), keys("sunny"), press("Enter")),
        true="all('.mantine-TagsInput-pill').length === 2",
        key=(said("sunny"),),
    ),
    mantine(
        name="pick a day",
        act=(click("text=Pick a day"), click("role=button[name='17 March 2026']")),
        true="page().includes('March 17, 2026')",
        key=(said("March 17, 2026"),),
    ),
    mantine(
        name="the code",
        act=(click(".mantine-PinInput-input >> nth=0"), keys("4071")),
        true="shown('#told') === 'The code is 4071'",
        key=(said("The code is"),),
    ),
    mantine(
        name="by weeks",
        act=(click(".mantine-SegmentedControl-root >> text=Week"),),
        true="one('input[value=Week]').checked",
        key=(state("checked", "true", "Week"),),
    ),
    mantine(
        name="four stars",
        act=(check("#rating input[value='4']"),),
        true="one('#rating input[value=\"4\"]').checked",
        key=(state("checked", "true"),),
    ),
    mantine(
        name="remove is asked",
        act=(click("role=button[name=More]"), click("role=menuitem[name=Remove]")),
        true="shown('.mantine-Modal-content').includes('It cannot be brought back.')",
        key=(said("Remove the office"), said("It cannot be brought back.")),
    ),
    mantine(
        name="remove",
        act=(click("role=button[name='Remove it']"),),
        true="shown('#told') === 'Removed' && all('.mantine-Modal-content').length === 0",
        key=(said("Removed"), gone("Remove the office")),
        before=(click("role=button[name=More]"), click("role=menuitem[name=Remove]")),
    ),
    mantine(
        name="open the help",
        act=(click("#help"),),
        true="page().includes('Ask the porter.')",
        key=(said("Ask the porter."),),
    ),
    mantine(
        name="next step",
        act=(click("#next"),),
        true="page().includes('Wait for the order.')",
        key=(said("Wait for the order."),),
    ),
    mantine(
        name="open the rules",
        act=(click("role=button[name=Rules]"),),
        true="page().includes('Lock the door at night.')",
        key=(said("Lock the door at night."), state("expanded", "true", "Rules")),
    ),
    mantine(
        name="third page",
        act=(click("#people >> role=button[name='3']"),),
        true="shown('#people tbody tr').startsWith('Person 10')",
        key=(said("Person 10"),),
    ),
    aria(
        name="take a tool",
        act=(click("#tools"), click("role=menuitem[name=Rake]")),
        true="shown('#told') === 'Took the rake'",
        key=(said("Took the rake"),),
    ),
    aria(
        name="choose a soil",
        act=(click("#soil"), click("role=option[name=Loam]")),
        true="shown('#told') === 'Soil is Loam'",
        key=(said("Soil is Loam"),),
    ),
    aria(
        name="plants with a letter",
        act=(typed("role=combobox[name=Plant]", "be"),),
        true="all('[role=option]').length === 1",
        key=(said("Beet"),),
    ),
    aria(
        name="choose a plant",
        act=(typed("role=combobox[name=Plant]", "le"), press("ArrowDown"), press("Enter")),
        true="one('[role=combobox]').value === 'Leek'",
        key=(said("Leek"),),
    ),
    aria(
        name="one more row",
        act=(click("role=button[name*=Increase]"),),
        true="one('[aria-roledescription=\"Number field\"]').value === '4'",
        key=(state("value", "4", "Rows"),),
    ),
    aria(
        name="open the days",
        act=(click("role=button >> text=Pick"),),
        true="one('[role=dialog] [role=grid]') !== null",
        key=(said("S M T W T F S"),),
    ),
    aria(
        name="type a date",
        act=(click("role=spinbutton >> nth=0"), keys("03172026")),
        true="shown('[role=spinbutton]').replaceAll(' | ', '/') === '3/17/2026'",
        key=(said("17"), said("2026")),
    ),
    aria(
        name="take a tag away",
        act=(click("role=button[name*='Remove Sun']"),),
        true="!page().includes('Sun')",
        key=(gone("Sun"),),
    ),
    aria(
        name="plan",
        act=(click("#plan"), fill("label=Who", "Ann"), click("role=button[name='Plan it']")),
        true="shown('#told') === 'Planned by Ann'",
        key=(said("Planned by Ann"),),
    ),
    aria(
        name="plan without a name",
        act=(click("role=button[name='Plan it']"),),
        true="page().includes('Please fill out this field')",
        key=(said("Please fill out this field"),),
        before=(click("#plan"),),
    ),
    aria(
        name="open the compost",
        act=(click("role=button[name=Compost]"),),
        true="all('[aria-expanded=true]').some((button) => button.innerText === 'Compost')",
        key=(said("Turn it in spring."), state("expanded", "true", "Compost")),
    ),
    aria(
        name="switch the sprinkler on",
        act=(check("role=switch[name=Sprinkler]"),),
        true="one('[role=switch]').checked",
        key=(state("checked", "true", "Sprinkler"),),
    ),
    aria(
        name="sort by height",
        act=(click("role=columnheader[name*=Height]"),),
        true="shown('tbody tr').startsWith('Basil')",
        key=(state("sort", "ascending", "Height"), said("Basil")),
        before=(click("role=columnheader[name*=Name]"),),
    ),
    aria(
        name="choose two beds",
        act=(click("role=row[name*=Beet]"), click("role=row[name*=Dill]")),
        true="all('[role=row][aria-selected=true]').length === 2",
        key=(state("selected", "true", "Dill"), state("selected", "true", "Beet")),
    ),
    aria(
        name="move a job with the mouse",
        act=(drag('#jobs >> text="Dig"', '#jobs >> text="Water"'),),
        true="shown('#jobs li') === 'Sow | Water | Dig | Weed'",
        key=(said("Dig"), state("position", "3", "Dig"), said("reordered")),
        before=JOBS,
    ),
    aria(
        name="move a job with the keyboard",
        act=(press("Space", '#jobs >> text="Sow"'), press("ArrowDown"), press("Space")),
        true="shown('#jobs li') === 'Dig | Water | Sow | Weed'",
        key=(said("Sow"), state("position", "3", "Sow"), said("reordered")),
        before=JOBS,
    ),
)
