"""What a script comes to: a value, or a function to call."""

from __future__ import annotations

import pytest

from stillframe.tab.javascript.caller_scripts import assigns


@pytest.mark.parametrize(
    "script",
    [
        "go.onclick = () => 1",
        "document.querySelector('#a').oninput = (event) => { total = event }",
        "globalThis.sizes = []; visualViewport.onresize = onresize = () => sizes.push([innerWidth, innerHeight])",
        "handle = function () { return 1 }",
        "handlers['a=>b'] = async (a = {b: [1]}) => a",
    ],
)
def test_a_function_that_is_assigned_is_not_called(script: str) -> None:
    assert assigns(script)


@pytest.mark.parametrize(
    "script",
    [
        "() => { total = 1 }",
        "total => sum = total",
        "async (a = 1, {b = [2]} = {}) => a",
        "function add(a = {b: 1}) { return a.b }",
        "window.compute",
        "mode == 'a' ? (() => 1) : (() => 2)",
        "(() => { const inner = () => 5; return inner })()",
    ],
)
def test_any_other_function_is(script: str) -> None:
    assert not assigns(script)
