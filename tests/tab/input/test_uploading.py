"""Files and folders: what an input takes, and buttons that ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acting import perform
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ElementUnsuitable
from stillframe.model.actions import UploadFile
from stillframe.tab.input.attempt import Attempt

NAMES = "Array.from(f.files, (file) => file.webkitRelativePath || file.name).sort()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, a folder in it with another, and an empty one beside it."""
    inner = tmp_path / "folder" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "folder" / "a.txt").write_text("a")
    (inner / "b.txt").write_text("b")
    (tmp_path / "empty").mkdir()
    return tmp_path / "folder"


@pytest.mark.parametrize(
    ("attributes", "paths", "words"),
    [
        ("", ["folder"], "takes files, not a folder"),
        ("multiple", ["folder", "folder/a.txt"], "takes files, not a folder"),
        ("", ["folder/a.txt", "folder/inner/b.txt"], "takes one file, not several"),
        ("webkitdirectory", ["folder/a.txt"], "takes one folder, not files"),
        ("webkitdirectory multiple", ["folder/a.txt", "folder/inner/b.txt"], "takes one folder, not files"),
        ("webkitdirectory", ["folder", "empty"], "takes one folder, not files"),
    ],
)
@pytest.mark.parametrize("selector", ["#f", "#label", "#button"])
async def test_what_an_input_refuses(
    page: Page, site: Site, folder: Path, attributes: str, paths: list[str], words: str, selector: str
) -> None:
    await page.goto(
        site.html(
            "/case",
            f"<input type=file id=f {attributes}><label for=f id=label>file</label>"
            "<button id=button onclick='f.click()'>file</button>",
        )
    )
    with pytest.raises(ElementUnsuitable, match=words):
        await perform(Attempt(page._tab), UploadFile(selector, tuple(str(folder.parent / path) for path in paths)))
    assert await page.evaluate("f.files.length") == 0


async def test_a_folder_goes_into_an_input_for_folders(page: Page, site: Site, folder: Path) -> None:
    await page.goto(site.html("/case", "<input type=file id=f webkitdirectory onchange='window.changed = true'>"))
    await perform(Attempt(page._tab), UploadFile("#f", str(folder)))
    assert await page.evaluate(NAMES) == ["folder/a.txt", "folder/inner/b.txt"]
    assert await page.evaluate("changed")
    await perform(Attempt(page._tab), UploadFile("#f", str(folder.parent / "empty")))


BUTTONS = [
    "<input type=file id=f hidden multiple><button id=x onclick='f.click()'><b>Choose</b></button>",
    "<input type=file id=f hidden multiple><div id=x onclick='setTimeout(() => f.showPicker(), 200)'>Choose</div>",
    "<label id=x>Choose<input type=file id=f style='display: none' multiple></label>",
    "<label><b id=x>Choose</b><input type=file id=f style='opacity: 0' multiple></label>",
    "<input type=file id=f hidden multiple accept='image/png'><a href=# id=x onclick='f.click(); return false'>Add</a>",
    "<button id=x onclick='f.click()'>Choose</button><script>f = document.createElement('input'); f.type = 'file';"
    "f.multiple = true</script>",
]


@pytest.mark.parametrize("body", BUTTONS)
async def test_files_go_through_what_asks_for_them(page: Page, site: Site, folder: Path, body: str) -> None:
    await page.goto(site.html("/case", body))
    await page.evaluate("f.onchange = () => { window.changed = true }, 0")
    await perform(Attempt(page._tab), UploadFile("#x", (str(folder / "a.txt"), str(folder / "inner" / "b.txt"))))
    assert await page.evaluate(NAMES) == ["a.txt", "b.txt"]
    assert await page.evaluate("changed")


async def test_a_button_in_a_frame(page: Page, site: Site, folder: Path) -> None:
    site.html("/inner", "<input type=file id=f hidden><button id=x onclick='f.click()'>Choose</button>")
    await page.goto(site.html("/case", f"<iframe src='{site.url('/inner', host='localhost')}'></iframe>"))
    await perform(Attempt(page._tab), UploadFile("frame=iframe >> #x", str(folder / "a.txt")))
    assert await list(page._tab.frames)[1].evaluate("document.querySelector('#f').files[0].name") == "a.txt"


async def test_a_button_that_asks_for_no_file(page: Page, site: Site, folder: Path) -> None:
    await page.goto(site.html("/case", "<button id=x>Choose</button>"))
    with pytest.raises(ElementUnsuitable, match="opened no file dialog"):
        await perform(Attempt(page._tab), UploadFile("#x", str(folder / "a.txt")))
