"""Toasts that come and go within the wait: each is one row with its text, however the page nests it."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour
from bench.behaviours.deltas import told

ONCE = {"stateChange.cameAndWent": 1}
NEVER = {"stateChange.cameAndWent": None}


def passing(name: str, region: str, toast: str, says: str = "Saved 3 files", **row: Any) -> Behaviour:
    """A toast of half a second, put as `toast` into the element `#at` of `region`, or of the body if there is none."""
    return told(
        f"a toast of {name}",
        f"<template id=toast>{toast}</template>{region}",
        "const at = document.getElementById('at') || document.body; at.insertAdjacentHTML('beforeend', "
        "toast.innerHTML);"
        "const it = at.lastElementChild; setTimeout(() => it.remove(), 600)",
        **{"told": ONCE, "tells": (says,), "leads": (says,), **row},
    )


CLOSE = "<button aria-label=Close>×</button>"
FIXED = "position:fixed;right:10px;top:10px"

# What libraries put on a page, reduced to how it is nested.
ROWS = (
    passing("a status alone", "", f"<div role=status style='{FIXED}'>Saved 3 files</div>"),
    passing(
        "a live region with a box and a cross",
        f"<div id=at aria-live=polite style='{FIXED}'></div>",
        f"<div class=box><div>Saved 3 files</div>{CLOSE}</div>",
    ),
    passing(
        "a live region with a list",
        f"<section aria-label=Notifications aria-live=polite style='{FIXED}'><ol id=at></ol></section>",
        f"<li data-state=open tabindex=0><div data-content><div data-title>Saved 3 files</div><div>Just now</div>"
        f"</div>"
        f"{CLOSE}</li>",
    ),
    passing(
        "a container with an alert as its body",
        f"<div class=toasts style='{FIXED}'><div id=at class=toast-container></div></div>",
        f"<div class='toast toast--success'><div role=alert class=toast-body><svg width=9 height=9></svg>"
        f"<div>Saved 3 files</div></div>{CLOSE}<div role=progressbar aria-label='notification timer'></div></div>",
    ),
    passing(
        "a head and a body",
        f"<div id=at class=toast-container aria-live=polite aria-atomic=true style='{FIXED}'></div>",
        f"<div class='toast show' role=alert aria-live=assertive><div class=toast-header><strong>Files</strong>"
        f"<small>now</small>{CLOSE}</div><div class=toast-body>Saved 3 files</div></div>",
    ),
    passing(
        "a bar with an alert and an undo",
        "",
        f"<div role=presentation style='{FIXED}'><div role=alert class=alert-filled><div class=icon>✓</div>"
        f"<div class=message>Saved 3 files</div><div class=action><button>Undo</button>{CLOSE}</div></div></div>",
    ),
    passing(
        "a region with a list of statuses",
        f"<div role=region aria-live=polite aria-label='Notifications-top' style='{FIXED}'><ul id=at></ul></div>",
        f"<li><div class=wrap><div role=status aria-atomic=true><div><div id=t1>Saved 3 files</div></div>"
        f"{CLOSE}</div>"
        "</div></li>",
    ),
    passing(
        "an overlay that speaks through a label",
        f"<div class=overlay-container style='{FIXED}'><div id=at></div></div>",
        "<div class=snack-bar-container><div class=surface><div class=label><div aria-live=assertive>"
        "<div><div class=snack-label>Saved 3 files</div><button>Undo</button></div></div></div></div></div>",
    ),
    passing(
        "a message by its class alone",
        f"<div style='{FIXED}'><div id=at></div></div>",
        "<div class=ui-message><div class=ui-message-notice><span>✓</span><span>Saved 3 files</span></div></div>",
    ),
    passing(
        "a box without role or class",
        "",
        f"<div style='{FIXED};background:#333;color:#fff;padding:9px'>Saved 3 files</div>",
    ),
    passing(
        "a status beside its visible copy",
        f"<div id=at style='{FIXED}'></div>",
        "<div><span role=status style='position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)'>"
        "Saved 3 files</span><div class=toast aria-hidden=true>Saved 3 files</div></div>",
    ),
    passing(
        "an output",
        f"<output id=at style='{FIXED};display:block'></output>",
        "<span>Saved 3 files</span>",
    ),
    told(
        "two toasts of one region",
        f"<div id=at aria-live=polite style='{FIXED}'></div>",
        "for (const t of ['Saved 3 files', 'Mail sent to Ann']) { const d = document.createElement('div');"
        " d.innerHTML = "
        f"`<div>${{t}}</div>{CLOSE}`; at.append(d); setTimeout(() => d.remove(), 600) }}",
        told={"stateChange.cameAndWent": 2},
        tells=("Saved 3 files", "Mail sent to Ann"),
    ),
    told(
        "a toast after another in one region",
        f"<div id=at aria-live=polite style='{FIXED}'></div>",
        "const show = (t, ms) => setTimeout(() => { const d = document.createElement('div'); d.innerHTML = "
        f"`<p>${{t}}</p>{CLOSE}`; at.append(d); setTimeout(() => d.remove(), 600) }}, ms); show('Copied one', 0);"
        "show('Copied the rest', 250)",
        told={"stateChange.cameAndWent": 2},
        tells=("Copied one", "Copied the rest"),
    ),
    told(
        "a toast that loads and then tells",
        "",
        f"const d = document.createElement('div'); d.setAttribute('role', 'status'); d.style.cssText = '{FIXED}';"
        "d.textContent = 'Saving…'; document.body.append(d); setTimeout(() =>"
        " { d.textContent = 'Saved 3 files' }, 300);"
        "setTimeout(() => d.remove(), 900)",
        told=ONCE,
        tells=("Saved 3 files",),
    ),
    told(
        "a toast that counts down",
        "",
        f"const d = document.createElement('div'); d.className = 'toast'; d.style.cssText = '{FIXED}'; let n = 4;"
        "document.body.append(d); const t = setInterval(() => { d.textContent = `Closing in ${--n}`; if (!n) "
        "{ clearInterval(t); d.remove() } }, 250); d.textContent = 'Closing in 4'",
        told=ONCE,
        tells=("Closing in",),
    ),
    told(
        "a toast that stays",
        f"<div id=at aria-live=polite style='{FIXED}'></div>",
        f"at.innerHTML = `<div><div>Saved 3 files</div>{CLOSE}</div>`",
        told=NEVER,
        leads=("Saved 3 files",),
    ),
    told(
        "a toast in a shadow root",
        "<x-toaster id=host></x-toaster><script>host.attachShadow({mode: 'open'}).innerHTML = "
        f"'<div id=at aria-live=polite style={FIXED}></div>'</script>",
        "const at = host.shadowRoot.getElementById('at'); at.innerHTML = '<div><p>Saved 3 files</p><button>×</button>"
        "</div>'; setTimeout(() => at.replaceChildren(), 600)",
        told=ONCE,
        tells=("Saved 3 files",),
    ),
    told(
        "an error that goes by itself",
        "<p id=hint role=alert></p>",
        "hint.textContent = 'The code has expired'; setTimeout(() => { hint.textContent = '' }, 700)",
        told=ONCE,
        leads=("The code has expired",),
    ),
    told(
        "a form that the browser does not send",
        "<form><label>Name <input name=n required></label></form>",
        "document.querySelector('form').requestSubmit()",
        told=ONCE,
        leads=("Please fill out this field.",),
    ),
    told(
        "a form that only looks at itself",
        "<form><input name=n required></form><p id=o></p>",
        "o.textContent = document.querySelector('form').checkValidity() ? 'Right' : 'Wrong'",
        told=NEVER,
        leads=("Wrong",),
    ),
)
