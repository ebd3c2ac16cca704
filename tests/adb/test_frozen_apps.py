"""What Android's activity manager says is in front, and the error for a frozen app."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.frozen_apps import frozen, parse_resumed
from stillframe.adb.devtools.socket_listing import FoundSocket


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("    mResumedActivity: ActivityRecord{1a70f4a u0 com.example.app/.MainActivity t6294}", {"com.example.app"}),
        ("  ResumedActivity: ActivityRecord{42 u10 com.example.app/com.other.Home t1}", {"com.example.app"}),
        ("  topResumedActivity=ActivityRecord{1a u0 com.sec.launcher/.activity} t12}", {"com.sec.launcher"}),
        (
            "topResumedActivity=ActivityRecord{a u0 com.one/.A}\nResumedActivity: ActivityRecord{b u0 com.two/.B t2}",
            {"com.one", "com.two"},
        ),
        ("  mResumedActivity: null", set()),
        ("  mFocusedApp=ActivityRecord{a u0 com.one/.A t1}", set()),
        ("", set()),
    ],
)
def test_the_resumed_activity_of_each_version(text: str, packages: set[str]) -> None:
    assert parse_resumed(text) == packages


def test_the_error_has_the_facts_and_what_to_do() -> None:
    found = FoundSocket("webview_devtools_remote_7", "webview", 7, "com.example", "com.example", 915)
    error = frozen("R58M", found, "Android may have frozen it")
    assert str(error) == (
        "com.example on R58M (pid 7, oom_score_adj 915) does not answer: Android may have frozen it; bring the app to "
        "the front and leave the screen on, for example with `adb -s R58M shell monkey -p com.example 1`"
    )
    assert (error.package, error.pid, error.oom_score_adj) == ("com.example", 7, 915)


def test_what_is_unknown_is_left_out() -> None:
    text = str(frozen("R58M", FoundSocket("webview_devtools_remote_zeus", "webview"), "no answer came"))
    assert text.startswith(
        "the app behind 'webview_devtools_remote_zeus' on R58M does not answer: no answer came; bring"
    )
    assert "None" not in text
    assert "monkey" not in text


@given(st.text(max_size=300))
def test_garbage_is_survived(garbage: str) -> None:
    assert "com.example" in parse_resumed(garbage + "\nmResumedActivity: ActivityRecord{a u0 com.example/.A t1}")
