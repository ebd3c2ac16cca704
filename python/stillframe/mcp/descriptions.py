"""The texts of the schemas: each tool, argument and result field. Text of a page never gets in here."""

from __future__ import annotations

SELECTOR = (
    'CSS, ref=e12, text=Save, role=button[name="Save"], label=Email, //xpath; '
    "A >> B finds B in A, frame=A >> B in a frame"
)

SAME_SELECTOR = "as in execute_sequence"
"""For selectors everywhere else: models read the schemas with every request."""

ARGUMENTS: dict[str, str] = {
    "sessionId": "session to use; omit for the default one",
    "budget": "maximum characters of the reply's text",
    # sequence
    "actions": "run in order; stops at the first failure",
    "stabilityMs": "quiet/virtual: time without a change",
    "pollIntervalMs": "quiet: time between looks",
    "timeoutMs": "time limit of this wait",
    "delayMs": "time to hold, or between two letters",
    "eventInit": "members of the event, such as clientX or detail",
    "verbose": "add steps to structured content",
    "settle": "causal waits for what the actions caused",
    "observe": "how closely to observe the page",
    "horizonMs": "causal: do not wait for longer work",
    "expect": "ends the wait early when it holds: one of",
    "limit": "rows per list of changes",
    "textLimit": "maximum characters of a text in rows",
    "controls": "maximum elements to act on that a row lists",
    "pageText": "add this many characters of page text",
    "guard": "stop if the page became another one",
    "pageHash": "add a hash that identifies the page",
    "heal": "find the element of a stale ref again",
    "actionTimeoutMs": "time limit of an action to find its target",
    # actions
    "action": "kind of action",
    "selector": SELECTOR,
    "value": "text, true/false, option(s), or a secret",
    "secret": "text that is never shown",
    "secretName": "name of a declared secret",
    "modifiers": "keys to hold down",
    "button": "mouse button",
    "clickCount": "2 selects a word",
    "position": "{x, y} in it, from its top left",
    "offset": "{x, y} to move by, instead of a target",
    "sourcePosition": "where to press",
    "targetPosition": "where to release",
    "x": "CSS pixels to the right",
    "y": "CSS pixels down",
    "url": "URL, or part of it to wait for",
    "referer": "URL of the page that leads there",
    "direction": "side that comes into view",
    "pixels": "distance",
    "edge": "end to scroll to",
    "toX": "x of the release",
    "toY": "y of the release",
    "deltaX": "pixels to the right",
    "deltaY": "pixels down",
    "percent": "share of the side, 0 to 1",
    "key": "Enter, Control+A, …",
    "times": "number of presses",
    "text": "text to type or to wait for",
    "paths": "files to upload",
    "data": "texts to drop, by their MIME type",
    "files": "files made of text or bytes",
    "name": "its name",
    "mimeType": "type of the file, such as text/csv",
    "buffer": "its content in base64",
    "target": "selector of the drop target",
    "durationMs": "time to hold",
    "state": "state of the selector to wait for",
    "accept": "true for OK, false for Cancel",
    "promptText": "text for a prompt, instead of its default",
    # emulation and state
    "device": "such as Pixel 7 or iPhone 15 landscape",
    "viewport": "size of the page",
    "deviceScaleFactor": "device pixels per CSS pixel",
    "mobile": "lay out as a phone does",
    "touch": "has a touch screen",
    "userAgent": "name of the browser",
    "locale": "language tag, such as de-CH",
    "timezone": "such as Europe/Zurich",
    "colorScheme": "prefers-color-scheme",
    "reducedMotion": "prefers-reduced-motion",
    "forcedColors": "forced-colors",
    "contrast": "prefers-contrast",
    "geolocation": "position of the device",
    "latitude": "degrees",
    "longitude": "degrees",
    "accuracy": "metres",
    "headers": "extra headers of every request",
    "offline": "without a network",
    "reset": "first go back to how the session began",
    # reading
    "scope": "page, viewport, ref=e12 (only that), from=e12 (all after it) or a selector",
    "fullPage": "the whole page, not only the viewport",
    # console and network
    "level": "least grave level to show",
    "contains": "only messages with this text",
    "since": "only entries with a higher number",
    "type": "document, xhr, fetch, script, image, …",
    "method": "HTTP method",
    "status": "404, 4xx, …",
    "failed": "only those without a response, or with 4xx or 5xx",
    "includeStatic": "also images, scripts, styles and fonts that loaded",
    "number": "its number in the list",
    # tabs, scripts, search
    "tab": "number in the list, or targetId; close: the current one by default",
    "script": "JavaScript: an expression, or a function, which is called (with the element of the selector)",
    "regex": "regular expression for whole lines, roles included, in any case",
    "context": "lines around a match",
    # tools of the page
    "input": "arguments, as its schema says",
    "frameId": "frame of the tool, if the list names one",
    # pictures and files
    "maxMarks": "marks at most, in reading order",
    "landscape": "turn the paper",
    "printBackground": "colours and pictures behind the text",
    "pageRanges": "1-5, 8",
    # sessions
    "ownBrowser": "open: launch a browser for it alone",
    "targetId": "switch: tab to act on",
}

