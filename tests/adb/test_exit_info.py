"""Android's reason for the end of a process is read from its record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.exit_info import HEADING, MAX_DESCRIPTION, parse_exit_info

TEXT = """\
ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)
Last Timestamp of Persistence Into Persistent Storage: 2025-01-02 10:00:00.123
  package: com.example.app
    Historical Process Exit for uid=10123
        ApplicationExitInfo #0:
          timestamp=2025-01-02 10:05:00.649 pid=4321 realUid=10123 packageUid=10123 definingUid=10123 user=0
          process=com.example.app reason=10 (USER REQUESTED) subreason=21 (FORCE STOP) status=0
          importance=100 pss=0.00 rss=270MB description=stop com.example.app due to from pid 99 state=empty trace=null
        ApplicationExitInfo #1:
          timestamp=2025-01-02 09:00:00.880 pid=432 realUid=10123 packageUid=10123 definingUid=10123 user=0
          process=com.example.app:web reason=4 (APP CRASH(EXCEPTION)) subreason=0 (UNKNOWN) status=0
          importance=100 pss=0.00 rss=2.5GB description=crash state=empty trace=null
        ApplicationExitInfo #2:
          timestamp=2025-01-02 08:00:00.880 pid=43210 realUid=10123 packageUid=10123 definingUid=10123 user=0
          process=com.example.app reason=3 (LOW_MEMORY) status=9
          importance=400 pss=0.00 rss=0.00 description=null state=empty trace=null
"""

ONE_FIELD_A_LINE = """\
        ApplicationExitInfo #0:
          pid=77
          process=com.example.app
          reason=6 (ANR)
          status=0
          description=Input dispatching timed out
          state=empty
"""


@pytest.mark.parametrize(
    ("pid", "reason"),
    [
        (4321, "USER REQUESTED, FORCE STOP: stop com.example.app due to from pid 99"),
        (432, "APP CRASH(EXCEPTION): crash"),
        (43210, "LOW_MEMORY"),
        (99, ""),
        (10123, ""),
    ],
)
def test_the_record_of_the_process_counts(pid: int, reason: str) -> None:
    assert parse_exit_info(TEXT, pid) == reason


def test_fields_may_stand_on_lines_of_their_own() -> None:
    assert parse_exit_info(ONE_FIELD_A_LINE, 77) == "ANR: Input dispatching timed out"


@pytest.mark.parametrize(
    "text", ["", HEADING, "Bad activity command, or no activities match: exit-info", "ApplicationExitInfo #0: pid=4321"]
)
def test_without_a_record_there_is_no_reason(text: str) -> None:
    assert parse_exit_info(text, 4321) == ""


def test_a_long_description_is_cut() -> None:
    text = TEXT.replace("stop com", "x" * 10_000)
    assert len(parse_exit_info(text, 4321)) < MAX_DESCRIPTION + 50


@given(st.text(max_size=200))
def test_garbage_is_survived(garbage: str) -> None:
    parse_exit_info(garbage, 1)
    assert parse_exit_info(TEXT + garbage, 4321).startswith("USER REQUESTED")
