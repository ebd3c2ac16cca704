"""Locators: roles, texts, labels and the others, filters, combinations, frames and lists."""

from bench.lines.case import RAISES, Case

FORM = """<form><label>Name <input id=name></label><label for=mail>E-mail</label><input id=mail placeholder="you@example.org">
<button id=save type=button>Save</button><button id=drop type=button disabled>Delete all</button>
<label><input id=ok type=checkbox checked> Agree</label><h2 id=h title="A hint">Heading <b>two</b></h2>
<img id=pic alt="A picture"><p id=t data-testid=para>Some  text</p><a id=link href=/other>Go there</a></form>"""
LIST = """<ul><li id=a>Apple <button>Buy</button></li><li id=b>Banana <button>Buy</button><i>new</i></li>
<li id=c>Cherry</li><li id=d hidden>Date</li></ul>"""


def identified(locator: str, id: str, html: str = FORM) -> Case:
    """A locator that finds one element."""
    return Case(f"await {locator}.get_attribute('id')", id, html)


def counted(locator: str, count: int, html: str = LIST) -> Case:
    """Return the case of a locator that finds `count` elements."""
    return Case(f"await {locator}.count()", count, html)


ROWS = (
    identified("page.get_by_role('button', name='Save')", "save"),
    identified("page.get_by_role('button', name='save')", "save"),
    identified("page.get_by_role('button', name=re.compile('^Del'))", "drop"),
    identified("page.get_by_role('button', disabled=True)", "drop"),
    identified("page.get_by_role('checkbox', checked=True)", "ok"),
    identified("page.get_by_role('heading', level=2)", "h"),
    identified("page.get_by_role('heading', name='Heading two')", "h"),
    identified("page.get_by_role('textbox', name='Name')", "name"),
    identified("page.get_by_role('img', name='A picture')", "pic"),
    identified("page.get_by_role('link')", "link"),
    counted("page.get_by_role('button', name='save', exact=True)", 0, FORM),
    counted("page.get_by_role('button')", 2, FORM),
    identified("page.get_by_label('Name')", "name"),
    identified("page.get_by_label('E-mail')", "mail"),
    identified("page.get_by_label('mail')", "mail"),
    counted("page.get_by_label('mail', exact=True)", 0, FORM),
    identified("page.get_by_label(re.compile('^Agr'))", "ok"),
    identified("page.get_by_placeholder('you@example.org')", "mail"),
    identified("page.get_by_placeholder('example')", "mail"),
    identified("page.get_by_placeholder(re.compile('org$'))", "mail"),
    identified("page.get_by_text('Some text')", "t"),
    identified("page.get_by_text('some TEXT')", "t"),
    identified("page.get_by_text('Some text', exact=True)", "t"),
    counted("page.get_by_text('some text', exact=True)", 0, FORM),
    identified("page.get_by_text(re.compile('te.t'))", "t"),
    identified("page.get_by_alt_text('picture')", "pic"),
    identified("page.get_by_title('A hint')", "h"),
    identified("page.get_by_test_id('para')", "t"),
    identified("page.get_by_test_id(re.compile('^pa'))", "t"),
    identified("page.locator('form').get_by_role('link')", "link"),
    identified("page.locator('text=Go there')", "link"),
    identified("page.locator('text=/go/i')", "link"),
    identified("page.locator('button:has-text(\"delete\")')", "drop"),
    identified("page.locator('xpath=//h2')", "h"),
    identified("page.locator('//h2')", "h"),
    identified("page.locator('css=#save')", "save"),
    identified("page.locator('form >> text=Save')", "save"),
    identified("page.locator('#name').locator('xpath=../..').locator('#save')", "save"),
    counted("page.locator('ul li')", 4),
    counted("page.locator('li').filter(has_text='an')", 1),
    counted("page.locator('li').filter(has_text=re.compile('^[AB]'))", 2),
    counted("page.locator('li').filter(has_not_text='a')", 1, "<li>abc<li>xyz"),
    counted("page.locator('li').filter(has=page.get_by_role('button'))", 2),
    counted("page.locator('li').filter(has_not=page.locator('button'))", 2),
    counted("page.locator('li').filter(has=page.locator('i')).filter(has_text='Banana')", 1),
    counted("page.locator('li').filter(visible=True)", 3),
    counted("page.locator('li', has_text='Apple')", 1),
    counted("page.locator('li', has=page.locator('i'))", 1),
    identified("page.locator('li').first", "a", LIST),
    identified("page.locator('li').last", "d", LIST),
    identified("page.locator('li').nth(1)", "b", LIST),
    identified("page.locator('li').nth(-2)", "c", LIST),
    identified("page.locator('li').and_(page.locator('#c'))", "c", LIST),
    counted("page.locator('#a').or_(page.locator('#b'))", 2),
    identified("page.locator('#none').or_(page.locator('#b'))", "b", LIST),
    counted("page.locator('li').locator('button')", 2),
    counted("page.locator('li').get_by_text('Buy')", 2),
    identified("page.locator('li').filter(has_text='Banana').get_by_role('button').locator('..')", "b", LIST),
    Case("[await each.get_attribute('id') for each in await page.locator('li').all()]", ["a", "b", "c", "d"], LIST),
    Case("await page.locator('li').inner_text()", RAISES, LIST),
    Case("await page.locator('li').click()", RAISES, LIST),
    Case("await page.frame_locator('iframe').locator('h1').inner_text()", "other", "<iframe src=/other></iframe>"),
    Case(
        "await page.locator('iframe').content_frame.locator('h1').inner_text()", "other", "<iframe src=/other></iframe>"
    ),
    Case(
        "await page.frame_locator('iframe').get_by_role('heading').inner_text()",
        "other",
        "<iframe src=/other></iframe>",
    ),
    Case("await page.frame('f').locator('h1').inner_text()", "other", "<iframe name=f src=/other></iframe>"),
    Case("await page.frame(url='**/other').locator('h1').inner_text()", "other", "<iframe src=/other></iframe>"),
    counted(
        "page.locator('p')",
        1,
        "<div id=x></div><script>x.attachShadow({mode: 'open'}).innerHTML = '<p>in</p>'</script>",
    ),
    Case(
        "await page.get_by_text('in a root').inner_text()",
        "in a root",
        "<div id=x></div><script>x.attachShadow({mode: 'open'}).innerHTML = '<p>in a root</p>'</script>",
    ),
    counted("page.locator('[id=a], [id=c]')", 2),
    counted("page.locator('li:visible')", 3),
    counted("page.locator('li:not(#a)')", 3),
    counted("page.locator('li:has(i)')", 1),
    counted("page.locator('li >> nth=0')", 1),
    counted("page.locator('ul > li')", 4),
    counted("page.locator('#a + li')", 1),
    counted("page.locator('#a ~ li')", 3),
    Case("await page.locator('li[').count()", RAISES, LIST),
    Case("await page.get_by_role('heading').nth(5).count()", 0, FORM),
)
