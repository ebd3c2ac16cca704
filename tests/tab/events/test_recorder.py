"""What a record keeps of the events around a page."""

from __future__ import annotations

from typing import Any

from stillframe.model.bounds import TEXT_CHARACTERS
from stillframe.model.events import DialogReport, DownloadReport, NewTarget, RefusedUrl
from stillframe.model.secret import REDACTED
from stillframe.security.redaction import Redaction
from stillframe.tab.events.recorder import KEPT, EventRecorder


def dialog(message: str = "x") -> DialogReport:
    return DialogReport(type="alert", message=message, accepted=True, url="http://x/")


def download(state: str) -> DownloadReport:
    return DownloadReport(url="http://x/a", suggested_filename="a", state=state)


def tab(url: str) -> NewTarget:
    return NewTarget(target_id="T", type="page", url=url)


def test_a_record_holds_what_happened_while_it_was_open() -> None:
    journal = EventRecorder()
    journal.add(dialog("before"))
    with journal.record() as record:
        journal.add(dialog("during"))
    journal.add(dialog("after"))
    assert [event.message for event in record.dialogs] == ["during"]


def test_records_are_told_apart_by_identity() -> None:
    journal = EventRecorder()
    with journal.record() as outer:
        with journal.record():
            journal.add(dialog("1"))
        journal.add(dialog("2"))
    assert [event.message for event in outer.dialogs] == ["1", "2"]


def test_a_thing_is_one_row_in_its_latest_state() -> None:
    journal = EventRecorder()
    with journal.record() as record:
        journal.add(download("inProgress"), "guid")
        journal.add(tab("about:blank"), "T")
        journal.add(download("completed"), "guid")
        journal.add(tab("http://x/"), "T", update=True)
    assert record.downloads == (download("completed"),)
    assert record.new_targets == (tab("http://x/"),)


def test_the_end_of_an_earlier_download_is_reported_but_an_earlier_tab_is_not_new() -> None:
    journal = EventRecorder()
    with journal.record() as record:
        journal.add(download("completed"), "guid")
        journal.add(tab("http://x/"), "T", update=True)
    assert record.downloads == (download("completed"),)
    assert record.new_targets == ()


def test_a_record_has_an_end() -> None:
    journal = EventRecorder()
    with journal.record() as record:
        for number in range(KEPT + 5):
            journal.add(dialog(str(number)))
            journal.add(download("inProgress"), str(number))
    assert len(record.dialogs) == len(record.downloads) == KEPT
    assert [record.dialogs[0].message, record.dialogs[-1].message] == ["0", str(KEPT - 1)]
    assert record.omitted == {"dialogs": 5, "new_targets": 0, "downloads": 5, "refused": 0}


def test_what_is_not_kept_is_counted_once() -> None:
    journal = EventRecorder()
    with journal.record() as record:
        for _ in range(2):
            for number in range(KEPT + 2000):
                journal.add(RefusedUrl(url=f"http://x/{number}", rule="denied", kind="fetch"))
    assert len(record.refused) == KEPT
    assert record.omitted["refused"] == 2000
    assert record.last_refused is not None
    assert record.last_refused.url == f"http://x/{KEPT + 1999}"


def test_texts_are_kept_short_and_told_apart_by_all_of_them() -> None:
    journal = EventRecorder()
    with journal.record() as record:
        for number in range(2):
            journal.add(RefusedUrl(url=f"http://x/{'y' * 100_000}{number}", rule="denied", kind="fetch"))
        journal.add(dialog("m" * 20_000))
    assert [len(row.url) for row in record.refused] == [TEXT_CHARACTERS] * 2
    assert len(record.dialogs[0].message) == TEXT_CHARACTERS


def test_secrets_go_before_a_cut_leaves_a_part_of_one() -> None:
    redaction = Redaction()
    redaction.add("lantern-in-the-dark")
    journal = EventRecorder(redaction)
    with journal.record() as record:
        journal.add(dialog("m" * (TEXT_CHARACTERS - 10) + "lantern-in-the-dark"))
    assert record.dialogs[0].message == "m" * (TEXT_CHARACTERS - 10) + REDACTED


def test_a_listener_hears_until_it_is_taken_back() -> None:
    journal, heard = EventRecorder(), list[Any]()
    remove = journal.listen(lambda event, *_: heard.append(event))
    journal.add(dialog())
    remove()
    journal.add(dialog())
    assert heard == [dialog()]
