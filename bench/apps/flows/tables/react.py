"""Flows on React: TodoMVC, Ant Design, Material UI."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, gone, said, state
from bench.doing import check, click, double_click, fill, press, typed

todo = partial(Flow, "todomvc-react", path="/", ready=".todo-list li")
antd = partial(Flow, "ant-design", path="/", ready=".ant-table-row")
mui = partial(Flow, "mui", path="/", ready="table")

FLOWS = (
    todo(
        name="add",
        act=(typed(".new-todo", "Feed the cat"), press("Enter")),
        true="all('.todo-list li').length === 3",
        key=(said("Feed the cat"),),
    ),
    todo(
        name="complete",
        act=(check(".todo-list li:first-child .toggle"),),
        true="one('.todo-list li:first-child .toggle').checked",
        key=(state("checked", "true"), said("0 items left"), said("0")),
    ),
    todo(
        name="only the completed",
        act=(click("text=Completed >> nth=0"),),
        true="shown('.todo-list') === 'Pay rent'",
        key=(gone("Water the plants"),),
    ),
    todo(
        name="clear the completed",
        act=(click("text=Clear completed"),),
        true="shown('.todo-list') === 'Water the plants'",
        key=(gone("Pay rent"),),
    ),
    todo(
        name="edit",
        act=(
            double_click(".todo-list li:first-child label"),
            press("Control+a"),
            typed("input.edit", "Water the garden"),
            press("Enter"),
        ),
        true="shown('.todo-list').includes('Water the garden')",
        key=(said("Water the garden"),),
    ),
    todo(
        name="complete all",
        act=(click("label[for=toggle-all]"),),
        true="shown('.todo-count').startsWith('0')",
        key=(state("checked", "true"), said("0")),
    ),
    antd(
        name="open the cities",
        act=(click("#city"),),
        true="shown('.ant-select-dropdown').includes('Malaga')",
        key=(said("Malaga"), state("expanded", "true")),
    ),
    antd(
        name="choose a city",
        act=(click("#city"), click('.ant-select-dropdown >> .ant-select-item-option >> has-text="Turku"')),
        true="shown('.ant-form').includes('Turku')",
        key=(said("Turku"),),
    ),
    antd(
        name="open the dialog",
        act=(click("#open-modal"),),
        true="shown('.ant-modal').includes('Invite')",
        key=(said("Invite"),),
    ),
    antd(
        name="close the dialog",
        act=(click(".ant-modal >> role=button[name=Cancel]"),),
        true="all('.ant-modal').length === 0",
        key=(gone("Invite"),),
        before=(click("#open-modal"),),
    ),
    antd(
        name="open the drawer",
        act=(click("#open-drawer"),),
        true="shown('.ant-drawer').includes('Settings')",
        key=(said("Settings"),),
    ),
    antd(
        name="sort by age, downwards",
        act=(click(".ant-table-thead th >> has-text='Age'"),),
        true="shown('.ant-table-tbody .ant-table-row').startsWith('Person 23')",
        key=(state("sort", "descending", "Age"), said("Person 23")),
        before=(click(".ant-table-thead th >> has-text='Age'"),),
    ),
    antd(
        name="next page of the table",
        act=(click(".ant-table-pagination .ant-pagination-item-2"),),
        true="shown('.ant-table-tbody .ant-table-row').startsWith('Person 5')",
        key=(said("Person 5"),),
    ),
    antd(
        name="filter by city",
        act=(
            click(".ant-table-filter-trigger"),
            click('.ant-table-filter-dropdown >> text="Bari"'),
            click(".ant-table-filter-dropdown .ant-btn-primary"),
        ),
        true="shown('.ant-table-tbody .ant-table-row').startsWith('Person 1')",
        key=(said("Person 9"), gone("Person 0")),
    ),
    antd(
        name="select all rows",
        act=(click(".ant-table-thead .ant-checkbox-input"),),
        true="all('.ant-table-tbody .ant-checkbox-input').every((box) => box.checked)",
        key=(state("checked", "true"),),
    ),
    antd(
        name="delete is asked",
        act=(click(".ant-table-row >> nth=0 >> text=Delete"),),
        true="shown('.ant-popover').includes('Sure?')",
        key=(said("Sure?"),),
    ),
    antd(
        name="switch",
        act=(click("#mail"),),
        true="one('#mail').getAttribute('aria-checked') === 'true'",
        key=(state("checked", "true", "Mail"),),
    ),
    antd(
        name="another tab",
        act=(click("role=tab[name=Two]"),),
        true="page().includes('Second')",
        key=(said("Second"), state("selected", "true", "Two")),
    ),
    antd(
        name="open details",
        act=(click(".ant-collapse-header"),),
        true="page().includes('More.')",
        key=(said("More."), state("expanded", "true", "Details")),
    ),
    antd(
        name="close the alert",
        act=(click(".ant-alert >> role=button"),),
        true="all('.ant-alert').length === 0",
        key=(gone("Two people are new"),),
    ),
    antd(
        name="week",
        act=(click(".ant-segmented >> text=Week"),),
        true="shown('.ant-segmented-item-selected') === 'Week'",
        key=(state("checked|selected", "true", "Week"),),
    ),
    mui(
        name="open the menu",
        act=(click("#account"),),
        true="shown('[role=menu]').includes('Log out')",
        key=(said("Profile"),),
    ),
    mui(
        name="close the menu",
        act=(press("Escape"),),
        true="all('[role=menu]').length === 0",
        key=(gone("Profile"),),
        before=(click("#account"),),
    ),
    mui(
        name="choose a genre",
        act=(click("#genre"), click("role=option[name=Comedy]")),
        true="shown('#genre') === 'Comedy'",
        key=(said("Comedy"),),
    ),
    mui(
        name="films with a letter",
        act=(typed("#film", "du"),),
        true="shown('[role=listbox]') === 'Dune'",
        key=(said("Dune"),),
    ),
    mui(
        name="choose a film",
        act=(typed("#film", "fa"), press("ArrowDown"), press("Enter")),
        true="one('#film').value === 'Fargo'",
        key=(said("Fargo"),),
    ),
    mui(
        name="open the dialog",
        act=(click("#open"),),
        true="shown('[role=dialog]').includes('Lend a film')",
        key=(said("Lend a film"),),
    ),
    mui(
        name="close the dialog",
        act=(click("role=dialog >> text=Cancel"),),
        true="all('[role=dialog]').length === 0",
        key=(gone("Lend a film"),),
        before=(click("#open"),),
    ),
    mui(
        name="notify",
        act=(click("#notify"),),
        true="page().includes('Noted')",
        key=(said("Noted"),),
    ),
    mui(
        name="another tab",
        act=(click("role=tab[name=Grid]"),),
        true="/grid/i.test(one('[role=tab][aria-selected=true]').innerText)",
        key=(state("selected", "true", "Grid"),),
    ),
    mui(
        name="open the credits",
        act=(click("text=Credits"),),
        true="page().includes('Everyone.')",
        key=(said("Everyone."), state("expanded", "true", "Credits")),
    ),
    mui(
        name="take the colour out",
        act=(click("role=checkbox[name='In colour']"),),
        true="!all('input[type=checkbox]')[0]?.checked && !one('input[type=checkbox]').checked",
        key=(state("checked", "false", "In colour"),),
    ),
    mui(
        name="stereo",
        act=(check("role=radio[name=Stereo]"),),
        true="one('input[value=Stereo]').checked",
        key=(state("checked", "true", "Stereo"),),
    ),
    mui(
        name="a film without a title",
        act=(fill("role=spinbutton[name*=Year]", "1920"),),
        true="one('input[type=number]').value === '1920'",
        key=(state("value", "1920", "Year"),),
    ),
)
