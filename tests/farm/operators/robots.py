"""robots.txt as operators serve it: what the server answers for it, and what becomes of one page of that host."""

from __future__ import annotations

import gzip
from typing import Literal, NamedTuple

from operators.raw import Answer, hang, http, reset

Fate = Literal["loaded", "forbidden", "waits", "fails"]
"""What becomes of the page; `waits` asks again later, `fails` is the end of that."""


class RobotsCase(NamedTuple):
    """One host: its answer to `/robots.txt`, the path of a page and what becomes of it."""

    name: str
    why: str
    given: Answer
    path: str
    expected: Fate
    token: str = "shopbot"
    more: tuple[tuple[str, Answer], ...] = ()
    """Other paths of the host, with their answers."""
    patient: bool = True
    """Whether the crawl still waits for a robots.txt that cannot be read."""


def file(*lines: str, **headers: str) -> bytes:
    """Return the answer of a server with such a file for every crawler."""
    return http("\n".join(("User-agent: *", *lines, "")), **headers)


PRIVATE = file("Disallow: /private")
GROUPS = http(
    "User-agent: shopbot\nUser-agent: otherbot\nDisallow: /shop\n\n"
    "User-agent: *\nDisallow: /\n\nUser-agent: ShopBot/2.0\nDisallow: /more\n"
)
RFC, ITS_ABNF = "RFC 9309", "RFC 9309 2.2"

