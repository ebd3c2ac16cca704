"""Waits, events, dialogs, downloads, popups and navigations."""

from bench.lines.case import RAISES, Case

LINK = "<a id=go href=/other>go</a><a id=top href='#top'>top</a><a id=new href=/other target=_blank>new</a>"
DIALOG = """<button id=a onclick="document.title = alert('hello')">a</button><button id=c onclick="document.title = confirm('sure')">c</button>
<button id=p onclick="document.title = prompt('who', 'me')">p</button>"""
LATER = "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>late</p>'), 200)</script><p id=now>now</p>"
LOG = """<button id=b onclick="console.log('one', 2)">log</button><button id=w onclick="console.warn('careful')">warn</button>
<button id=e onclick="setTimeout(() => { throw new Error('broken') })">error</button>"""
SAVE = "<a id=d href='/file' download='f.txt'>save</a>"

ROWS = (
    Case("(await page.goto(site + '/other')).status", 200),
    Case("(await page.goto(site + '/other')).url.removeprefix(site)", "/other"),
    Case("(await page.goto(site + '/none')).status", 404),
    Case("(await page.goto(site + '/other')).ok", True),
    Case("await (await page.goto(site + '/data')).json()", {"n": [1, 2]}),
    Case("await page.goto('http://127.0.0.1:9/')", RAISES),
    Case("await page.goto('no url')", RAISES),
    Case("await page.goto(site + '/other')\nawait page.go_back()\nawait page.title()", "page"),
    Case(
        "await page.goto(site + '/other')\nawait page.go_back()\nawait page.go_forward()\nawait page.title()", "other"
    ),
    Case(
        "await page.evaluate('window.x = 1')\nawait page.reload()\nawait page.evaluate('window.x === undefined')", True
    ),
    Case("await page.click('#go')\nawait page.wait_for_url('**/other')\nawait page.title()", "other", LINK),
    Case("await page.click('#go')\nawait page.wait_for_url(re.compile('other$'))\nawait page.title()", "other", LINK),
    Case(
        "await page.click('#go')\nawait page.wait_for_url(lambda url: url.endswith('other'))\nawait page.title()",
        "other",
        LINK,
    ),
    Case("await page.click('#top')\nawait page.wait_for_url('**/page#top')\npage.url.endswith('#top')", True, LINK),
    Case(
        "async with page.expect_navigation() as came:\n    await page.evaluate('location.href = \"/other\"')\n(await came.value).status",
        200,
    ),
    Case(
        "await page.wait_for_load_state()\nawait page.wait_for_load_state('domcontentloaded')\nawait page.evaluate('document.readyState')",
        "complete",
    ),
    Case("await page.wait_for_selector('#late')\nawait page.inner_text('#late')", "late", LATER),
    Case("await page.locator('#late').wait_for()\nawait page.inner_text('#late')", "late", LATER),
    Case("await page.locator('#now').wait_for(state='attached')\nawait page.locator('#now').count()", 1, LATER),
    Case(
        "await page.evaluate('setTimeout(() => now.remove(), 100), 1')\nawait page.locator('#now').wait_for(state='detached')\nawait page.locator('#now').count()",
        0,
        LATER,
    ),
    Case(
        "await page.evaluate('setTimeout(() => { now.hidden = true }, 100), 1')\nawait page.locator('#now').wait_for(state='hidden')\nawait page.is_visible('#now')",
        False,
        LATER,
    ),
    Case("await page.locator('#late').inner_text()", "late", LATER),
    Case(
        "said = []\npage.on('dialog', lambda d: (said.append((d.type, d.message)), asyncio.ensure_future(d.accept()))[0])\nawait page.click('#a')\nsaid",
        [("alert", "hello")],
        DIALOG,
    ),
    Case(
        "page.on('dialog', lambda d: asyncio.ensure_future(d.accept()))\nawait page.click('#c')\nawait page.title()",
        "true",
        DIALOG,
    ),
    Case(
        "page.on('dialog', lambda d: asyncio.ensure_future(d.dismiss()))\nawait page.click('#c')\nawait page.title()",
        "false",
        DIALOG,
    ),
    Case(
        "page.on('dialog', lambda d: asyncio.ensure_future(d.accept('you')))\nawait page.click('#p')\nawait page.title()",
        "you",
        DIALOG,
    ),
    Case(
        "asked = []\npage.on('dialog', lambda d: (asked.append(d.default_value), asyncio.ensure_future(d.accept()))[0])\nawait page.click('#p')\nasked",
        ["me"],
        DIALOG,
    ),
    Case(
        "async with page.expect_event('dialog') as came:\n    await page.evaluate('setTimeout(() => alert(1)), 1')\ndialog = await came.value\nawait dialog.accept()\ndialog.message",
        "1",
        DIALOG,
    ),
    Case("await page.click('#c')\nawait page.title()", "false", DIALOG),
    Case(
        "async with page.expect_popup() as came:\n    await page.click('#new')\npopup = await came.value\nawait popup.wait_for_load_state()\nawait popup.title()",
        "other",
        LINK,
    ),
    Case(
        "async with context.expect_page() as came:\n    await page.click('#new')\npopup = await came.value\nawait popup.wait_for_load_state()\nawait popup.title()",
        "other",
        LINK,
    ),
    Case(
        "async with page.expect_popup() as came:\n    await page.evaluate('window.open(\"/other\")')\npopup = await came.value\n(await popup.opener()) == page",
        True,
    ),
    Case(
        "async with page.expect_popup() as came:\n    await page.click('#new')\nawait came.value\nlen(context.pages)",
        2,
        LINK,
    ),
    Case(
        "async with page.expect_console_message() as came:\n    await page.click('#b')\n(await came.value).text",
        "one 2",
        LOG,
    ),
    Case(
        "async with page.expect_console_message() as came:\n    await page.click('#w')\n(await came.value).type",
        "warning",
        LOG,
    ),
    Case(
        "heard = []\npage.on('console', lambda m: heard.append(m.text))\nawait page.click('#b')\nawait page.evaluate('1')\nheard",
        ["one 2"],
        LOG,
    ),
    Case(
        "async with page.expect_event('pageerror') as came:\n    await page.click('#e')\n'broken' in str(await came.value)",
        True,
        LOG,
    ),
    Case(
        "heard = []\nhear = lambda m: heard.append(1)\npage.on('console', hear)\npage.remove_listener('console', hear)\nawait page.click('#b')\nheard",
        [],
        LOG,
    ),
    Case(
        "heard = []\npage.once('console', lambda m: heard.append(1))\nawait page.click('#b')\nawait page.click('#b')\nawait page.evaluate('1')\nheard",
        [1],
        LOG,
    ),
    Case(
        "async with page.expect_download() as came:\n    await page.click('#d')\n(await came.value).suggested_filename",
        "f.txt",
        SAVE,
    ),
    Case(
        "async with page.expect_download() as came:\n    await page.click('#d')\nawait (await came.value).save_as(folder / 'x.txt')\n(folder / 'x.txt').read_text()",
        "a file",
        SAVE,
    ),
    Case(
        "async with page.expect_download() as came:\n    await page.click('#d')\nPath(await (await came.value).path()).read_text()",
        "a file",
        SAVE,
    ),
    Case(
        "async with page.expect_download() as came:\n    await page.click('#d')\nawait (await came.value).failure() is None",
        True,
        SAVE,
    ),
    Case("closed = []\npage.on('close', lambda p: closed.append(1))\nawait page.close()\nclosed", [1]),
    Case(
        "heard = []\npage.on('framenavigated', lambda f: heard.append(f.url.removeprefix(site)))\nawait page.goto(site + '/other')\nheard",
        ["/other"],
    ),
    Case("heard = []\npage.on('load', lambda p: heard.append(1))\nawait page.goto(site + '/other')\nheard", [1]),
    Case(
        "heard = []\npage.on('domcontentloaded', lambda p: heard.append(1))\nawait page.goto(site + '/other')\nheard",
        [1],
    ),
    Case(
        "heard = []\npage.on('frameattached', lambda f: heard.append(1))\nawait page.evaluate('document.body.append(document.createElement(\"iframe\"))')\nawait page.evaluate('1')\nheard",
        [1],
    ),
    Case(
        "async with page.expect_worker() as came:\n    await page.evaluate('window.w = new Worker(URL.createObjectURL(new Blob([\"1\"])))')\n(await came.value).url.startswith('blob:')",
        True,
    ),
    Case(
        "await page.add_locator_handler(page.locator('#cover'), lambda: page.evaluate('cover.remove()'))\nawait page.click('#u')\nawait page.title()",
        "hit",
        "<div id=cover style='position:fixed;inset:0;background:#fff'>x</div><button id=u onclick=\"document.title='hit'\">u</button>",
    ),
    Case(
        "await page.emulate_media(color_scheme='dark')\nawait page.evaluate('matchMedia(\"(prefers-color-scheme: dark)\").matches')",
        True,
    ),
    Case("await page.emulate_media(media='print')\nawait page.evaluate('matchMedia(\"print\").matches')", True),
    Case(
        "await page.emulate_media(reduced_motion='reduce')\nawait page.evaluate('matchMedia(\"(prefers-reduced-motion)\").matches')",
        True,
    ),
    Case("await page.set_content('<title>made</title><p>x')\nawait page.title()", "made"),
    Case("await page.bring_to_front()\nawait page.evaluate('document.visibilityState')", "visible"),
)