GOAL_ARGUMENTS: dict[str, str] = ARGUMENTS | {
    "goal": "what to achieve, in words",
    "url": "page to load first",
    "check": "the goal is complete only while it holds: one of",
    "selector": "selector that is visible",
    "text": "text on the page",
    "budgetUsd": "US dollars that it may cost",
    "budgetTokens": "tokens that it may use, in and out",
    "timeoutS": "seconds that it may take",
}
"""The arguments of `run_goal`."""

GOAL_RESULTS: dict[str, str] = {
    "sessionId": "session it ran in",
    "url": "URL of the page now",
    "status": "complete, stuck, infeasible, limit or cancelled",
    "reason": "why it ended",
    "steps": "each step: {goal, status, reason, turns}",
    "extracted": "data that it kept, by name",
    "experiences": "what it learned about the site",
    "usage": "calls of the model and tokens by kind",
    "price": "US dollars; null if not known",
    "text": "the reply's text",
    "overflow": "URI of the full result, if cut",
}

RESULTS: dict[str, str] = {
    "completed": "actions done",
    "failed": "action that failed",
    "stateChange": "what changed; null if nothing",
    "stabilityWaitMs": "wait after the actions",
    "stable": "whether the page is still",
    "reason": "why the wait ended",
    "detail": "what it ended with",
    "waitReason": "why, if unseen",
    "pending": "work that has not ended",
    "ignored": "what changes by itself",
    "late": "work after the last reply",
    "dialogs": "dialogs that were answered",
    "openDialog": "dialog that waits for answer_dialog",
    "downloads": "files it started",
    "newTargets": "tabs it opened",
    "refused": "URLs the policy refused",
    "healed": "refs found again",
    "loops": "repetition without progress",
    "steps": "each action, if verbose",
    "data": "attributes of the error",
    "console": "its messages, if verbose",
    "errors": "uncaught, if verbose",
    "captures": "snapshot counts, if verbose",
    "clock": "virtual: page and wall time",
    "pageHash": "identifies the page",
    "observed": "what an old browser hides",
    "sessionId": "session it ran in",
    "overflow": "URI of the full result, if cut",
    "pageText": "how much of the page the text shows",
    "appeared": "new: {selector, tagName, role, name, text, ref, controls}",
    "disappeared": "gone: the same fields",
    "changed": "{selector, tagName, role, name, field, from, to, ref}",
    "cameAndWent": "messages gone again",
    "nearby": "unchanged controls near the change",
    "rows": "list/index, in reading order",
    "rank": "place in that order",
    "omitted": "omitted rows, by list",
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
    "approximate": "comparison is incomplete",
    "index": "counts from 0",
    "action": "its kind",
    "error": "what went wrong",
    "code": "kind of error",
    "skipped": "actions not run",
    "shown": "lines shown",
    "total": "lines in total",
    "cut": "what was left out",
    "sessions": "all open sessions, or the one concerned",
    "warning": "too many sessions are open",
    "count": "how many there are",
    "width": "CSS pixels",
    "height": "CSS pixels",
    "bytes": "size of the picture",
    "mimeType": "format",
    "resource": "its URI",
    "messages": "each: {number, type, text, place, stack}",
    "requests": "each: {number, method, url, type, status, mimeType, error}",
    "marks": "each: {number, ref, role, name, box}",
    "tabs": "each: {index, targetId, title, url, current}",
    "matches": "lines that match",
    "last": "the highest number so far",
    "number": "its number in the list",
    "method": "HTTP method",
    "type": "kind of resource",
    "status": "HTTP status",
    "requestHeaders": "headers of the request, by name",
    "responseHeaders": "headers of the response, by name",
    "emulated": "what is set now, by argument",
    "cookies": "each: name and domain, without its value",
    "origins": "each: origin and number of items in localStorage",
    "saved": "names of saved states",
}

_POINT = {"x": "CSS pixels from the left of the viewport", "y": "CSS pixels from its top"}

OWN_ARGUMENTS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("mouse_move", "mouse_click", "mouse_drag", "mouse_wheel"), _POINT),
    "run_goal": GOAL_ARGUMENTS,
    "execute_webmcp_tool": {"name": "its name in the list", "timeoutMs": "time limit of the tool"},
    "downloads": {"number": "file to read; omit for the list"},
    "tabs": {"url": "open: URL to load"},
    "evaluate": {"selector": "element to hand to the function"},
    "find": {"text": "words to find, in any case"},
    "network_requests": {"url": "glob with a *, or a part of the URL"},
    "emulate": {"width": "CSS pixels", "height": "CSS pixels"},
    "ask_user": {"question": "what to ask", "choices": "answers to choose from; without them the answer is a text"},
    "tracing": {
        "action": "whether to start or to stop",
        "format": "what to record",
        "screenshots": "trace: a picture before and after each sequence",
    },
    "storage_state": {
        "action": "what to do with cookies and storage",
        "name": "a state kept until the server ends; without it, save writes the file of --save-storage-state",
        "indexedDb": "list, save: IndexedDB as well, where Firebase and MSAL keep logins",
    },
}
"""Arguments that mean something else in one tool, by its name."""

