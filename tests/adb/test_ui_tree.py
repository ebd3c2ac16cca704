"""The output of `uiautomator dump` becomes elements, whatever Android and apps write into it."""

from __future__ import annotations

from contextlib import suppress
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.rect import Rect
from stillframe.adb.native.ui_tree import MAX_BYTES, MAX_DEPTH, REPLACEMENT, ROLES, NativeElement, parse_hierarchy
from stillframe.errors import ShellFailed

HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
DIALOG = (
    f'{HEAD}<hierarchy rotation="0">'
    '<node index="0" text="" resource-id="" class="android.widget.FrameLayout"'
    ' package="com.android.permissioncontroller" content-desc="" checkable="false" checked="false" clickable="false"'
    ' enabled="true" focusable="false"'
    ' focused="false" scrollable="false" long-clickable="false" password="false" selected="false"'
    ' bounds="[0,0][1080,2400]">'
    '<node index="0" text="Allow &lt;b&gt;Shop&lt;/b&gt; to take pictures?" class="android.widget.TextView"'
    ' package="com.android.permissioncontroller" bounds="[96,1500][984,1620]" />'
    '<node index="1" text="While using the app" resource-id="com.android.permissioncontroller:id/allow"'
    ' class="android.widget.Button" content-desc="Allow once" clickable="true" long-clickable="true"'
    ' bounds="[-4,1700][1080,1832]" />'
    '<node index="2" class="android.widget.Switch" content-desc="Remember" checkable="true" checked="true"'
    ' enabled="false" focused="true" selected="true" password="true" scrollable="true" bounds="nonsense" />'
    "</node></hierarchy>"
)
DONE = "UI hierchary dumped to: /dev/tty\n"


def parse(xml: str) -> list[NativeElement]:
    return parse_hierarchy(xml.encode())


def named(name: str) -> str:
    return f'{HEAD}<hierarchy><node text="{name}"/></hierarchy>'


def test_elements_come_in_document_order_with_their_depth() -> None:
    elements = parse(DIALOG)
    assert [(each.role, each.depth) for each in elements] == [("generic", 0), ("text", 1), ("button", 1), ("switch", 1)]


def test_an_element_has_what_the_node_says() -> None:
    _, question, allow, remember = parse(DIALOG)
    assert question.name == "Allow <b>Shop</b> to take pictures?"
    assert (allow.name, allow.content_desc) == ("While using the app", "Allow once")
    assert (allow.resource_id, allow.short_id) == ("com.android.permissioncontroller:id/allow", "allow")
    assert allow.bounds == Rect(-4, 1700, 1084, 132)
    assert allow.clickable
    assert allow.long_clickable
    assert (allow.enabled, allow.checked) == (True, None)
    assert remember.name == "Remember"
    assert (remember.enabled, remember.checked, remember.bounds.empty) == (False, True, True)
    assert remember.focused
    assert remember.selected
    assert remember.password
    assert remember.scrollable


def test_a_description_shows_each_selector_that_finds_the_element() -> None:
    _, _, allow, remember = parse(DIALOG)
    assert allow.describe() == 'button ~"Allow once" id=allow text="While using the app"'
    assert remember.describe() == 'switch ~"Remember"'
    assert NativeElement(class_name="android.view.View").describe() == "View"


@pytest.mark.parametrize(
    "around", [("", DONE), ("WARNING: linker: x\r\n", ""), ("", ""), ("", f"\n{DONE}> $ "), ("\ufeff", "\n\0")]
)
def test_text_around_the_xml_is_ignored(around: tuple[str, str]) -> None:
    assert parse(around[0] + DIALOG + around[1]) == parse(DIALOG)


