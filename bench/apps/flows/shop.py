"""Flows on the demo shop, which comes with stillframe: what `make test` plays of this benchmark, without a download."""

from __future__ import annotations

from functools import partial

from bench.apps.flows.flow import Flow, said, state
from bench.doing import check, click, fill

shop = partial(Flow, "shop", noise="#clock")

FLOWS = (
    shop(
        name="login refused",
        path="/login",
        act=(fill("#user", "ann"), fill("#pass", "amber"), click("#submit")),
        true="page().includes('That name and password do not go together')",
        key=(said("That name and password do not go together"),),
    ),
    shop(
        name="login",
        path="/login",
        act=(fill("#user", "ann"), fill("#pass", "lantern"), click("#submit")),
        true="page().includes('Welcome back!')",
        key=(said("Welcome back!"),),
    ),
    shop(
        name="join with a wrong address",
        path="/join",
        act=(fill("#email", "ann"), click("#join")),
        true="page().includes('That is not an e-mail address')",
        key=(said("That is not an e-mail address"),),
    ),
    shop(
        name="put a lamp into the cart",
        path="/shop",
        act=(click("#add-moth"),),
        true="page().includes('Moth is in your cart')",
        key=(said("Moth is in your cart"),),
    ),
    shop(
        name="ask for letters",
        path="/join",
        act=(check("#letters"),),
        true="one('#letters').checked",
        key=(state("checked", "true", "Send me letters"),),
    ),
)
