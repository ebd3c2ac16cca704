"""robots.txt in a crawler: whose groups count, and what becomes of pages."""

from __future__ import annotations

import pytest

from stillframe.errors import OptionInvalid
from stillframe.farm.errors import RobotsUnreachable
from stillframe.farm.loading.deferring import Deferred, Holds
from stillframe.farm.loading.judging import ForbiddenByRobots, RobotsJudge
from stillframe.farm.loading.retries import is_lasting
from stillframe.farm.loading.robots import token_of
from stillframe.farm.robots.fetching import Answer, RobotsClient

SITE, OTHER = "http://shop.example", "http://other.example"


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        (None, "stillframe"),
        ("", "stillframe"),
        ("ShopBot", "ShopBot"),
        ("ShopBot/1.0 (+https://shop.example/bot)", "ShopBot"),
        ("Mozilla/5.0 (compatible; Shop-Bot_2/1.0; +https://shop.example)", "Shop-Bot_2"),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0", "stillframe"),
    ],
)
def test_the_token_is_that_of_the_user_agent(user_agent: str | None, token: str) -> None:
    assert token_of(user_agent) == token
    assert token_of(user_agent, "Other") == "Other"


@pytest.mark.parametrize("token", ["", "*", "Shop Bot", "ShopBot/1.0", "Größe"])
def test_a_token_that_robots_txt_cannot_name_is_refused(token: str) -> None:
    with pytest.raises(OptionInvalid, match="robots_token"):
        token_of("ShopBot", token)


class Answers:
    """Stands for the network: answers by origin, in their order."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers

    async def __call__(self, origin: str) -> Answer:
        return self.answers[origin.removeprefix("http://").partition(".")[0]]


RULES = Answer(kind="rules", body=b"User-agent: *\nDisallow: /private\n")
BROKEN = Answer(kind="unreachable", reason="status 503")


def judge(monkeypatch: pytest.MonkeyPatch, wait_s: float = 60.0, **answers: Answer) -> tuple[RobotsJudge, Holds]:
    answer = Answers(**answers)
    monkeypatch.setattr(RobotsClient, "fetch", lambda _, origin: answer(origin))
    holds = Holds()
    return RobotsJudge({}, token=None, wait_s=wait_s, store=None, holds=holds), holds


async def test_a_page_behind_a_redirect_is_judged_by_where_it_led(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, _ = judge(monkeypatch, shop=RULES, other=RULES)
    async with robots:
        await robots.check(f"{SITE}/public")
        for place in (f"{SITE}/public", f"{SITE}/elsewhere", f"{OTHER}/"):
            await robots.check_redirects(f"{SITE}/public", [place])
        for place in (f"{SITE}/private/1", f"{OTHER}/private"):
            with pytest.raises(ForbiddenByRobots, match=place):
                await robots.check_redirects(f"{SITE}/public", [place])
        with pytest.raises(ForbiddenByRobots):
            await robots.check(f"{SITE}/private")


async def test_links_are_left_out_as_far_as_robots_txt_has_been_read(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, _ = judge(monkeypatch, shop=RULES, other=RULES)
    async with robots:
        links = [f"{SITE}/a", f"{SITE}/private/1", f"{SITE}/private/1", f"{OTHER}/private"]
        assert await robots.forbidden(links) == set()
        await robots.check(f"{SITE}/public")
        assert await robots.forbidden(links) == {f"{SITE}/private/1"}


async def test_each_step_on_the_way_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, _ = judge(monkeypatch, shop=RULES, other=RULES)
    async with robots:
        asked, last = f"{SITE}/a", f"{SITE}/b"
        await robots.check_redirects(asked, [asked, f"{SITE}/c", last])
        with pytest.raises(ForbiddenByRobots, match="/private/x"):
            await robots.check_redirects(asked, [asked, f"{SITE}/private/x", last])


async def test_a_host_is_held_while_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, holds = judge(monkeypatch, shop=BROKEN, other=RULES)
    async with robots:
        with pytest.raises(Deferred) as deferred:
            await robots.check(f"{SITE}/public")
        assert deferred.value.delay_s == deferred.value.hold_host_s > 5
        assert holds.left_s("shop.example") > 5
        assert holds.left_s("other.example") == 0


async def test_a_page_redirected_there_waits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, holds = judge(monkeypatch, shop=RULES, other=BROKEN)
    async with robots:
        with pytest.raises(Deferred) as deferred:
            await robots.check_redirects(f"{SITE}/public", [f"{OTHER}/"])
        assert deferred.value.hold_host_s == 0
        assert holds.left_s("shop.example") == 0


async def test_pages_fail_for_good_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, _ = judge(monkeypatch, wait_s=0, shop=BROKEN)
    async with robots:
        with pytest.raises(RobotsUnreachable, match="status 503") as failed:
            await robots.check(f"{SITE}/public")
    assert failed.value.url == f"{SITE}/public"
    assert failed.value.code == "robots_unreachable"
    assert is_lasting(failed.value)
