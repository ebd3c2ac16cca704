"""The table of roles, as the page's twin gets it."""

from stillframe._core import aria_roles

FACTS = {"content", "prohibited", "leaf", "control"}
ABSTRACT = [
    "command",
    "composite",
    "input",
    "landmark",
    "range",
    "roletype",
    "section",
    "select",
    "structure",
    "widget",
]


def test_each_role_has_every_fact() -> None:
    for word, facts in aria_roles().items():
        assert facts.keys() - {"synonym"} == FACTS, word
        assert all(isinstance(facts[fact], bool) for fact in FACTS)


def test_facts_of_some_roles() -> None:
    table = aria_roles()
    assert table["button"] == {"content": True, "prohibited": False, "leaf": True, "control": True}
    assert table["paragraph"] == {"content": False, "prohibited": True, "leaf": False, "control": False}
    assert (table["listbox"]["control"], table["listbox"]["leaf"]) == (True, False)


def test_synonyms_have_the_facts_of_the_word_to_use() -> None:
    table = aria_roles()
    pairs = {word: facts["synonym"] for word, facts in table.items() if "synonym" in facts}
    assert pairs == {"directory": "list", "image": "img", "presentation": "none"}
    for word, same in pairs.items():
        assert isinstance(same, str)
        assert table[word] == table[same] | {"synonym": same}


def test_abstract_roles_are_none() -> None:
    assert not set(ABSTRACT) & aria_roles().keys()
