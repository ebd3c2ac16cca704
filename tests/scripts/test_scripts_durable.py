"""Actions of a script: durable selectors, fingerprints that fit every document, and no secret."""

from __future__ import annotations

import msgspec
import pytest

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.actions import Click, DragTo, PressKey, SetValue, TypeText, WaitFor
from stillframe.model.secret import Secret, SecretName
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.targets import EPHEMERAL

PASSWORD = "correct horse battery"

MADE_UP = [
    *(":r0:", ":r1a:", "«r3»", "_r_4_", "rc_12", "rc-tabs-0", "radix-:r5:", "headlessui-menu-7", "ember1234"),
    *("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e04f8911d39a0c0305e82c3301", "mat-input-3", "a1b2c3d4e5f6a7"),
    *("el-id-5", "react-select-2-input", "gwt-uid-9", "j_idt45"),
]


@pytest.mark.parametrize("name", MADE_UP)
async def test_t27_made_up_ids_are_never_chosen(page: Page, site: Site, name: str) -> None:
    # Neither a role nor a text, so that only ids, classes and places are left.
    body = f'<p>a</p><main><section><i id="{name}" class="{name}" data-testid="{name}">-</i><i>-</i></section></main>'
    await page.goto(site.html("/ids", body))

    (action,) = await durable_actions(page, [Click(f'[id="{name}"]')])

    assert EPHEMERAL.search(action.action["selector"]) is None
    assert name not in action.action["selector"].replace("\\", "")
    assert await page.locator(action.action["selector"]).attribute("id") == name


@pytest.mark.parametrize("name", ["save", "user-name", "product_42", "src_path", "arc-welder", "decade", "facade"])
def test_t27_ordinary_ids_are_not_taken_for_made_up_ones(name: str) -> None:
    assert EPHEMERAL.search(name) is None


async def test_a_frame_is_known_by_the_numbers_on_its_way(page: Page, site: Site) -> None:
    site.html("/inner", "<iframe></iframe><iframe srcdoc='<button>Buy</button>'></iframe>")
    await page.goto(site.html("/outer", "<button>Buy</button><iframe src='/inner'></iframe>"), settle=True)

    actions = await durable_actions(page, [Click("frame=iframe >> frame=iframe >> nth=1 >> button"), Click("button")])

    assert [action.frame_path for action in actions] == [(0, 1), ()]


async def test_a_ref_becomes_what_a_user_reads(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", "<button id=a>Save</button><iframe srcdoc='<button>Inner</button>'></iframe>"))
    text = await page.aria_snapshot()
    refs = {line.split('"')[1]: line.split("[ref=")[1].rstrip("]") for line in text.text.splitlines() if '"' in line}

    save, inner = await durable_actions(page, [Click(f"ref={refs['Save']}"), Click(f"ref={refs['Inner']}")])

    assert save.action == {"action": "click_element", "selector": 'role=button[name="Save"]'}
    assert save.target == 'button "Save"'
    assert save.fingerprint is not None
    assert save.fingerprint["loader"] == ""
    assert inner.action["selector"].startswith("frame=")
    assert await page.locator(inner.action["selector"]).text() == "Inner"


async def test_an_element_that_is_missing_keeps_its_selector(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", "<p>nothing"))

    later, again, key, wait = await durable_actions(
        page, [Click("#later"), Click("p, body"), PressKey("Enter"), WaitFor("text=Done")]
    )

    assert later.action == {"action": "click_element", "selector": "#later"}
    assert (later.fingerprint, later.target) == (None, "")
    assert again.fingerprint is None
    assert key.action == {"action": "press_key", "key": "Enter"}
    assert wait.action == {"action": "wait_for", "selector": "text=Done"}


async def test_both_ends_of_a_drag_are_known(page: Page, site: Site) -> None:
    await page.goto(site.html("/page", "<button>Card</button><button>Bin</button>"))

    (drag,) = await durable_actions(page, [DragTo("text=Card", "text=Bin")])

    assert drag.target == 'button "Card"'
    assert drag.drop is not None
    assert drag.drop.target == 'button "Bin"'


async def test_equal_elements_are_known_by_their_rows(page: Page, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td><span><button>Edit</button></span>" for name in ("Ann Lee", "Bob Ray"))
    await page.goto(site.html("/page", f"<table>{rows}</table>"))

    (action,) = await durable_actions(page, [Click("button >> nth=1")])

    assert action.row.split() == ["Bob", "Ray", "Edit"]
    assert 'button "Edit", in: Ann Lee Edit' in action.others


async def test_secrets_have_names_only(browser: Browser, site: Site) -> None:
    body = f'<label>Code<input id=a></label><input id=b type=password aria-label="Your PIN"><b>{PASSWORD}</b>'
    context = await browser.new_context(secrets={"login": PASSWORD})
    async with context, await context.new_page() as page:
        await page.goto(site.html("/page", body))
        actions = [
            SetValue("#a", SecretName("login")),
            SetValue("#a", Secret(PASSWORD)),
            TypeText("#a", PASSWORD),
            SetValue("#b", "typed in the clear"),
            SetValue("#a", Secret("another secret")),
            Click(f'text="{PASSWORD}"'),
        ]
        kept = await durable_actions(page, actions)

    names = [each.action.get("value", each.action.get("text")) for each in kept[:5]]
    assert [name["secretName"] for name in names] == ["login", "login", "login", "your_pin", "code"]
    written = msgspec.json.encode(kept).decode()
    assert not any(text in written for text in (PASSWORD, "in the clear", "another secret"))


async def test_a_page_that_is_gone_raises_nothing(browser: Browser) -> None:
    page = await browser.new_page()
    await page.close()

    (action,) = await durable_actions(page, [Click("#a")])

    assert action.action["selector"] == "#a"
