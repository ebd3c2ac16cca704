"""How much memory is in use: of the machine and of the control group, from files as Linux writes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stillframe.farm.pool.memory import memory_share, pss_of_tree

MEMINFO = (
    "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    {available} kB\nHugePages_Total:       0\n"
)


def machine(root: Path, available: int, groups: str = "", files: dict[str, str] | None = None) -> Path:
    """Write the files of a machine below a folder."""
    texts = {"proc/meminfo": MEMINFO.format(available=available), "proc/self/cgroup": groups, **(files or {})}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


V2 = "sys/fs/cgroup/jobs/one"
V1 = "sys/fs/cgroup/memory/jobs/one"


@pytest.mark.parametrize(
    ("groups", "files", "share"),
    [
        ("", {}, 0.25),
        ("0::/jobs/one\n", {f"{V2}/memory.current": "900\n", f"{V2}/memory.max": "1000\n"}, 0.9),
        ("0::/jobs/one\n", {f"{V2}/memory.current": "900\n", f"{V2}/memory.max": "max\n"}, 0.25),
        (
            "0::/jobs/one\n",
            {
                f"{V2}/memory.current": "900\n",
                f"{V2}/memory.max": "1000\n",
                f"{V2}/memory.stat": "anon 300\ninactive_file 400\n",
            },
            0.5,
        ),
        (
            "0::/jobs/one\n",
            {"sys/fs/cgroup/jobs/memory.current": "95\n", "sys/fs/cgroup/jobs/memory.max": "100\n"},
            0.95,
        ),
        (
            "4:memory:/jobs/one\n0::/\n",
            {f"{V1}/memory.usage_in_bytes": "600\n", f"{V1}/memory.limit_in_bytes": "1000\n"},
            0.6,
        ),
        (
            "4:memory:/jobs/one\n0::/\n",
            {f"{V1}/memory.usage_in_bytes": "600\n", f"{V1}/memory.limit_in_bytes": "9223372036854771712\n"},
            0.25,
        ),
    ],
)
def test_the_fullest_counts(tmp_path: Path, groups: str, files: dict[str, str], share: float) -> None:
    assert memory_share(machine(tmp_path, 750, groups, files)) == pytest.approx(share)


def test_this_machine_has_a_share() -> None:
    assert 0 < memory_share() < 1


def test_a_process_has_memory_and_one_that_is_gone_has_none() -> None:
    assert pss_of_tree(os.getpid()) > 1_000_000
    assert pss_of_tree(2**22 + 1) == 0
