"""Tasks with sections that open and close."""

from __future__ import annotations

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import find, one
from bench.miniwob.policies.clicking import quoted
from stillframe import Click


async def expand_and_submit(episode: Episode) -> None:
    """Open the first section and submit."""
    section = one(await episode.nodes(), "tab", collapsed=True)
    await episode.act(Click(section.selector), Click('role=button[name="Submit"]'))


async def search_sections(episode: Episode) -> None:
    """Open one section after the other until it shows what the goal quotes, and click that."""
    wanted = quoted(episode.goal)
    nodes = await episode.nodes()
    for name in [section.name for section in find(nodes, "tab")]:
        await episode.act(Click(one(nodes, "tab", name).selector))
        nodes = await episode.nodes()
        links = [node for node in find(nodes, name=wanted, clickable=True) if node.ref]
        if links:
            await episode.act(Click(links[0].selector))
            return
    raise LookupError(f"no section shows {wanted!r}")


POLICIES: dict[str, Policy] = {
    "click-collapsible": expand_and_submit,
    "click-collapsible-nodelay": expand_and_submit,
    "click-collapsible-2": search_sections,
    "click-collapsible-2-nodelay": search_sections,
}
