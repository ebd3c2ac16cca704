"""What the schemas say of each tool and field; nothing of a page ever gets in here."""

from __future__ import annotations

SELECTOR = (
    'CSS, ref=e12, text=Save, role=button[name="Save"], label=Email, //xpath; '
    "A >> B finds B in A, frame=A >> B in a frame"
)

AS_ABOVE = "as in execute_sequence"
"""Of selectors in all other places: a schema is read with every request."""

FIELDS: dict[str, str] = {
    "sessionId": "named session; the default one if left out",
    "budget": "most characters of text in the reply",
    # sequence
    "actions": "run in order; stops at the first that fails",
    "stabilityMs": "quiet/virtual: how long nothing may change",
    "pollIntervalMs": "quiet: how often to look",
    "timeoutMs": "most time of this wait",
    "verbose": "add steps to structured content",
    "settle": "causal waits for what the actions caused",
    "observe": "how closely the page is observed",
    "horizonMs": "causal: longer work is not awaited",
    "expect": "ends the wait early once it holds: one of",
    "limit": "rows per list of changes",
    "textLimit": "characters of the longest texts in rows",
    "pageText": "add the text of the page, so many characters of it",
    "guard": "stop if the page became another one",
    "pageHash": "add a hash that recognises the page",
    "heal": "find a stale ref's element again, if it is clear",
    "actionTimeoutMs": "most time an action waits for its target",
    # actions
    "action": "what to do",
    "selector": SELECTOR,
    "value": "text, true/false, option(s), or a secret",
    "secret": "text that is never shown",
    "secretName": "name of a declared secret",
    "modifiers": "keys held down",
    "button": "of the mouse",
    "clickCount": "2 selects a word",
    "position": "{x, y} in it, from its top left",
    "offset": "{x, y} to go instead of a target",
    "sourcePosition": "where to press",
    "targetPosition": "where to let go",
    "x": "CSS pixels to the right",
    "y": "CSS pixels down",
    "url": "URL, or a part of it to wait for",
    "direction": "what lies there comes into view",
    "pixels": "how far",
    "percent": "share of the side, 0 to 1",
    "key": "Enter, Control+A, …",
    "times": "how often",
    "text": "text to type or to wait for",
    "paths": "files to upload",
    "target": "selector to drop it on",
    "durationMs": "how long to hold",
    "state": "what to wait for of the selector",
    # looking
    "scope": "page, viewport, ref=e12 (only that), from=e12 (all after it) or a selector",
    "fullPage": "all of the page, not only what is in view",
    # sessions
    "ownBrowser": "open: a browser of its own",
    "targetId": "switch: the tab to act on",
}

RESULT: dict[str, str] = {
    "completed": "actions done",
    "failed": "the action it stopped at",
    "stateChange": "what changed; null if nothing",
    "stabilityWaitMs": "time waited after the actions",
    "stable": "whether the page is still",
    "reason": "why the wait ended",
    "pending": "work that has not ended",
    "ignored": "what changes by itself",
    "late": "what came after the last reply",
    "dialogs": "answered by policy",
    "downloads": "files it started",
    "newTargets": "tabs it opened",
    "refused": "URLs the rules refused",
    "healed": "refs found anew",
    "loops": "repetition without progress",
    "steps": "each action, if verbose",
    "console": "its messages, if verbose",
    "errors": "uncaught, if verbose",
    "captures": "what looking cost, if verbose",
    "clock": "virtual: page and wall time",
    "pageHash": "recognises the page",
    "sessionId": "the session it ran in",
    "overflow": "address of the full result, if cut",
    "pageText": "how much of the page the text shows",
    "appeared": "new: {selector, tagName, role, name, text, ref}",
    "disappeared": "gone: the same",
    "changed": "{selector, tagName, role, name, field, from, to, ref}",
    "omitted": "rows left out, by list",
    "from": "before",
    "to": "after",
    "selector": "selector",
    "tagName": "tag",
    "role": "role",
    "name": "accessible name",
    "text": "text",
    "ref": "use as ref=e12",
    "field": "what changed of it",
    "url": "URL",
    "title": "title",
    "approximate": "not all could be compared",
    "index": "counts from 0",
    "action": "its kind",
    "error": "what went wrong",
    "code": "kind of error",
    "skipped": "actions not run",
    "shown": "lines shown",
    "total": "lines there are",
    "cut": "what was left out",
    "sessions": "all open ones, or the one concerned",
    "warning": "more are open than is wise",
    "width": "CSS pixels",
    "height": "CSS pixels",
    "bytes": "size of the picture",
    "mimeType": "format",
}

TOOLS: dict[str, tuple[str, str]] = {
    "execute_sequence": (
        "Run actions and see what changed",
        "Run several UI actions in one call (a whole form: fill, fill, click), wait until everything they caused has "
        "happened, and get what changed: rows + appeared, - gone, ~ changed from → to, each with a ref for the next "
        "call. Prefer it to single steps; no snapshot is needed afterwards.",
    ),
    "navigate": ("Open a URL", "Load a URL, wait until the page is still, and get its text with refs."),
    "wait_for": (
        "Wait for something",
        "Wait for a selector's state, a text or a part of the URL (exactly one), and get what changed.",
    ),
    "snapshot": ("Read the page", "The page as text: role, name, state, value and ref of what is there."),
    "screenshot": ("See the page", "A picture of the page or of one element; text is cheaper, see snapshot."),
    "sessions": (
        "Named sessions",
        "List sessions and tabs; open one (own cookies) by a new sessionId; close it; switch it to another tab.",
    ),
}
