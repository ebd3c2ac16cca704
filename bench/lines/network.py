"""Requests, responses, routes and requests outside of the pages."""

from bench.lines.case import RAISES, Case

FETCH = "await page.evaluate(\"fetch('/data').then(r => r.text())\")"

ROWS = (
    Case(f"async with page.expect_request('**/data') as came:\n    {FETCH}\n(await came.value).method", "GET"),
    Case(f"async with page.expect_request('**/data') as came:\n    {FETCH}\n(await came.value).resource_type", "fetch"),
    Case(
        f"async with page.expect_request(re.compile('data$')) as came:\n    {FETCH}\n(await came.value).url.removeprefix(site)",
        "/data",
    ),
    Case(
        f"async with page.expect_request(lambda r: r.url.endswith('data')) as came:\n    {FETCH}\n(await came.value).is_navigation_request()",
        False,
    ),
    Case(
        "async with page.expect_request('**/echo') as came:\n    await page.evaluate(\"fetch('/echo', {method: 'POST', body: 'abc'}).then(r => r.text())\")\n(await came.value).post_data",
        "abc",
    ),
    Case(
        "async with page.expect_request('**/echo') as came:\n    await page.evaluate(\"fetch('/echo', {method: 'POST', body: JSON.stringify({a: 1})}).then(r => r.text())\")\n(await came.value).post_data_json",
        {"a": 1},
    ),
    Case(
        "async with page.expect_request('**/echo') as came:\n    await page.evaluate(\"fetch('/echo', {headers: {'X-One': '1'}}).then(r => r.text())\")\n(await came.value).headers['x-one']",
        "1",
    ),
    Case(
        "async with page.expect_request('**/echo') as came:\n    await page.evaluate(\"fetch('/echo', {headers: {'X-One': '1'}}).then(r => r.text())\")\nawait (await came.value).header_value('X-ONE')",
        "1",
    ),
    Case(f"async with page.expect_response('**/data') as came:\n    {FETCH}\n(await came.value).status", 200),
    Case(
        f"async with page.expect_response('**/data') as came:\n    {FETCH}\nawait (await came.value).json()",
        {"n": [1, 2]},
    ),
    Case(
        f"async with page.expect_response('**/data') as came:\n    {FETCH}\nawait (await came.value).text()",
        '{"n": [1, 2]}',
    ),
    Case(
        f"async with page.expect_response('**/data') as came:\n    {FETCH}\nawait (await came.value).body()",
        b'{"n": [1, 2]}',
    ),
    Case(
        f"async with page.expect_response('**/data') as came:\n    {FETCH}\n(await came.value).headers['content-type'].split(';')[0]",
        "application/json",
    ),
    Case(
        f"async with page.expect_response(lambda r: r.status == 200) as came:\n    {FETCH}\n(await came.value).request.method",
        "GET",
    ),
    Case(
        f"async with page.expect_response('**/data') as came:\n    {FETCH}\n(await came.value).from_service_worker",
        False,
    ),
    Case(
        f"async with page.expect_request_finished() as came:\n    {FETCH}\n(await (await came.value).response()).status",
        200,
    ),
    Case(
        "response = await page.goto(site + '/moved')\nresponse.request.redirected_from.url.removeprefix(site)", "/moved"
    ),
    Case("response = await page.goto(site + '/moved')\nresponse.url.removeprefix(site)", "/other"),
    Case(
        "failed = []\npage.on('requestfailed', lambda r: failed.append(r.failure))\nawait page.route('**/data', lambda r: r.abort())\nawait page.evaluate(\"fetch('/data').catch(() => 1)\")\nawait page.evaluate('1')\nfailed",
        ["net::ERR_FAILED"],
    ),
    Case(f"seen = []\npage.on('request', lambda r: seen.append(r.url.removeprefix(site)))\n{FETCH}\nseen", ["/data"]),
    Case(
        f"seen = []\npage.on('response', lambda r: seen.append(r.status))\n{FETCH}\nawait page.evaluate('1')\nseen",
        [200],
    ),
    Case(
        f"seen = []\ncontext.on('request', lambda r: seen.append(r.url.removeprefix(site)))\n{FETCH}\nseen", ["/data"]
    ),
    Case(f"await page.route('**/data', lambda r: r.fulfill(body='made'))\n{FETCH}", "made"),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(json={'a': 1}))\nawait page.evaluate(\"fetch('/data').then(r => r.json())\")",
        {"a": 1},
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(status=418))\nawait page.evaluate(\"fetch('/data').then(r => r.status)\")",
        418,
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(headers={'X-Made': 'yes'}, body=''))\nawait page.evaluate(\"fetch('/data').then(r => r.headers.get('x-made'))\")",
        "yes",
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(body='{}', content_type='text/x'))\nawait page.evaluate(\"fetch('/data').then(r => r.headers.get('content-type'))\")",
        "text/x",
    ),
    Case(
        "(folder / 'b.txt').write_text('from a file')\nawait page.route('**/data', lambda r: r.fulfill(path=folder / 'b.txt'))\nawait page.evaluate(\"fetch('/data').then(r => r.text())\")",
        "from a file",
    ),
    Case(
        "await page.route('**/data', lambda r: r.abort())\nawait page.evaluate(\"fetch('/data').then(() => 'came', () => 'failed')\")",
        "failed",
    ),
    Case(f"await page.route('**/data', lambda r: r.continue_())\n{FETCH}", '{"n": [1, 2]}'),
    Case(
        "await page.route('**/echo', lambda r: r.continue_(headers={**r.request.headers, 'x-two': '2'}))\nawait page.evaluate(\"fetch('/echo').then(r => r.json()).then(j => j.headers['x-two'])\")",
        "2",
    ),
    Case(
        "await page.route('**/echo', lambda r: r.continue_(method='POST', post_data='changed'))\nawait page.evaluate(\"fetch('/echo').then(r => r.json()).then(j => j.method + j.body)\")",
        "POSTchanged",
    ),
    Case(
        "await page.route('**/data', lambda r: r.continue_(url=site + '/echo'))\nawait page.evaluate(\"fetch('/data').then(r => r.json()).then(j => j.path)\")",
        "/echo",
    ),
    Case(
        "await page.route('**/*', lambda r: r.fulfill(body='first'))\nawait page.route('**/data', lambda r: r.fallback())\n"
        + FETCH,
        "first",
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(body='old'))\nawait page.route('**/data', lambda r: r.fulfill(body='new'))\n"
        + FETCH,
        "new",
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(body='once'), times=1)\n" + FETCH + "\n" + FETCH,
        '{"n": [1, 2]}',
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(body='made'))\nawait page.unroute('**/data')\n" + FETCH,
        '{"n": [1, 2]}',
    ),
    Case(
        "await page.route('**/data', lambda r: r.fulfill(body='made'))\nawait page.unroute_all()\n" + FETCH,
        '{"n": [1, 2]}',
    ),
    Case("await page.route(re.compile('data$'), lambda r: r.fulfill(body='regex'))\n" + FETCH, "regex"),
    Case(
        "await page.route(lambda url: url.endswith('data'), lambda r: r.fulfill(body='function'))\n" + FETCH, "function"
    ),
    Case(
        "async def handle(route):\n    response = await route.fetch()\n    await route.fulfill(response=response, body=(await response.text()).replace('1', '9'))\nawait page.route('**/data', handle)\n"
        + FETCH,
        '{"n": [9, 2]}',
    ),
    Case(
        "async def handle(route):\n    await route.fulfill(body=str((await route.fetch()).status))\nawait page.route('**/data', handle)\n"
        + FETCH,
        "200",
    ),
    Case("await context.route('**/data', lambda r: r.fulfill(body='context'))\n" + FETCH, "context"),
    Case(
        "await context.route('**/data', lambda r: r.fulfill(body='context'))\nawait page.route('**/data', lambda r: r.fulfill(body='page'))\n"
        + FETCH,
        "page",
    ),
    Case(
        "await page.route('**/other', lambda r: r.fulfill(body='<title>made</title>', content_type='text/html'))\nawait page.goto(site + '/other')\nawait page.title()",
        "made",
    ),
    Case(
        "await page.set_extra_http_headers({'X-Extra': 'e'})\nawait page.evaluate(\"fetch('/echo').then(r => r.json()).then(j => j.headers['x-extra'])\")",
        "e",
    ),
    Case(
        "await context.set_extra_http_headers({'X-Extra': 'c'})\nawait page.evaluate(\"fetch('/echo').then(r => r.json()).then(j => j.headers['x-extra'])\")",
        "c",
    ),
    Case(
        "await context.set_offline(True)\nawait page.evaluate(\"fetch('/data').then(() => 'came', () => 'failed')\")",
        "failed",
    ),
    Case("response = await context.request.get(site + '/data')\nawait response.json()", {"n": [1, 2]}),
    Case("response = await context.request.get(site + '/none')\nresponse.status", 404),
    Case("response = await context.request.get(site + '/none')\nresponse.ok", False),
    Case("response = await context.request.post(site + '/echo', data='raw')\n(await response.json())['body']", "raw"),
    Case(
        "response = await context.request.post(site + '/echo', form={'a': '1', 'b': '2'})\n(await response.json())['body']",
        "a=1&b=2",
    ),
    Case(
        "response = await context.request.get(site + '/echo', params={'q': 'x y'})\n(await response.json())['query']",
        {"q": "x y"},
    ),
    Case(
        "response = await context.request.get(site + '/echo', headers={'X-Mine': 'm'})\n(await response.json())['headers']['x-mine']",
        "m",
    ),
    Case(
        "response = await context.request.fetch(site + '/echo', method='PUT')\n(await response.json())['method']", "PUT"
    ),
    Case("response = await context.request.get(site + '/moved')\nresponse.url.removeprefix(site)", "/other"),
    Case("response = await context.request.get(site + '/moved', max_redirects=0)\nresponse.status", 302),
    Case("await context.request.get(site + '/cookie')\n[c['name'] for c in await context.cookies()]", ["seen"]),
    Case(
        "await context.add_cookies([{'name': 'mine', 'value': '1', 'url': site}])\n(await (await context.request.get(site + '/echo')).json())['headers']['cookie']",
        "mine=1",
    ),
    Case("await context.request.get(site + '/none', fail_on_status_code=True)", RAISES),
    Case("response = await page.request.get(site + '/data')\n(await response.body())[:5]", b'{"n":'),
    Case(
        "await page.route_web_socket('**/ws', lambda ws: ws.on_message(lambda m: ws.send('got ' + m)))\nawait page.goto(site + '/page')\nawait page.evaluate(\"new Promise(done => { const w = new WebSocket(location.origin.replace('http', 'ws') + '/ws'); w.onopen = () => w.send('hi'); w.onmessage = e => done(e.data) })\")",
        "got hi",
    ),
)