@pytest.mark.parametrize("xml", [f"{HEAD}<hierarchy rotation='0'/>", f"{HEAD}<hierarchy></hierarchy>{DONE}"])
def test_a_screen_without_elements_has_none(xml: str) -> None:
    assert parse(xml) == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&#55357;&#56832;", "😀"),  # as Android's serializer writes it
        ("&#xD83D;&#xde00;", "😀"),
        ("😀", "😀"),
        ("a&#55357;b", f"a{REPLACEMENT}b"),
        ("&#56832;&#55357;", REPLACEMENT * 2),
        ("bell \x07 and &#7; and &#0;", f"bell {REPLACEMENT} and {REPLACEMENT} and {REPLACEMENT}"),
        ("&#1114112;", REPLACEMENT),
        ("tab &#9; line &#10;", "tab \t line \n"),
        ("&#xFFFE;\ufffe", REPLACEMENT * 2),
        ("&amp;&quot;&apos;", "&\"'"),
    ],
)
def test_characters_that_xml_forbids_are_tolerated(written: str, read: str) -> None:
    assert parse(named(written))[0].text == read


def test_bytes_that_are_not_utf8_are_tolerated() -> None:
    output = named("caf\xe9").encode("latin-1")
    assert parse_hierarchy(output)[0].text == f"caf{REPLACEMENT}"


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"ERROR: could not get idle state.",
        b"\x89PNG\r\n",
        b"<hierarchy><node></hierarchy>",
        b"<hierarchy><node text='a' text='b'/></hierarchy>",
        b"<hierarchy>&nobody;</hierarchy>",
        b"<hierarchy",
        b"<?xml version='1.0'?>",
        HEAD.encode("utf-16"),
        b"<?xml version='1.0' encoding='no-such'?><hierarchy><node",
    ],
)
def test_what_is_not_a_hierarchy_is_an_error_that_keeps_the_output(output: bytes) -> None:
    with pytest.raises(ShellFailed, match="not a view hierarchy") as caught:
        parse_hierarchy(output)
    assert caught.value.stdout == output.decode("utf-8", "replace")[:500]


BOMB = '<!DOCTYPE b [<!ENTITY a "ha">' + "".join(f'<!ENTITY a{n} "{"&a;" * 10}">' for n in range(9)) + "]>"
READER = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("doctype", [BOMB, READER, "<!DOCTYPE hierarchy>"])
def test_a_document_type_is_refused_so_that_no_entity_expands(doctype: str) -> None:
    with pytest.raises(ShellFailed, match="document type"):
        parse(f'<?xml version="1.0"?>{doctype}<hierarchy><node text="&a;"/></hierarchy>')


def test_depth_and_size_have_limits() -> None:
    nested = '<node class="a.B">'
    count = MAX_DEPTH - 1
    assert len(parse(f"<hierarchy>{nested * count}{'</node>' * count}</hierarchy>")) == count
    with pytest.raises(ShellFailed, match="deeper"):
        parse(f"<hierarchy>{nested * MAX_DEPTH}{'</node>' * MAX_DEPTH}</hierarchy>")
    with pytest.raises(ShellFailed, match="limit"):
        parse_hierarchy(b"<hierarchy>" + b" " * MAX_BYTES)


@given(st.binary(max_size=300))
def test_any_bytes_are_elements_or_an_error(output: bytes) -> None:
    for wrapped in (output, b"<hierarchy>" + output + b"</hierarchy>", b'<hierarchy><node text="' + output + b'"/>'):
        with suppress(ShellFailed):
            assert all(isinstance(each, NativeElement) for each in parse_hierarchy(wrapped))


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Cn", "Zs", "Zl", "Zp")), min_size=1))
def test_any_text_arrives_as_it_is(text: str) -> None:
    xml = f"{HEAD}<hierarchy><node text={quoteattr(text)} content-desc={quoteattr(text)}/></hierarchy>"
    (element,) = parse(xml)
    assert (element.text, element.content_desc) == (text, text)


@pytest.mark.parametrize("name", ROLES)
def test_a_role_comes_from_the_last_part_of_the_class(name: str) -> None:
    for class_name in (name, f"android.widget.{name}", f"com.google.android.material.{name}"):
        (element,) = parse(f'<hierarchy><node class="{class_name}"/></hierarchy>')
        assert element.role == ROLES[name]
