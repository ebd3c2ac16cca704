"""Options of crawlee's PlaywrightCrawler that have another name here, and what a crawler adds to those of crawlee."""

from __future__ import annotations

from collections.abc import Iterable

from stillframe.errors import OptionInvalid

REPLACED = {
    "headless": "browser_options={'headless': …}",
    "browser_type": "nothing: stillframe drives Chrome; browser_options={'executable': …} names another one",
    "browser_launch_options": "browser_options, with the options of stillframe.launch",
    "browser_new_context_options": "context_options, with the options of new_context",
    "browser_pool": "pool, with a BrowserPool of stillframe.farm.pool",
    "use_incognito_pages": "identity=lambda context: context.request.unique_key, which costs a renderer per page",
    "user_data_dir": "browser_options={'profile': …}",
    "fingerprint_generator": "nothing: stillframe changes no fingerprints",
}
"""What replaces an option of PlaywrightCrawler."""


def refuse_replaced(names: Iterable[str]) -> None:
    """Raise OptionInvalid for the first name that PlaywrightCrawler has and StillframeCrawler does not."""
    for name in names:
        if name in REPLACED:
            raise OptionInvalid(f"StillframeCrawler has no option {name}: use {REPLACED[name]}", option=name)