CASES: tuple[RobotsCase, ...] = (
    # what the answer is: RFC 9309, section 2.3.1
    RobotsCase("there is none", f"{RFC} 2.3.1.3", http("Disallow: /", "404 Not Found"), "/private", "loaded"),
    RobotsCase("it is gone", f"{RFC} 2.3.1.3", http("", "410 Gone"), "/private", "loaded"),
    RobotsCase("it needs a password", f"{RFC} 2.3.1.3", http("", "401 Unauthorized"), "/private", "loaded"),
    RobotsCase("it is refused", f"{RFC} 2.3.1.3", http("", "403 Forbidden"), "/private", "loaded"),
    RobotsCase("it is 451", f"{RFC} 2.3.1.3", http("", "451 Unavailable For Legal Reasons"), "/private", "loaded"),
    RobotsCase("the server is broken", f"{RFC} 2.3.1.4", http("", "500 Internal Server Error"), "/public", "waits"),
    RobotsCase("the server is busy", f"{RFC} 2.3.1.4", http("", "503 Service Unavailable"), "/public", "waits"),
    RobotsCase("the gateway has no answer", f"{RFC} 2.3.1.4", http("", "502 Bad Gateway"), "/public", "waits"),
    RobotsCase("too many requests", "RFC 6585 4: later", http("", "429 Too Many Requests"), "/public", "waits"),
    RobotsCase("the connection is reset", f"{RFC} 2.3.1.4", reset, "/public", "waits"),
    RobotsCase("no answer in time", f"{RFC} 2.3.1.4", hang, "/public", "waits"),
    RobotsCase("it is cut in the middle", f"{RFC} 2.3.1.4", http("User-agent: *\n", length=500), "/public", "waits"),
    RobotsCase("no HTTP at all", f"{RFC} 2.3.1.4", b"\0\1\2\r\n\r\n", "/public", "waits"),
    RobotsCase("unpacking fails", f"{RFC} 2.3.1.4", http(b"no gzip", Content_Encoding="gzip"), "/public", "waits"),
    RobotsCase(
        "broken for longer than the crawl waits",
        f"{RFC} 2.3.1.4",
        http("", "503 Service Unavailable"),
        "/public",
        "fails",
        patient=False,
    ),
    RobotsCase("it is empty", f"{RFC} 2.2.1: no group, no rule", http(""), "/private", "loaded"),
    RobotsCase("204", f"{RFC} 2.3.1.1", b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", "/private", "loaded"),
    RobotsCase(
        "it is an HTML page", ITS_ABNF, http("<html><p>Disallow: /private", Content_Type="text/html"), "/p", "loaded"
    ),
    RobotsCase(
        "it is packed",
        "RFC 9110 8.4",
        http(gzip.compress(PRIVATE.partition(b"\r\n\r\n")[2]), Content_Encoding="gzip"),
        "/private",
        "forbidden",
    ),
    # redirects: section 2.3.1.2
    RobotsCase(
        "it is elsewhere on the host",
        f"{RFC} 2.3.1.2",
        http("", "301 Moved Permanently", Location="/files/robots"),
        "/private",
        "forbidden",
        more=(("/files/robots", PRIVATE),),
    ),
    RobotsCase(
        "it is on another host",
        f"{RFC} 2.3.1.2",
        http("", "302 Found", Location="http://localhost:{port}/all"),
        "/private",
        "forbidden",
        more=(("localhost/all", PRIVATE),),
    ),
    RobotsCase(
        "it redirects to itself", f"{RFC} 2.3.1.2", http("", "302 Found", Location="/robots.txt"), "/private", "loaded"
    ),
    RobotsCase(
        "it redirects to what fails",
        f"{RFC} 2.3.1.4",
        http("", "302 Found", Location="/broken"),
        "/public",
        "waits",
        more=(("/broken", http("", "500 Internal Server Error")),),
    ),
    # how the file is written: sections 2.2 and 2.3
    RobotsCase(
        "a byte order mark",
        f"{RFC} 2.3, RFC 3629 6",
        http(b"\xef\xbb\xbfUser-agent: *\nDisallow: /private"),
        "/private",
        "forbidden",
    ),
    RobotsCase(
        "a Latin-1 comment",
        f"{RFC} 2.2.4: parse what can be",
        http(b"# Gr\xf6\xdfe\nUser-agent: *\nDisallow: /private"),
        "/private",
        "forbidden",
    ),
    RobotsCase(
        "old Macintosh lines", ITS_ABNF, http("User-agent: *\rDisallow: /private\rDisallow: /b"), "/b", "forbidden"
    ),
    RobotsCase("keywords in capitals", ITS_ABNF, http("USER-AGENT:*\nDISALLOW:/private"), "/private", "forbidden"),
    RobotsCase("a comment behind a rule", ITS_ABNF, file("Disallow: /private # mine"), "/private/1", "forbidden"),
    RobotsCase("a rule before any group", ITS_ABNF, http("Disallow: /\nUser-agent: *\nDisallow: /b"), "/a", "loaded"),
    RobotsCase(
        "an unknown record in a group",
        f"{RFC} 2.2.4",
        http("User-agent: shopbot\nNoindex: /x\nDisallow: /private"),
        "/private",
        "forbidden",
    ),
    RobotsCase(
        "a rule behind 400 KiB",
        f"{RFC} 2.5: 500 KiB",
        file("#" * 400 * 1024, "Disallow: /private"),
        "/private",
        "forbidden",
    ),
    # which group: section 2.2.1
    RobotsCase("its own group, and not the star", f"{RFC} 2.2.1", GROUPS, "/public", "loaded"),
    RobotsCase("the name in any case", f"{RFC} 2.2.1", GROUPS, "/shop", "forbidden", "ShopBOT"),
    RobotsCase("two groups of one name are one", f"{RFC} 2.2.1", GROUPS, "/more", "forbidden"),
    RobotsCase("a group of several names", f"{RFC} 2.2.1", GROUPS, "/shop", "forbidden", "otherbot"),
    RobotsCase("nobody's name: the star", f"{RFC} 2.2.1", GROUPS, "/public", "forbidden", "thirdbot"),
    RobotsCase("a name that only begins so", f"{RFC} 2.2.1", GROUPS, "/public", "forbidden", "shopbotter"),
    # which rule: sections 2.2.2 and 2.2.3
    RobotsCase("the longer rule allows", f"{RFC} 2.2.2", file("Disallow: /a/", "Allow: /a/b/"), "/a/b/c", "loaded"),
    RobotsCase("the longer rule forbids", f"{RFC} 2.2.2", file("Allow: /a/", "Disallow: /a/b/"), "/a/b/c", "forbidden"),
    RobotsCase("equal rules allow", f"{RFC} 2.2.2", file("Disallow: /a", "Allow: /a"), "/a", "loaded"),
    RobotsCase("paths have cases", f"{RFC} 2.2.2", file("Disallow: /Private"), "/private", "loaded"),
    RobotsCase("an empty rule forbids nothing", f"{RFC} 2.2.2", file("Disallow:"), "/private", "loaded"),
    RobotsCase("a star", f"{RFC} 2.2.3", file("Disallow: /*/edit"), "/wiki/Page/edit?x=1", "forbidden"),
    RobotsCase("a dollar ends", f"{RFC} 2.2.3", file("Disallow: /*.pdf$"), "/a.pdf?page=2", "loaded"),
    RobotsCase("a query", f"{RFC} 2.2.2", file("Disallow: /*?sort="), "/list?sort=price", "forbidden"),
    RobotsCase("escapes are the same", f"{RFC} 2.2.2", file("Disallow: /caf%C3%A9"), "/café/menu", "forbidden"),
    RobotsCase("an escaped slash is another path", f"{RFC} 2.2.2", file("Disallow: /a%2Fb"), "/a/b", "loaded"),
    RobotsCase("robots.txt itself", f"{RFC} 2.2.2", file("Disallow: /"), "/robots.txt", "loaded"),
)