OWN_RESULTS: dict[str, dict[str, str]] = {
    "run_goal": GOAL_RESULTS,
    "find": {"total": "lines of the page"},
    "ask_user": {"answer": "the choice, or the text"},
    "tracing": {"recording": "formats that are being recorded", "bytes": "size of the file"},
    **{key: {"bytes": "size of the file"} for key in ("save_pdf", "downloads")},
}
"""Result fields that mean something else in one tool, by its name."""

TOOLS: dict[str, tuple[str, str]] = {
    "execute_sequence": (
        "Run actions and see what changed",
        "Run several UI actions in one call (a whole form: fill, fill, click), wait until everything they caused has "
        "happened, and get the changes: + appeared, - gone, ~ changed from → to, each with a ref for the next call, "
        "and ± what came and went. Prefer it to single actions; you need no aria_snapshot afterwards.",
    ),
    "navigate": ("Open a URL", "Load a URL, wait until the page is still, and get its text with refs."),
    "wait_for": (
        "Wait for something",
        "Wait for a selector's state, a text or a part of the URL (exactly one), and get what changed.",
    ),
    "aria_snapshot": (
        "Read the page",
        "Get the page's ARIA snapshot: role, name, state, value and ref of each element, as text.",
    ),
    "screenshot": (
        "See the page",
        "Get a picture of the page or of one element. aria_snapshot is cheaper.",
    ),
    "run_goal": (
        "Carry out a goal",
        "Let another model carry out a goal in words on the page, within limits of money, tokens and time, and get "
        "what it came to. It is slow and costs money: use it for a long errand, not for single actions.",
    ),
    "console_messages": (
        "Read the console",
        "Get the console messages and uncaught errors of the tab, the newest first, each with a number.",
    ),
    "network_requests": (
        "List requests",
        "Get the requests of the tab, the newest first, each with a number for network_request.",
    ),
    "network_request": (
        "Read one request",
        "Get the headers and bodies of one request. A body is gone once the page that asked for it is left.",
    ),
    "marked_screenshot": (
        "See the page with marks",
        "Get a picture of the viewport with a numbered box on each element that has a ref, and for each number its ref "
        "and its place, in CSS pixels as the mouse actions take them.",
    ),
    "save_pdf": ("Save as PDF", "Get the page as a PDF: a resource, whose URI is in the reply."),
    "downloads": (
        "Downloads",
        "List the files that pages of the session downloaded; with a number, get one: its text, and a resource.",
    ),
    "tabs": (
        "Manage tabs",
        "List the tabs of the session; open one (with its URL), close one, or switch to one. Calls act on the current "
        "tab, marked *.",
    ),
    "evaluate": (
        "Run a script",
        "Run JavaScript in the page, with its rights, and get its value as JSON. Prefer actions, which wait and return "
        "what changed.",
    ),
    "find": (
        "Find in the page",
        "Search the text of the page for words or a regular expression, and get the lines that match with refs, the "
        "lines around them and the elements that contain them.",
    ),
    "list_webmcp_tools": (
        "List the page's tools",
        "List the tools that the page offers to agents (WebMCP), with their input schemas. One call of such a tool may "
        "replace many actions.",
    ),
    "execute_webmcp_tool": (
        "Call a tool of the page",
        "Call a tool of list_webmcp_tools by its name, and get what it returned and what changed on the page.",
    ),
    "sessions": (
        "Manage sessions",
        "List sessions and tabs; open a session (own cookies) by a new sessionId; close it; switch it to another tab.",
    ),
    "emulate": (
        "Emulate a device",
        "Change how the pages of the session appear: device, viewport, language, time zone, position, color scheme, "
        "headers, offline. Reload the page for what it has read already.",
    ),
    "storage_state": (
        "Keep a login",
        "List cookies and localStorage of the session, save them under a name, restore them (also in another session), "
        "or clear them. Values are never shown.",
    ),
    "ask_user": (
        "Ask the person",
        "Ask the person in front of this client to choose, or to answer in a few words, where the goal leaves it open. "
        "Never ask for passwords or codes: fill them in by secretName.",
    ),
    "tracing": (
        "Record a trace or a HAR file",
        "Start to record, or stop and get the file as a resource: a trace of the tab (actions, verdicts, requests, "
        "console), or a HAR file of the session's requests with bodies.",
    ),
    "answer_dialog": (
        "Answer a dialog",
        "Accept or dismiss the alert, confirm, prompt or beforeunload that is open, and get what changed.",
    ),
}
