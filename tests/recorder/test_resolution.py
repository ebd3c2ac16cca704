"""Drafts become actions with selectors; secrets become names; what was never known becomes nothing."""

from __future__ import annotations

from stillframe.core import Redactor
from stillframe.recorder.drafts import Draft
from stillframe.recorder.events import Element
from stillframe.recorder.identification import Identification
from stillframe.recorder.recorder import SecretNames, resolved
from stillframe.scripts.durable import Known
from stillframe.scripts.script import ScriptTarget

FIELD, BUTTON, NOBODY = (Element("F", "L", number) for number in (1, 2, 3))
KNOWN = {
    FIELD: Known("#pass", ScriptTarget(target='textbox "Password"', selectors=("[name=pass]",))),
    BUTTON: Known("#go", ScriptTarget(target='button "Go"')),
}


class Table(Identification):
    """Knows the elements of a table."""

    def __init__(self) -> None:
        pass

    async def known(self, element: Element) -> Known | None:
        return KNOWN.get(element)


async def actions(draft: Draft, *secrets: str) -> list[dict[str, object]]:
    return [step.action for step in await resolved(draft, Table(), Redactor(secrets), SecretNames())]


async def test_an_action_has_the_selector_of_its_element_and_what_identifies_it() -> None:
    (step,) = await resolved(
        Draft(action="set_value", element=FIELD, fields={"value": "ann"}), Table(), Redactor(), SecretNames()
    )
    assert step.action == {"action": "set_value", "selector": "#pass", "value": "ann"}
    assert (step.target, step.selectors) == ('textbox "Password"', ("[name=pass]",))


async def test_a_hidden_value_and_a_value_with_a_secret_become_names() -> None:
    named = {"action": "set_value", "selector": "#pass", "value": {"secretName": "password"}}
    hidden = Draft(action="set_value", element=FIELD, fields={"value": ""}, secret=("F", "L", 1))
    typed = Draft(action="set_value", element=FIELD, fields={"value": "my lantern"})
    assert await actions(hidden) == [named]
    assert await actions(typed, "lantern") == [named]


def test_two_secrets_never_have_one_name() -> None:
    names = SecretNames()
    first, second, third = ("F", "L", 1), ("F", "L", 2), ("F", "another document", 1)
    named = [names.name_of(secret, 'textbox "Password"') for secret in (first, second, first, third, "typed", second)]
    assert named == ["password", "password_2", "password", "password_3", "password_4", "password_2"]
    assert names.name_of("one", "textbox") == "textbox"


async def test_hovers_come_first_and_what_is_expected_last() -> None:
    draft = Draft(action="click_element", element=BUTTON, hovers=(FIELD, NOBODY), expect={"text": "Done"})
    assert await actions(draft) == [
        {"action": "hover", "selector": "#pass"},
        {"action": "click_element", "selector": "#go"},
        {"action": "wait_for", "text": "Done"},
    ]


async def test_a_drag_has_two_elements() -> None:
    (step,) = await resolved(Draft(action="drag_to", element=FIELD, target=BUTTON), Table(), Redactor(), SecretNames())
    assert (step.action["selector"], step.action["target"]) == ("#pass", "#go")
    assert step.drop == KNOWN[BUTTON].target


async def test_an_unknown_element_makes_no_action() -> None:
    assert await actions(Draft(action="click_element", element=NOBODY, expect={"text": "x"})) == []
    assert await actions(Draft(action="drag_to", element=FIELD, target=NOBODY)) == []


async def test_an_action_on_the_page_needs_no_element() -> None:
    assert await actions(Draft(action="go_back")) == [{"action": "go_back"}]
