"""The endpoint that Prometheus scrapes, and the looks at pool and queue that feed it."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
import yaml
from metrics_values import HEALTH, PAGE, STATUS
from prometheus_client.parser import text_string_to_metric_families

from patience import HANG_S
from stillframe.errors import OptionInvalid, StoreUnavailable
from stillframe.farm.metrics import CrawlMetrics, PrometheusEndpoint, serve_prometheus, watching
from stillframe.farm.metrics.hosts import SLOTS
from stillframe.farm.pool import PoolStatus
from stillframe.farm.store import Counts
from stillframe.farm.store.health import Health
from stillframe.farm.store.measuring import WHYS
from stillframe.model.result import CaptureCounts

COUNTS = Counts(pending=7, leased=2, outcomes={"done": 4}, oldest_lease_s=3.5)
ALERTS = Path(__file__).parents[2] / "docs/grafana/stillframe-alerts.yaml"
DASHBOARD = Path(__file__).parents[2] / "docs/grafana/stillframe-farm.json"


async def scrape(endpoint: PrometheusEndpoint) -> str:
    """Return what Prometheus gets; the request is made on a thread, because the server has threads of its own."""

    def read() -> str:
        with urlopen(endpoint.url, timeout=5) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] is None, "crawled pages cannot read it"
            return str(answer.read().decode())

    return await asyncio.to_thread(read)


async def samples(endpoint: PrometheusEndpoint) -> dict[str, float]:
    families = text_string_to_metric_families(await scrape(endpoint))
    return {
        one.name + json.dumps(one.labels, sort_keys=True) if one.labels else one.name: one.value
        for family in families
        for one in family.samples
    }


def full(metrics: CrawlMetrics) -> None:
    """Give every instrument a value."""
    metrics.page_done(PAGE, captures=CaptureCounts(taken=2, reused=1, bytes=500), excess_ms=30.0)
    metrics.lease_lost()
    metrics.observe_pool(STATUS)
    metrics.observe_queue(COUNTS)
    metrics.observe_health(HEALTH)
    metrics.store_called("lease", 0.004)
    metrics.store_tried_again("lease", "lock")


async def test_a_scrape() -> None:
    async with serve_prometheus() as endpoint:
        full(CrawlMetrics(endpoint.meter_provider))
        found = await samples(endpoint)
    assert found['stillframe_farm_pages_total{"kind": "", "outcome": "done"}'] == 1
    assert found['stillframe_farm_verdicts_total{"reason": "quiet", "stable": "true"}'] == 1
    assert found["stillframe_farm_page_excess_seconds_sum"] == 0.03
    assert found['stillframe_farm_page_excess_seconds_bucket{"le": "0.03"}'] == 1
    assert found['stillframe_farm_browser_memory_bytes{"browser": "3"}'] == 100
    assert found['stillframe_farm_queue_pages{"state": "pending"}'] == 7
    assert found["stillframe_farm_lease_age_seconds"] == 3.5
    assert found["stillframe_farm_browser_restarts_total"] == 2
    assert found['stillframe_farm_host_pages_total{"host": "shop.test", "outcome": "done"}'] == 1
    assert found['stillframe_farm_host_time_seconds_total{"host": "shop.test"}'] == 0.25
    assert found['stillframe_farm_store_duration_seconds_bucket{"le": "0.005", "operation": "lease"}'] == 1
    assert found['stillframe_farm_store_retries_total{"operation": "lease", "reason": "lock"}'] == 1
    assert (found["stillframe_farm_store_lock_waits"], found["stillframe_farm_store_lock_wait_seconds"]) == (4, 1.5)
    assert found['stillframe_farm_hosts_waiting{"reason": "held"}'] == 2
    assert found['stillframe_farm_host_hold_seconds{"host": "slow.test"}'] == 90
    assert found["stillframe_farm_robots_unreachable"] == 3
    assert found['stillframe_farm_export_lag{"export": "jsonl"}'] == 12
    assert found['stillframe_farm_export_age_seconds{"export": "jsonl"}'] == 7.5
    assert any(name.startswith("target_info") and "stillframe-farm" in name for name in found)


async def test_two_endpoints_of_a_process_are_apart() -> None:
    async with serve_prometheus() as one, serve_prometheus() as other:
        full(CrawlMetrics(one.meter_provider))
        assert "stillframe_farm_pages_total" in await scrape(one)
        assert "stillframe_farm_pages_total" not in await scrape(other)


async def test_the_endpoint_ends_wholly_although_a_client_stalls() -> None:
    threads = set(threading.enumerate())
    async with asyncio.timeout(4), serve_prometheus() as endpoint:
        port = endpoint.port
        with socket.create_connection(("127.0.0.1", port)):
            # It is accepted before the next connection, whose answer shows that both were.
            await scrape(endpoint)
            left = {thread for thread in threading.enumerate() if "metrics" in thread.name}
            assert left
    assert not {each for each in set(threading.enumerate()) - threads if "asyncio" not in each.name}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


async def test_an_ipv6_host() -> None:
    async with serve_prometheus(host="::1") as endpoint:
        assert endpoint.url.startswith("http://[::1]:")
        full(CrawlMetrics(endpoint.meter_provider))
        assert "stillframe_farm_pages_total" in await scrape(endpoint)


@pytest.mark.parametrize(("port", "host"), [(70_000, "127.0.0.1"), (0, "192.0.2.1"), (0, "no host")])
async def test_an_address_that_cannot_be_bound(port: int, host: str) -> None:
    with pytest.raises(OptionInvalid, match=f"{host}, port {port}") as caught:
        async with serve_prometheus(port, host):
            pass
    assert caught.value.option == "port"


async def test_a_port_in_use() -> None:
    async with serve_prometheus() as endpoint:
        with pytest.raises(OptionInvalid, match="in use"):
            async with serve_prometheus(endpoint.port):
                pass


async def test_watching_reports_pool_and_queue_until_its_end() -> None:
    looks = 0
    looked = asyncio.Event()

    def pool() -> PoolStatus:
        return STATUS

    async def queue() -> Counts:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise StoreUnavailable("the database does not answer", url="sqlite:///x")
        if looks > 2:
            looked.set()
        return COUNTS

    async def health() -> Health:
        return HEALTH

    async with serve_prometheus() as endpoint, asyncio.timeout(HANG_S):
        metrics = CrawlMetrics(endpoint.meter_provider)
        asked = {"pool": pool, "queue": queue, "health": health}
        async with watching(metrics, **asked, every_s=0.001, health_every_s=0.001):
            await looked.wait()
            found = await samples(endpoint)
            assert found["stillframe_farm_lease_age_seconds"] == 3.5
            assert found["stillframe_farm_page_waiting"] == 6
            assert found["stillframe_farm_store_lock_waits"] == 4
        after = await scrape(endpoint)
        assert not any(name in after for name in ("lease_age_seconds ", "store_lock_waits "))


async def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    async with serve_prometheus() as endpoint:
        full(CrawlMetrics(endpoint.meter_provider))
        served = {name.partition("{")[0] for name in await samples(endpoint)}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = {name for panel in panels for target in panel.get("targets", []) for name in names_in(target["expr"])}
    assert asked <= served, asked - served
    shown = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in asked}
    exported = {re.sub(r"_(bucket|sum|count|total|created)$", "", name) for name in served}
    assert {name for name in exported if name.startswith("stillframe")} == shown, "each metric is in a panel"


async def test_the_dashboard_asks_for_labels_that_the_metrics_have() -> None:
    async with serve_prometheus() as endpoint:
        full(CrawlMetrics(endpoint.meter_provider))
        labels: dict[str, set[str]] = {}
        for family in text_string_to_metric_families(await scrape(endpoint)):
            for one in family.samples:
                labels.setdefault(one.name, set()).update(one.labels)
    panels = json.loads(DASHBOARD.read_text())["panels"]
    for target in (target for panel in panels for target in panel["targets"]):
        known = set.union(*(labels[name] for name in names_in(target["expr"]))) | {"instance"}
        assert labels_in(target["expr"]) | labels_in_legend(target["legendFormat"]) <= known, target["expr"]


async def test_the_alerts_ask_for_metrics_labels_and_values_that_exist() -> None:
    async with serve_prometheus() as endpoint:
        full(CrawlMetrics(endpoint.meter_provider))
        labels: dict[str, set[str]] = {}
        for family in text_string_to_metric_families(await scrape(endpoint)):
            for one in family.samples:
                labels.setdefault(one.name, set()).update(one.labels)
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        names = names_in(rule["expr"])
        assert names
        assert names <= labels.keys(), names - labels.keys()
        assert labels_in(rule["expr"]) <= set.union(*(labels[name] for name in names)), rule["expr"]
        assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= labels_in(rule["expr"])
    values = set(re.findall(r'reason="(\w+)"', " ".join(rule["expr"] for rule in rules)))
    assert values <= {*WHYS}


def test_the_panels_of_the_dashboard_are_apart() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)


async def test_the_series_of_a_worker_are_few_however_many_hosts_it_meets() -> None:
    async with serve_prometheus() as endpoint:
        metrics = CrawlMetrics(endpoint.meter_provider)
        for n in range(500):
            metrics.page_done(msgspec.structs.replace(PAGE, url=f"https://h{n}.test/"))
        found = await samples(endpoint)
    hosts = {name for name in found if name.startswith("stillframe_farm_host_pages_total")}
    assert len(hosts) == SLOTS + 1
    assert found['stillframe_farm_host_pages_total{"host": "other", "outcome": "done"}'] == 500 - SLOTS


def labels_in(expression: str) -> set[str]:
    grouped = ",".join(re.findall(r"by \(([^)]*)\)", expression))
    matched = ",".join(re.findall(r"\{([^}]*)\}", expression))
    return set(re.findall(r"[a-z_]+(?==|!|,|$)", grouped.replace(" ", ""))) | set(re.findall(r"(\w+)!?=", matched))


def labels_in_legend(legend: str) -> set[str]:
    return set(re.findall(r"{{(\w+)}}", legend))


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"stillframe_\w+", expression))


@pytest.mark.parametrize("missing", ["opentelemetry", "prometheus_client"])
def test_without_the_packages_the_error_names_the_extra(missing: str) -> None:
    code = f"""
import asyncio, sys
sys.modules[{missing!r}] = None
async def main():
    from stillframe.farm.metrics import serve_prometheus
    async with serve_prometheus(): pass
try: asyncio.run(main())
except ModuleNotFoundError as error: print(error.name, error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{missing} ")
    assert "pip install 'stillframe[metrics]'" in said


@pytest.mark.heavy
def test_the_farm_does_not_import_opentelemetry() -> None:
    code = (
        "import sys, stillframe.farm.pool, stillframe.farm.store, stillframe.farm.output;"
        "print([name for name in sys.modules if 'farm.metrics' in name or 'prometheus' in name])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
