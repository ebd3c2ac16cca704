"""Tasks that tick or choose what the goal lists, and submit."""

from __future__ import annotations

import re

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import find, one
from stillframe import Check, Click, SelectOption

LISTED = re.compile(r"^Select (?:words similar to )?(.*?)(?: from the (?:scroll )?list)? and click Submit\.$")
SUBMIT = 'role=button[name="Submit"]'

THESAURUS = (
    "big large huge enormous gigantic great vast giant",
    "small tiny little mini petite minute",
    "red scarlet crimson vermillion ruby",
    "happy cheerful joyful gleeful delighted glad merry",
    "sad unhappy sorrowful miserable tragic gloomy",
    "angry mad furious irritated annoyed",
    "evil wicked immoral sinful corrupt depraved bad vile",
    "wrong incorrect mistaken erroneous false",
    "real genuine actual authentic",
    "strange odd peculiar unusual weird curious",
    "stop cease halt end finish quit",
    "scared terrified panicked fearful frightened afraid",
    "quiet calm peaceful serene mild silent still",
    "old aged archaic ancient",
    "love like adore favor cherish",
    "kill murder assassinate slay",
    "keep retain preserve sustain maintain hold",
    "hide conceal camouflage cover",
    "hate despise loathe detest dislike abhor",
    "funny humorous amusing comical laughable hilarious",
    "fat fleshy plump chubby stout",
    "stupid dumb dull unwise foolish",
    "delicious savory delectable appetizing tasty",
    "cut slice carve chop",
    "brave courageous fearless bold heroic",
    "begin start initiate launch commence",
    "answer reply response respond",
    "television tv telly",
    "house home dwelling",
    "fire flame blaze",
    "pig pork swine hog",
    "rabbit bunny hare",
    "car automobile vehicle auto",
    "water",
)
"""Words of one meaning: the English that the task with similar words asks for, written down."""
MEANING = {word: group for group, words in enumerate(THESAURUS) for word in words.split()}


def listed(goal: str) -> list[str]:
    """Return the names in `Select A, B and click Submit.`; none for `Select nothing …`. Raises ValueError."""
    match = LISTED.match(goal)
    if not match:
        raise ValueError(f"the goal lists nothing to select: {goal}")
    return [] if match[1] == "nothing" else match[1].split(", ")


def meaning(word: str) -> int | str:
    """Return the group of a word in the thesaurus, also of a plural; an unknown word stands for itself."""
    low = word.lower()
    singulars = (low, low.removesuffix("s"), re.sub("ies$", "y", low))
    return next((MEANING[each] for each in singulars if each in MEANING), low)


async def tick_listed(episode: Episode) -> None:
    """Tick the boxes, or the radio button, that the goal lists."""
    nodes = await episode.nodes()
    boxes = (one(nodes, ("checkbox", "radio"), name) for name in listed(episode.goal))
    await episode.act(*(Check(box.selector) for box in boxes), Click(SUBMIT))


async def tick_similar(episode: Episode) -> None:
    """Tick the boxes whose words mean the same as those that the goal lists."""
    wanted = set(map(meaning, listed(episode.goal)))
    boxes = [box for box in find(await episode.nodes(), "checkbox") if meaning(box.name) in wanted]
    await episode.act(*(Check(box.selector) for box in boxes), Click(SUBMIT))


async def select_listed(episode: Episode) -> None:
    """Select the listed options in the only list of the page."""
    options = one(await episode.nodes(), ("combobox", "listbox"))
    await episode.act(SelectOption(options.selector, listed(episode.goal)), Click(SUBMIT))


POLICIES: dict[str, Policy] = {
    "choose-list": select_listed,
    "click-checkboxes": tick_listed,
    "click-checkboxes-large": tick_listed,
    "click-checkboxes-soft": tick_similar,
    "click-checkboxes-transfer": tick_listed,
    "click-option": tick_listed,
    "click-scroll-list": select_listed,
}
