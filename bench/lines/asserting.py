"""Assertions that wait."""

from bench.lines.case import RAISES, Case

BODY = """<h1 id=h class="a b" style="color: rgb(255, 0, 0)">Big  title</h1><p id=p hidden>hidden</p><ul><li>one<li>two</ul>
<input id=i value=v aria-label=Name><input id=c type=checkbox checked><input id=off disabled><input id=ro readonly>
<select id=m multiple><option selected>a<option selected>b<option>c</select><div style="height: 3000px"></div><p id=far>far</p>"""


def holds(subject: str, assertion: str) -> Case:
    """An assertion that holds, so that it returns nothing."""
    return Case(f"await expect({subject}).{assertion}", None, BODY)


def later(script: str, subject: str, assertion: str) -> Case:
    """An assertion that holds after 200 ms."""
    return Case(
        f"await page.evaluate({f'setTimeout(() => {{ {script} }}, 200), 1'!r})\nawait expect({subject}).{assertion}",
        None,
        BODY,
    )


def fails(subject: str, assertion: str) -> Case:
    """An assertion that does not hold."""
    return Case(f"await expect({subject}).{assertion}", RAISES, BODY)


H, P, LI, FIELD, C = (f"page.locator('{selector}')" for selector in ("#h", "#p", "li", "#i", "#c"))

ROWS = (
    holds(H, "to_be_visible()"),
    holds(P, "to_be_hidden()"),
    holds("page.locator('#none')", "to_be_hidden()"),
    holds("page.locator('#none')", "not_to_be_visible()"),
    holds(P, "to_be_attached()"),
    holds("page.locator('#none')", "not_to_be_attached()"),
    holds(H, "to_have_text('Big title')"),
    holds(H, "to_have_text(re.compile('^Big'))"),
    holds(H, "to_have_text('BIG TITLE', ignore_case=True)"),
    holds(H, "not_to_have_text('Big')"),
    holds(H, "to_contain_text('titl')"),
    holds(LI, "to_have_text(['one', 'two'])"),
    holds(LI, "to_have_text([re.compile('o'), 'two'])"),
    holds(LI, "to_contain_text(['tw'])"),
    holds(LI, "to_have_count(2)"),
    holds("page.locator('#none')", "to_have_count(0)"),
    holds(H, "to_have_class('a b')"),
    holds(H, "to_contain_class('b')"),
    holds(H, "to_have_class(re.compile('a'))"),
    holds(H, "to_have_css('color', 'rgb(255, 0, 0)')"),
    holds(H, "to_have_id('h')"),
    holds(H, "to_have_attribute('class', 'a b')"),
    holds(H, "to_have_attribute('class')"),
    holds(H, "not_to_have_attribute('title')"),
    holds(H, "to_have_js_property('tagName', 'H1')"),
    holds(H, "to_have_role('heading')"),
    holds(H, "to_have_accessible_name('Big title')"),
    holds(FIELD, "to_have_accessible_name('Name')"),
    holds(FIELD, "to_have_value('v')"),
    holds(FIELD, "to_have_value(re.compile('v'))"),
    holds(FIELD, "not_to_be_empty()"),
    holds(FIELD, "to_be_enabled()"),
    holds(FIELD, "to_be_editable()"),
    holds("page.locator('#off')", "to_be_disabled()"),
    holds("page.locator('#ro')", "not_to_be_editable()"),
    holds("page.locator('#off')", "to_be_empty()"),
    holds(C, "to_be_checked()"),
    holds(C, "not_to_be_checked(checked=False)"),
    holds("page.locator('#m')", "to_have_values(['a', 'b'])"),
    holds(H, "to_be_in_viewport()"),
    holds("page.locator('#far')", "not_to_be_in_viewport()"),
    holds("page", "to_have_title('page')"),
    holds("page", "to_have_title(re.compile('^p'))"),
    holds("page", "to_have_url(site + '/page')"),
    holds("page", "to_have_url(re.compile('/page$'))"),
    holds("page", "not_to_have_url(re.compile('other'))"),
    holds("page.locator('ul')", "to_match_aria_snapshot('- list:\\n  - listitem: one')"),
    holds(
        "page.locator('body')",
        "to_match_aria_snapshot('- heading \"Big title\" [level=1]\\n- list:\\n  - listitem\\n  - listitem: /t.o/')",
    ),
    holds(
        "page.locator('ul')",
        "to_match_aria_snapshot('- list:\\n  - /children: equal\\n  - listitem: one\\n  - listitem: two')",
    ),
    holds("page.locator('body')", "to_match_aria_snapshot('- checkbox [checked]')"),
    holds("page.locator('body')", "to_match_aria_snapshot('- textbox \"Name\": v')"),
    holds("page.locator('body')", "not_to_match_aria_snapshot('- list\\n- heading')"),
    later("h.textContent = 'Done'", H, "to_have_text('Done')"),
    later("h.remove()", H, "to_be_hidden()"),
    later("p.hidden = false", P, "to_be_visible()"),
    later("document.querySelector('li').remove()", LI, "to_have_count(1)"),
    later("i.value = 'w'", FIELD, "to_have_value('w')"),
    later("c.checked = false", C, "not_to_be_checked()"),
    later("document.title = 'new'", "page", "to_have_title('new')"),
    later("history.pushState(1, '', '/new')", "page", "to_have_url(re.compile('/new$'))"),
    later("i.focus()", FIELD, "to_be_focused()"),
    later("h.className = 'c'", H, "to_have_class('c')"),
    later("i.disabled = true", FIELD, "to_be_disabled()"),
    later("location.href = '/other'", "page.locator('h1')", "to_have_text('other')"),
    fails(H, "to_have_text('x')"),
    fails(H, "to_be_hidden()"),
    fails(H, "not_to_be_visible()"),
    fails("page.locator('#none')", "to_be_visible()"),
    fails("page.locator('#none')", "to_have_text('x')"),
    fails("page.locator('#none')", "not_to_have_text('x')"),
    fails(LI, "to_have_count(3)"),
    fails(LI, "to_have_text(['one'])"),
    fails(LI, "to_have_text('one')"),
    fails("page", "to_have_title('x')"),
    fails("page", "to_have_url('x')"),
    fails("page.locator('ul')", "to_match_aria_snapshot('- list:\\n  - listitem: three')"),
    Case("response = await context.request.get(site + '/page')\nawait expect(response).to_be_ok()", None),
    Case("response = await context.request.get(site + '/none')\nawait expect(response).to_be_ok()", RAISES),
)
