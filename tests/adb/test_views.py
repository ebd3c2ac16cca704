"""Which WebView is meant, and why there is none."""

from __future__ import annotations

import pytest

from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.adb.devtools.targets import DevtoolsTarget, ViewState
from stillframe.adb.devtools.views import Look, View, ViewQuery, choose_view, context_name, ranked, why_none
from stillframe.errors import AppFrozen, NoDebuggableWebView, TargetNotVisible, WebViewAmbiguous, WebViewHasNoPages

SHOP = FoundSocket("webview_devtools_remote_4321", "webview", 4321, "com.example.shop", "com.example.shop")
SHOP_WEB = FoundSocket("webview_devtools_remote_4400", "webview", 4400, "com.example.shop", "com.example.shop:web")
NEWS = FoundSocket("webview_devtools_remote_99", "webview", 99, "org.news", "org.news")
ICED = FoundSocket("webview_devtools_remote_7", "webview", 7, "com.ice", "com.ice", 935)


def target(name: str, url: str = "https://shop.test/", **state: object) -> DevtoolsTarget:
    view = ViewState(**{"width": 1080, "height": 1920, **state})  # type: ignore[arg-type]
    return DevtoolsTarget(name, "page", url, name, f"/devtools/page/{name}", view)


def look(*views: View, frozen: tuple[FoundSocket, ...] = ()) -> Look:
    sockets = dict.fromkeys([*(view.socket for view in views), *frozen])
    return Look(views, tuple(sockets), frozen)


def on_the_shop(url: str) -> bool:
    return url.startswith("https://shop.test/")


def test_the_shown_webview_of_an_app_comes_first() -> None:
    behind, small, shown = target("behind", visible=False), target("small", height=100), target("shown")
    views = ranked(SHOP, [behind, small, shown])
    assert [view.target.id for view in views] == ["shown", "small", "behind"]
    assert choose_view(look(*views), ViewQuery()) == View(SHOP, shown)


def test_a_page_of_chrome_has_no_state_and_counts_as_shown() -> None:
    assert View(SHOP, DevtoolsTarget("T", "page", "about:blank", "", "/devtools/page/T")).visible


def test_package_process_and_url_choose() -> None:
    shop, web, news = (
        View(SHOP, target("a")),
        View(SHOP_WEB, target("b")),
        View(NEWS, target("c", "https://news.test/")),
    )
    there = look(shop, web, news)
    assert choose_view(there, ViewQuery(package="org.news")) == news
    assert choose_view(there, ViewQuery(package="com.example.shop", process="web")) == web
    assert choose_view(there, ViewQuery(package="com.example.shop", process="")) == shop
    assert choose_view(there, ViewQuery(process="", url=on_the_shop)) == shop
    assert choose_view(there, ViewQuery(package="com.none")) is None


def test_several_apps_are_listed_and_none_is_guessed() -> None:
    with pytest.raises(WebViewAmbiguous, match="2 apps or processes have a WebView") as raised:
        choose_view(look(View(SHOP, target("a")), View(NEWS, target("b"))), ViewQuery())
    assert raised.value.candidates == ("com.example.shop (https://shop.test/)", "org.news (https://shop.test/)")


def test_a_hidden_one_is_chosen_only_on_request() -> None:
    there = look(View(SHOP, target("a", visible=False)))
    assert choose_view(there, ViewQuery()) is None
    assert choose_view(there, ViewQuery(hidden=True)) == there.views[0]
    reason = why_none("serial", there, ViewQuery(package="com.example.shop"))
    assert isinstance(reason, TargetNotVisible)
    assert reason.target_id == "a"
    assert "hidden=True" in str(reason)


def test_a_frozen_app_is_the_reason() -> None:
    reason = why_none("serial", look(frozen=(ICED,)), ViewQuery(package="com.ice"))
    assert isinstance(reason, AppFrozen)
    assert (reason.package, reason.pid, reason.oom_score_adj) == ("com.ice", 7, 935)


def test_without_a_package_the_pages_there_are_named() -> None:
    there = look(View(NEWS, target("c", "https://news.test/")))
    reason = why_none("serial", there, ViewQuery(url=on_the_shop, pattern="https://shop.test/**"))
    assert isinstance(reason, WebViewHasNoPages)
    assert reason.pages == ("https://news.test/",)
    assert "WebView at https://shop.test/**" in str(reason)
    assert isinstance(why_none("serial", look(), ViewQuery()), NoDebuggableWebView)


def test_only_the_app_can_tell_why_a_package_has_none() -> None:
    assert why_none("serial", look(View(NEWS, target("c"))), ViewQuery(package="com.example.shop")) is None


@pytest.mark.parametrize(
    ("socket", "name"),
    [
        (SHOP, "WEBVIEW_com.example.shop"),
        (SHOP_WEB, "WEBVIEW_com.example.shop:web"),
        (FoundSocket("webview_devtools_remote_5", "webview", 5), "WEBVIEW_5"),
        (FoundSocket("webview_devtools_remote_zeus", "webview"), "WEBVIEW_webview_devtools_remote_zeus"),
    ],
)
def test_contexts_have_appiums_names(socket: FoundSocket, name: str) -> None:
    assert context_name(socket) == name
