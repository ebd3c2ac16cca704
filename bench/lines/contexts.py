"""Contexts: cookies, storage, permissions and what a context is made with."""

from bench.lines.case import Case

NEW = "async with await browser.new_context({}) as own:\n    p = await own.new_page()\n    await p.goto(site + '/page')\n    got = {}\ngot"


def made(options: str, look: str, gives: object) -> Case:
    """A context that is made with options, and what its page shows."""
    lines = f"own = await browser.new_context({options})\np = await own.new_page()\nawait p.goto(site + '/page')\ngot = {look}\nawait own.close()\ngot"
    return Case(lines, gives)


def seen(options: str, script: str, gives: object) -> Case:
    """The same, by a script."""
    return made(options, f"await p.evaluate({script!r})", gives)


COOKIE = "await context.add_cookies([{'name': 'a', 'value': '1', 'url': site}])\n"

ROWS = (
    Case(COOKIE + "[(c['name'], c['value']) for c in await context.cookies()]", [("a", "1")]),
    Case(COOKIE + "await page.evaluate('document.cookie')", "a=1"),
    Case(COOKIE + "await context.clear_cookies()\nawait context.cookies()", []),
    Case(COOKIE + "await context.clear_cookies(name='b')\nlen(await context.cookies())", 1),
    Case(COOKIE + "await context.clear_cookies(name=re.compile('a'))\nlen(await context.cookies())", 0),
    Case(COOKIE + "len(await context.cookies('http://elsewhere.test/'))", 0),
    Case(COOKIE + "(await context.cookies())[0]['path']", "/"),
    Case(
        "await context.add_cookies([{'name': 'h', 'value': '1', 'url': site, 'httpOnly': True}])\nawait page.evaluate('document.cookie')",
        "",
    ),
    Case("await page.evaluate('document.cookie = \"b=2\"')\n(await context.cookies())[0]['value']", "2"),
    Case(COOKIE + "[c['name'] for c in (await context.storage_state())['cookies']]", ["a"]),
    Case(
        "await page.evaluate('localStorage.k = \"v\"')\n(await context.storage_state())['origins'][0]['localStorage']",
        [{"name": "k", "value": "v"}],
    ),
    Case(
        "await page.evaluate('localStorage.k = \"v\"')\nstate = await context.storage_state()\nown = await browser.new_context(storage_state=state)\np = await own.new_page()\nawait p.goto(site + '/page')\ngot = await p.evaluate('localStorage.k')\nawait own.close()\ngot",
        "v",
    ),
    Case(
        COOKIE
        + "await context.storage_state(path=folder / 's.json')\nown = await browser.new_context(storage_state=folder / 's.json')\ngot = len(await own.cookies())\nawait own.close()\ngot",
        1,
    ),
    Case("own = await browser.new_context()\ngot = len(await own.cookies())\nawait own.close()\ngot", 0),
    Case("len(context.pages)", 1),
    Case("await context.new_page()\nlen(context.pages)", 2),
    Case("context.browser == browser", True),
    Case("context in browser.contexts", True),
    Case(
        "await context.grant_permissions(['geolocation'])\nawait page.evaluate(\"navigator.permissions.query({name: 'geolocation'}).then(p => p.state)\")",
        "granted",
    ),
    Case(
        "await context.grant_permissions(['geolocation'])\nawait context.clear_permissions()\nawait page.evaluate(\"navigator.permissions.query({name: 'geolocation'}).then(p => p.state)\") != 'granted'",
        True,
    ),
    Case(
        "await context.grant_permissions(['geolocation'])\nawait context.set_geolocation({'latitude': 1.5, 'longitude': 2.5})\nawait page.evaluate('new Promise(d => navigator.geolocation.getCurrentPosition(p => d([p.coords.latitude, p.coords.longitude])))')",
        [1.5, 2.5],
    ),
    seen("viewport={'width': 321, 'height': 234}", "[innerWidth, innerHeight]", [321, 234]),
    seen("locale='de-CH'", "navigator.language", "de-CH"),
    seen("locale='de-DE'", "(1234.5).toLocaleString()", "1.234,5"),
    seen("timezone_id='Asia/Tokyo'", "Intl.DateTimeFormat().resolvedOptions().timeZone", "Asia/Tokyo"),
    seen("user_agent='me'", "navigator.userAgent", "me"),
    seen("color_scheme='dark'", "matchMedia('(prefers-color-scheme: dark)').matches", True),
    seen("reduced_motion='reduce'", "matchMedia('(prefers-reduced-motion)').matches", True),
    seen("device_scale_factor=2", "devicePixelRatio", 2),
    seen("has_touch=True", "navigator.maxTouchPoints > 0", True),
    seen("is_mobile=True, viewport={'width': 400, 'height': 700}", "'orientation' in window", True),
    seen(
        "permissions=['geolocation']",
        "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)",
        "granted",
    ),
    seen(
        "geolocation={'latitude': 3, 'longitude': 4}, permissions=['geolocation']",
        "new Promise(d => navigator.geolocation.getCurrentPosition(p => d(p.coords.latitude)))",
        3,
    ),
    seen("extra_http_headers={'X-Own': 'o'}", "fetch('/echo').then(r => r.json()).then(j => j.headers['x-own'])", "o"),
    seen("offline=False", "navigator.onLine", True),
    seen("bypass_csp=True", "1", 1),
    made("java_script_enabled=False", "await p.title()", "page"),
    Case(
        "own = await browser.new_context(base_url=site)\np = await own.new_page()\nawait p.goto('/other')\ngot = await p.title()\nawait own.close()\ngot",
        "other",
    ),
    Case(
        "own = await browser.new_context(base_url=site)\ngot = (await own.request.get('/data')).status\nawait own.close()\ngot",
        200,
    ),
    Case(
        "own = await browser.new_context(http_credentials={'username': 'u', 'password': 'p'})\np = await own.new_page()\ngot = (await p.goto(site + '/private')).status\nawait own.close()\ngot",
        200,
    ),
    Case("(await page.goto(site + '/private')).status", 401),
    Case(
        "closed = []\nown = await browser.new_context()\nown.on('close', lambda c: closed.append(1))\nawait own.close()\nclosed",
        [1],
    ),
    Case("pages = []\ncontext.on('page', lambda p: pages.append(1))\nawait context.new_page()\npages", [1]),
    Case(
        "await context.expose_function('three', lambda: 3)\nawait page.goto(site + '/page')\nawait page.evaluate('three()')",
        3,
    ),
    Case(
        "own = await browser.new_page()\nawait own.goto(site + '/other')\ngot = await own.title()\nawait own.close()\ngot",
        "other",
    ),
    Case("browser.is_connected()", True),
    Case("len(browser.contexts) >= 1", True),
    Case("page.set_default_timeout(100)\nawait page.click('#none')", "raises"),
)
