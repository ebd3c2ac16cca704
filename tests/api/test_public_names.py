"""The public names of what users hold, so that a new one is a decision and nothing internal shows."""

from __future__ import annotations

import inspect

import pytest

from phones import Phone
from stillframe.adb.android import AndroidDevice
from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.api.frame import Frame
from stillframe.api.handles import ElementHandle, JSHandle
from stillframe.api.har import HarRecording
from stillframe.api.locator import FrameLocator, Locator
from stillframe.api.tracing import Tracing
from stillframe.api.video import Video

ACTIONS = """check click dblclick dispatch_event drag_to fill focus hover long_press press scroll scroll_to
    select_option select_text set_checked
    set_input_files swipe tap type uncheck wait_for"""
HANDLE = "as_element dispose evaluate evaluate_handle get_properties get_property json_value"
FINDING = """frame_locator get_by_alt_text get_by_label get_by_placeholder get_by_role get_by_test_id get_by_text
    get_by_title locator"""
READS = """get_attribute inner_html inner_text input_value is_checked is_disabled is_editable is_enabled is_hidden
    is_visible text_content"""
BY_SELECTOR = f"{ACTIONS} {FINDING} {READS} drag_and_drop"

NAMES = {
    Page: f"""{BY_SELECTOR}
        add_init_script add_locator_handler add_script_tag add_style_tag answer_dialog aria_snapshot
        bring_to_front browser captures cdp_session close closed console_messages content context dialog
        drop_files emulate_media eval_on_selector eval_on_selector_all evaluate evaluate_handle events
        execute_sequence expect_console_message expect_download expect_event expect_file_chooser
        expect_navigation expect_popup expect_request expect_request_finished expect_response expect_websocket
        expect_worker expose_function frame frames go_back go_forward goto is_closed keyboard local_storage
        loop_guard main_frame marked_screenshot mouse mouse_click mouse_drag mouse_move mouse_wheel on once
        opener page_errors pdf popups query_selector query_selector_all reload remove_listener
        remove_locator_handler request requests response response_headers route route_from_har
        route_web_socket screenshot session_name session_storage set_content set_default_navigation_timeout
        set_default_timeout set_extra_http_headers set_viewport set_viewport_size settle snapshot target_id
        title touchscreen trace unroute unroute_all url verdict video viewport viewport_size wait_for_event
        wait_for_function wait_for_load_state wait_for_selector wait_for_url webmcp workers""",
    Frame: f"""{BY_SELECTOR}
        add_script_tag add_style_tag child_frames children content detached drop_files eval_on_selector
        eval_on_selector_all evaluate evaluate_handle expect_navigation frame_element is_detached name page
        parent parent_frame query_selector query_selector_all set_content title url wait_for_function
        wait_for_load_state wait_for_selector wait_for_url webmcp""",
    JSHandle: f"""{HANDLE}""",
    ElementHandle: f"""{READS} {HANDLE}
        blur bounding_box check clear click content_frame dblclick dispatch_event drop drop_files fill focus
        hover long_press owner_frame press press_sequentially query_selector query_selector_all screenshot
        scroll scroll_into_view_if_needed scroll_to select_option select_text set_checked set_input_files
        swipe tap type uncheck wait_for""",
    Locator: f"""{ACTIONS} {FINDING} {READS}
        all all_inner_texts all_text_contents and_ aria_snapshot attribute blur bounding_box box clear
        content_frame count drop drop_files element_handle element_handles evaluate evaluate_all
        evaluate_handle filter first hide_highlight highlight last nth or_ page press_sequentially screenshot
        scroll_into_view_if_needed text value visible within""",
    FrameLocator: f"""{FINDING}
        first last nth owner""",
    BrowserContext: """add_cookies add_init_script browser check_url clear_cookies clear_permissions close cookies
        downloads emulate expect_console_message expect_event expect_page expose_function extra_http_headers
        grant_permissions id new_page offline on once options pages policy record_har redaction refusals
        remove_listener request route route_from_har route_web_socket secrets set_default_navigation_timeout
        set_default_timeout set_extra_http_headers set_geolocation set_offline set_storage_state storage_state
        unroute unroute_all wait_for_event""",
    Browser: """active_page captures cdp_session close closed contexts is_connected new_context new_page on once page
        pages remove_listener version""",
    AndroidDevice: """chrome close context contexts foreground_package launch_chrome screenshot serial shell start_app
        stop_app webview webviews""",
    Tracing: """close error path size""",
    HarRecording: """close path""",
    Video: """delete path save_as""",
    WebView: """bounds context_name package page pid process screenshot socket_name target_id title url visible""",
}
CLOSED_BY_HAND = (Page, BrowserContext, Browser, AndroidDevice, Tracing, HarRecording)


@pytest.mark.parametrize("public", NAMES, ids=lambda public: public.__name__)
def test_the_names_are_these(public: type) -> None:
    shown = {name for name in dir(public) if not name.startswith("_")}
    assert shown == set(NAMES[public].split())


@pytest.mark.parametrize("public", NAMES, ids=lambda public: public.__name__)
def test_each_of_them_is_documented(public: type) -> None:
    bare = [name for name in NAMES[public].split() if not inspect.getdoc(inspect.getattr_static(public, name))]
    assert bare == []


@pytest.mark.parametrize("public", CLOSED_BY_HAND, ids=lambda public: public.__name__)
def test_there_is_one_way_to_close(public: type) -> None:
    assert inspect.iscoroutinefunction(public.close)
    assert inspect.iscoroutinefunction(public.__aexit__)
    assert not {"aclose", "stop", "quit"} & set(dir(public))


async def test_objects_show_no_more_than_their_classes(page: Page) -> None:
    extra = {
        Page: set(),
        Frame: set(),
        Locator: set(),
        BrowserContext: set(),
        Browser: {"allowed_schemes", "default_context", "info"},
    }
    for each in (page, page.main_frame, page.locator("p"), page.context, page.browser):
        public = type(each)
        shown = {name for name in vars(each) if not name.startswith("_")}
        assert shown == extra[public]


async def test_a_device_and_its_webviews_show_no_more_than_their_classes(phone: Phone) -> None:
    async with phone.running() as running:
        view = await phone.device.webview(package=running.app.package)
    assert {name for name in vars(phone.device) if not name.startswith("_")} == {"adb", "info", "native"}
    assert {name for name in vars(view) if not name.startswith("_")} == set()
