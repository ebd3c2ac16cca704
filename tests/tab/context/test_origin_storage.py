"""The storage of origins: databases with all their values, and what frames keep apart, saved and restored."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.chrome.capabilities import Capabilities
from stillframe.chrome.executable import find_executable
from stillframe.errors import CommandTimeout, OptionInvalid, StorageNotPortable

OPEN = """const opened = (name, version, upgrade) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
});
const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
});
const text = (blob) => {
    const request = new XMLHttpRequest();
    request.open("GET", URL.createObjectURL(blob), false);
    request.send();
    return request.responseText;
};
"""

VALUES = {
    "a JSON value": (
        "{ a: [1, 'x', null, true, { b: 1.5 }] }",
        'JSON.stringify(v) === \'{"a":[1,"x",null,true,{"b":1.5}]}\'',
    ),
    "numbers": (
        "[NaN, Infinity, -Infinity, -0]",
        "[NaN, Infinity, -Infinity, -0].every((n, at) => Object.is(n, v[at]))",
    ),
    "undefined": ("{ a: undefined, b: null }", "'a' in v && v.a === undefined && v.b === null"),
    "a big integer": ("2n ** 70n", "v === 2n ** 70n"),
    "a date": ("new Date(5)", "v instanceof Date && v.getTime() === 5"),
    "an invalid date": ("new Date(NaN)", "v instanceof Date && Number.isNaN(v.getTime())"),
    "an expression": (r"/a\/b/gi", r"v instanceof RegExp && v.source === 'a\\/b' && v.flags === 'gi'"),
    "a map": (
        "new Map([[{ a: 1 }, new Map([[1, 2]])]])",
        "[...v.keys()][0].a === 1 && [...v.values()][0].get(1) === 2",
    ),
    "a set": ("new Set([1, new Date(7)])", "v instanceof Set && v.has(1) && [...v][1].getTime() === 7"),
    "a buffer": ("new Uint8Array([0, 255]).buffer", "v instanceof ArrayBuffer && new Uint8Array(v).join() === '0,255'"),
    "a view": ("new Uint16Array([1, 2, 65535]).subarray(1)", "v instanceof Uint16Array && v.join() === '2,65535'"),
    "big integers": ("new BigInt64Array([-1n])", "v instanceof BigInt64Array && v[0] === -1n"),
    "many bytes": ("new Uint8Array(100000).fill(7)", "v.length === 100000 && v.every((byte) => byte === 7)"),
    "an error": ("new RangeError('no')", "v instanceof RangeError && v.message === 'no'"),
    "a circle": ("(() => { const a = { n: 1n }; a.a = [a]; return a; })()", "v.a[0] === v"),
    "a plain circle": ("(() => { const a = { n: 1 }; a.a = [a]; return a; })()", "v.a[0] === v"),
    "the same twice": ("(() => { const a = {}; return { one: a, two: a }; })()", "v.one === v.two"),
    "a hole": ("[, 1]", "v.length === 2 && v[0] === undefined && v[1] === 1"),
    "half a character": (r"'a\ud800b'", r"v === 'a\ud800b'"),
    "a deep value": (
        "Array.from({ length: 140 }).reduce((inner) => ({ a: inner }), 1n)",
        "Array.from({ length: 140 }).reduce((outer) => outer.a, v) === 1n",
    ),
    "__proto__": ("JSON.parse('{\"__proto__\": 1}')", "Object.hasOwn(v, '__proto__') && v.__proto__ === 1"),
    "__proto__ with others": (
        "JSON.parse('{\"__proto__\": 1}', (k, v) => k ? 1n : v)",
        "Object.hasOwn(v, '__proto__')",
    ),
    "a blob": (
        "[new Blob(['x', new Uint8Array([0])], { type: 'text/x' })]",
        "v[0].type === 'text/x' && v[0].size === 2 && text(v[0]) === 'x\\0'",
    ),
    "a file": (
        "new Map([[1, new File(['y'], 'a.txt', { type: 'text/y', lastModified: 5 })]])",
        "(f => [f.name, f.lastModified, f.type, text(f)].join() === 'a.txt,5,text/y,y')(v.get(1))",
    ),
}
"""Values by their names, each with what tells that it is the same."""

OURS = {
    "a blob",
    "a file",
    "an invalid date",
    "__proto__ with others",
    "a plain circle",
    "half a character",
    "the same twice",
    "a deep value",
}
PLAYWRIGHTS = {name: value for name, value in VALUES.items() if name not in OURS}
"""The values that Playwright keeps as well; a circle of plain objects ends its driver."""
PLAYWRIGHT = """
import sys
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    with playwright.chromium.launch(executable_path={executable!r}, args=["--no-sandbox"]) as browser:
        context = browser.new_context(storage_state={ours!r})
        page = context.new_page()
        page.goto({start!r})
        print(page.evaluate(sys.stdin.read()))
        print(page.local_storage.get_item("a"))
        context.storage_state(path={theirs!r}, indexed_db=True, opfs=True)
