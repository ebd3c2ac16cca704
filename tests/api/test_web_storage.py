"""`page.local_storage` and `page.session_storage`: the items of the page's origin."""

from __future__ import annotations

from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import EvaluationFailed, OptionInvalid


@pytest.mark.parametrize("kind", ["local_storage", "session_storage"])
@pytest.mark.every_row
async def test_items_are_read_and_written(page: Page, site: Site, kind: str) -> None:
    await page.goto(site.html("/start", ""))
    storage = getattr(page, kind)
    script = "localStorage" if kind == "local_storage" else "sessionStorage"
    assert await storage.items() == []
    await storage.set_item("a", "1")
    await storage.set_item("a", '"ü"')
    await page.evaluate(f"{script}.setItem('getItem', '')")
    assert await page.evaluate(f"{script}.a") == '"ü"'
    assert await storage.get_item("a") == '"ü"'
    assert await storage.get_item("getItem") == ""
    assert await storage.get_item("b") is None
    assert sorted(item["name"] for item in await storage.items()) == ["a", "getItem"]
    await storage.remove_item("a")
    await storage.remove_item("none")
    assert await storage.items() == [{"name": "getItem", "value": ""}]
    await storage.clear()
    assert await page.evaluate(f"{script}.length") == 0


async def test_the_two_are_apart_and_half_a_character_survives(page: Page, site: Site) -> None:
    await page.goto(site.html("/start", ""))
    await page.session_storage.set_item("\udc00", "a\ud800b")
    assert await page.local_storage.items() == []
    assert await page.session_storage.items() == [{"name": "\udc00", "value": "a\ud800b"}]
    assert await page.evaluate(r"sessionStorage.getItem('\udc00') === 'a\ud800b'")


async def test_a_page_that_has_replaced_its_storage_is_not_asked(page: Page, site: Site) -> None:
    await page.goto(
        site.html("/start", "<script>Storage.prototype.getItem = () => 'wrong'; JSON.parse = null</script>")
    )
    await page.local_storage.set_item("a", "1")
    assert await page.local_storage.get_item("a") == "1"


@pytest.mark.parametrize(("arguments", "option"), [(("a", 1), "value"), ((None, "1"), "name"), (("a", b"1"), "value")])
async def test_what_is_not_text_is_refused(page: Page, arguments: tuple[Any, Any], option: str) -> None:
    with pytest.raises(OptionInvalid, match=f"option {option}: a storage keeps texts") as caught:
        await page.local_storage.set_item(*arguments)
    assert caught.value.option == option


async def test_a_document_without_a_storage_and_a_full_one_say_so(page: Page, site: Site) -> None:
    await page.goto("data:text/html,<p>no origin")
    with pytest.raises(EvaluationFailed, match="SecurityError"):
        await page.local_storage.items()
    await page.goto(site.html("/start", ""))
    with pytest.raises(EvaluationFailed, match="QuotaExceededError"):
        await page.local_storage.set_item("a", "x" * 6_000_000)
    assert await page.local_storage.items() == []