"""
"""Playwright loads a state, checks it, and saves its own."""
LIMIT_S = 60.0
"""Seconds for Playwright to start a browser on a busy machine."""

REFUSED = {
    "a value of type ImageData": "new ImageData(1, 1)",
    "a value of type DataView": "new Map([[1, new DataView(new ArrayBuffer(1))]])",
    "a value of type String": "new String('x')",
    "a value deeper than 150 levels": "Array.from({ length: 200 }).reduce((inner) => [inner], 1)",
    "an array with names": "Object.assign([1], { name: 1 })",
    "a CryptoKey that is not extractable": (
        "await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt'])"
    ),
}
"""What no state can keep, by the words of the error."""


async def run(page: Page, script: str) -> Any:
    return await page.evaluate(f"(async () => {{ {OPEN} {script} }})()")


async def filled(context: BrowserContext, url: str, values: str) -> Page:
    """Open a page whose database has a store with these values, an object by keys."""
    page = await context.new_page(url)
    await run(
        page,
        f"""const values = {values};
        window.database = await opened("db", 2, (db) => {{
            const store = db.createObjectStore("values");
            for (const key in values) store.add(values[key], key);
        }});""",
    )
    return page


async def restored(browser: Browser, state: Any, url: str) -> BrowserContext:
    context = await browser.new_context(storage_state=state)
    await context.new_page(url)
    return context


def written(values: dict[str, tuple[str, str]]) -> str:
    return ", ".join(f"{json.dumps(name)}: {value}" for name, (value, _) in values.items())


def wrong(values: dict[str, tuple[str, str]]) -> str:
    """Return the script that lists the values which are not in the database as they were."""
    tests = ", ".join(f"{json.dumps(name)}: (v) => {test}" for name, (_, test) in values.items())
    return f"""(async () => {{
        {OPEN}
        const tests = {{ {tests} }}, wrong = [], db = await opened("db");
        const store = db.transaction("values").objectStore("values");
        for (const name in tests) if (!tests[name](await done(store.get(name)))) wrong.push(name);
        return wrong;
    }})()"""


def databases(state: dict[str, Any]) -> list[dict[str, Any]]:
    [origin] = state["origins"]
    return origin["indexedDB"]


async def test_values_beyond_json_are_restored(browser: Browser, site: Site, tmp_path: Path) -> None:
    start, file = site.html("/start", ""), tmp_path / "state.json"
    async with await browser.new_context() as context:
        await filled(context, start, f"{{ {written(VALUES)} }}")
        state = await context.storage_state(file, indexed_db=True)
    async with await restored(browser, file, start) as context:
        assert await context.pages[0].evaluate(wrong(VALUES)) == []
        assert await context.storage_state(indexed_db=True) == state


@pytest.mark.slow
@pytest.mark.needs("playwright")
async def test_playwright_loads_our_file_and_we_load_its(browser: Browser, site: Site, tmp_path: Path) -> None:
    start, ours, theirs = site.html("/start", ""), tmp_path / "ours.json", tmp_path / "theirs.json"
    site.html("/framing", f"<iframe src='{other(start)}'></iframe>")
    async with await browser.new_context() as context:
        framing = await context.new_page(site.url("/framing"))
        await framing.frames[1].evaluate("localStorage.a = 'of-the-frame'")
        page = await filled(context, start, f"{{ {written(PLAYWRIGHTS)} }}")
        await page.local_storage.set_item("a", "of-the-page")
        await page.evaluate(FILES)
        state = await context.storage_state(ours, indexed_db=True, opfs=True)
    assert "partitionedOrigins" in state
    script = PLAYWRIGHT.format(executable=find_executable().path, ours=str(ours), theirs=str(theirs), start=start)
    command = partial(subprocess.run, capture_output=True, text=True, timeout=LIMIT_S)
    done = await asyncio.to_thread(command, [sys.executable, "-c", script], input=wrong(PLAYWRIGHTS))
    assert (done.returncode, done.stdout.split()) == (0, ["[]", "of-the-page"]), done.stderr
    async with await restored(browser, theirs, start) as context:
        assert await context.pages[0].evaluate(wrong(PLAYWRIGHTS)) == []
        assert await context.pages[0].evaluate(READ_FILE) == [0, 255]


async def test_stores_indexes_and_keys_are_restored(browser: Browser, site: Site) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        page = await context.new_page(start)
        await run(
            page,
            """const db = await opened("", 7, (db) => {
                const own = db.createObjectStore("own", { keyPath: "id", autoIncrement: true });
                own.createIndex("pair", ["a", "b"], { unique: true });
                own.createIndex("tags", "tags", { multiEntry: true });
                own.add({ a: 1, b: 2, tags: ["x", "y"] });
                db.createObjectStore("pairs", { keyPath: ["a", "b"] }).add({ a: new Date(5), b: "t" });
                const keys = db.createObjectStore("keys");
                for (const key of [Infinity, new Date(7), new Uint8Array([1]), "text", [1, ["x"]]]) keys.add("at", key);
            });
            db.close();
            (await opened("empty", 1, () => 0)).close();""",
        )
        state = await context.storage_state(indexed_db=True)
    async with await restored(browser, state, start) as context:
        assert await context.storage_state(indexed_db=True) == state
        found = await run(
            context.pages[0],
            """const names = (await indexedDB.databases()).map(({ name }) => name).sort();
            const db = await opened(""), stores = db.transaction(["own", "keys", "pairs"], "readwrite");
            const own = stores.objectStore("own"), { keyPath, unique } = own.index("pair");
            return {
                version: db.version, keyPath, unique, names,
                next: await done(own.add({})), byTag: (await done(own.index("tags").get("y"))).a,
                keys: await done(stores.objectStore("keys").getAllKeys()),
                pair: (await done(stores.objectStore("pairs").get([new Date(5), "t"]))).b,
            };""",
        )
    keys = found.pop("keys")
    assert found == {
        "version": 7,
        "keyPath": ["a", "b"],
        "unique": True,
        "names": ["", "empty"],
        "next": 2,
        "byTag": 1,
        "pair": "t",
    }
    assert (keys[0], keys[1].timestamp(), *keys[2:]) == (float("inf"), 0.007, "text", b"\1", [1, ["x"]])


async def test_databases_are_in_the_state_only_if_asked_for(browser: Browser, site: Site) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        page = await filled(context, start, "{ a: 1 }")
        assert (await context.storage_state())["origins"] == []
        await page.evaluate("localStorage.a = '1'")
        state = await context.storage_state()
        assert [sorted(origin) for origin in state["origins"]] == [["localStorage", "origin"]]
        assert [database["name"] for database in databases(await context.storage_state(indexed_db=True))] == ["db"]
        await context.set_storage_state(state)
        assert databases(await context.storage_state(indexed_db=True)) == []


async def test_a_database_that_a_page_has_open_is_replaced(browser: Browser, site: Site) -> None:
    start = site.html("/start", "<script>localStorage.a = '1'</script>")
    async with await browser.new_context() as context:
        page = await filled(context, start, "{ old: 1 }")
        state = await context.storage_state(indexed_db=True)
        await page.evaluate("window.ended = new Promise((resolve) => { database.onclose = () => resolve(true); }), 0")
        databases(state)[0]["stores"][0]["records"] = [{"key": "new", "value": 2}]
        await context.set_storage_state(state)
        assert await page.evaluate("ended")
        assert await context.storage_state(indexed_db=True) == state
        await context.set_storage_state({})
        assert await context.storage_state(indexed_db=True) == {"cookies": [], "origins": []}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.every_row
async def test_what_no_state_can_keep_is_refused_with_its_place(
    browser: Browser, site: Site, kind: str, tmp_path: Path
) -> None:
    start, file = site.html("/start", ""), tmp_path / "state.json"
    async with await browser.new_context() as context:
        await filled(context, start, f"{{ 'the key': {{ inner: {REFUSED[kind]} }} }}")
        with pytest.raises(StorageNotPortable, match=f"holds {kind} in its store 'values'") as caught:
            await context.storage_state(file, indexed_db=True)
        error = caught.value
        assert (error.origin, error.database, error.store) == (start.removesuffix("/start"), "db", "values")
        assert (error.key, error.kind) == ('"the key"', kind)
        assert not file.exists()
        assert len(context.pages) == 1
        assert (await context.storage_state())["origins"] == []


def with_store(**store: Any) -> dict[str, Any]:
    plain = {"name": "s", "autoIncrement": False, "indexes": [], "records": []}
    database = {"name": "db", "version": 1, "stores": [plain | store]}
    return {"origins": [{"origin": "http://a.test", "localStorage": [], "indexedDB": [database]}]}


@pytest.mark.parametrize(
    ("store", "words"),
    [
        ({"records": [{"key": 1, "value": 1}, {"key": 1, "value": 2}]}, 'record 1 of the store "s": .*already exists'),
        ({"records": [{"key": {"a": 1}, "value": 1}]}, 'record 0 of the store "s": .*not a valid key'),
        ({"records": [{"key": 1, "valueEncoded": {"zz": 1}}]}, r'record 0 of .* no value is encoded as \["zz"\]'),
        (
            {"records": [{"key": 1, "valueEncoded": {"ta": {"b": "", "k": "i9"}}}]},
            'record 0 of .* no value is encoded as "i9"',
        ),
        ({"records": [{"key": 1, "valueEncoded": {"ab": {"b": "*"}}}]}, "record 0 of .*atob"),
        ({"keyPath": "1 2"}, "its stores: .*keyPath"),
    ],
)
@pytest.mark.every_row
async def test_what_the_browser_does_not_take_is_refused_with_its_place(
    browser: Browser, store: dict[str, Any], words: str
) -> None:
    async with await browser.new_context() as context:
        with pytest.raises(OptionInvalid, match=f'http://a.test: the browser does not take the database "db": {words}'):
            await context.set_storage_state(with_store(**store))
        assert context.pages == []


async def test_a_page_finds_the_databases_before_its_first_script(browser: Browser, site: Site) -> None:
    script = "window.found = indexedDB.databases().then((all) => all.map(({ name }) => name))"
    start = site.html("/start", f"<script>{script}</script>")
    state = with_store()
    state["origins"][0]["origin"] = start.removesuffix("/start")
    async with await restored(browser, state, start) as context:
        assert await context.pages[0].evaluate("found") == ["db"]


async def test_frames_within_other_sites_have_a_storage_of_their_own(browser: Browser, site: Site) -> None:
    """As in Chromium: by the site of the page, and by whether another site is between a frame and its page."""
    inner = site.html("/inner", "<script>if (location.search) localStorage.from = location.search</script>")
    deep = site.html("/deep", f"<iframe src='{inner}?deep'></iframe>")
    frames = [f"{other(inner)}?frame", f"{other(deep)}", f"{inner}?same"]
    top = site.html("/top", "".join(f"<iframe src='{frame}'></iframe>" for frame in frames))
    async with await browser.new_context() as context:
        page = await context.new_page(top)
        await run(page.frames[1], "await opened('db', 1, (db) => db.createObjectStore('s'));")  # type: ignore[arg-type]
        state = await context.storage_state(indexed_db=True)
    own, foreign = top.removesuffix("/top"), other(top).removesuffix("/top")
    assert [found(each) for each in state["origins"]] == [(own, None, "?same", [])]
    assert [found(each) for each in state["partitionedOrigins"]] == [
        (foreign, [own], "?frame", ["db"]),
        (own, [own, foreign], "?deep", []),
    ]
    for name in ("/inner", "/deep"):
        site.html(name, "" if name == "/inner" else f"<iframe src='{inner}'></iframe>")
    site.html("/top", f"<iframe src='{other(inner)}'></iframe><iframe src='{other(deep)}'></iframe>")
    async with await restored(browser, state, top) as context:
        stored = [await frame.evaluate("localStorage.from ?? null") for frame in context.pages[0].frames]
        assert stored == ["?same", "?frame", "?frame", "?deep"]
        assert await context.storage_state(indexed_db=True) == state


FILES = """(async () => {
    const root = await navigator.storage.getDirectory();
    await root.getDirectoryHandle("empty", { create: true });
    const folder = await root.getDirectoryHandle("folder", { create: true });
    const writable = await (await folder.getFileHandle("ü.bin", { create: true })).createWritable();
    await writable.write(new Uint8Array([0, 255]));
    await writable.close();
})()"""
READ_FILE = """(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("folder");
    return [...new Uint8Array(await (await (await folder.getFileHandle("ü.bin")).getFile()).arrayBuffer())];
})()"""


async def test_private_files_are_restored(browser: Browser, site: Site) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        page = await context.new_page(start)
        await page.evaluate(FILES)
        assert (await context.storage_state(indexed_db=True))["origins"] == []
        state = await context.storage_state(opfs=True)
        assert state["origins"][0]["opfs"] == [
            {"path": "empty", "type": "directory"},
            {"path": "folder", "type": "directory"},
            {"path": "folder/ü.bin", "type": "file", "base64": "AP8="},
        ]
    async with await restored(browser, state, start) as context:
        assert await context.pages[0].evaluate(READ_FILE) == [0, 255]
        assert await context.storage_state(opfs=True) == state
        await context.set_storage_state({})
        assert (await context.storage_state(opfs=True))["origins"] == []


async def test_a_file_that_cannot_be_made_is_refused_with_its_path(browser: Browser) -> None:
    origin = {"origin": "https://a.test", "localStorage": [], "opfs": [{"path": "a/..", "type": "directory"}]}
    async with await browser.new_context() as context:
        with pytest.raises(OptionInvalid, match=r'https://a.test: the browser does not take the file "a/\.\.": '):
            await context.set_storage_state({"origins": [origin]})


async def test_a_browser_without_storage_keys_has_one_storage_for_an_origin(browser: Browser, site: Site) -> None:
    """As before Chromium 106; only the commands are those of that time here."""
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        context._state.capabilities = Capabilities(milestone=100)
        await filled(context, start, "{ old: 1 }")
        state = await context.storage_state(indexed_db=True)
        assert [each["name"] for each in databases(state)] == ["db"]
        await context.set_storage_state({})
        assert await context.storage_state(indexed_db=True) == {"cookies": [], "origins": []}


async def test_a_database_that_a_page_is_about_to_change_ends_the_call_in_time(browser: Browser, site: Site) -> None:
    start = site.html("/start", "")
    async with await browser.new_context() as context:
        page = await filled(context, start, "{ a: 1 }")
        await page.evaluate("void indexedDB.open('db', 3)")  # it waits for the connection of the page itself
        with pytest.raises(CommandTimeout, match="storage_state"):
            await context.storage_state(indexed_db=True, timeout_ms=300)
        assert context.pages == [page]
        await page.evaluate("database.close()")
        assert databases(await context.storage_state(indexed_db=True))[0]["version"] == 3


def other(url: str) -> str:
    return url.replace("127.0.0.1", "localhost")


def found(origin: dict[str, Any]) -> tuple[str, list[str] | None, str, list[str]]:
    [item] = origin["localStorage"]
    return origin["origin"], origin.get("ancestors"), item["value"], [each["name"] for each in origin["indexedDB"]]
