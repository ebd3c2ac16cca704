"""The options of `stillframe crawl`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from stillframe.cli.options import Headed, Json, TraceDirectory, TraceScreenshots, tracing
from stillframe.farm.exits import MEANINGS, CrawlExit
from stillframe.farm.reasons import MAX_DOCUMENT_BYTES, ROBOTS_WAIT_S, TRAP_PAGES

CRAWL_EXITS = "\b\n" + "\n".join(["Exit codes:", *(f"{code.value:>4} {MEANINGS[code]}" for code in CrawlExit)])
MISSING = "stillframe: crawls need more packages: pip install 'stillframe[crawl]'"
EXTRA = frozenset({"asyncpg", "impit", "lxml", "psutil", "sqlalchemy", "warcio", "pyarrow", "yarl"})


class OutputFormat(StrEnum):
    """What a crawl writes: one line of JSON, one row, or WARC records per page."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    WARC = "warc"


Globs = list[str] | None
Urls = Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to begin; not needed with --resume.")]
MaxPages = Annotated[int | None, typer.Option(min=1, help="Load at most this many pages, over all runs.")]
Depth = Annotated[int | None, typer.Option(min=0, help="Follow links at most this many steps from the start.")]
SameHost = Annotated[bool, typer.Option("--same-host/--any-host", help="Stay on the hosts and ports of the start.")]
Include = Annotated[Globs, typer.Option(metavar="GLOB", help="Follow only links that match. Repeatable.")]
Exclude = Annotated[Globs, typer.Option(metavar="GLOB", help="Follow no links that match. Repeatable.")]
Sitemaps = Annotated[
    Globs,
    typer.Option(
        "--sitemap",
        metavar="URL",
        help="Begin with the pages of this sitemap, too; auto takes those of robots.txt or /sitemap.xml. Repeatable.",
    ),
]
Formats = Annotated[list[OutputFormat] | None, typer.Option("--format", help="What to write. Repeatable.")]
Queue = Annotated[str, typer.Option(metavar="URL", help="sqlite, for a file in the output folder, or postgresql://….")]
Name = Annotated[str, typer.Option(help="The crawl's name, unique in its database.")]
IgnoreRobots = Annotated[bool, typer.Option("--ignore-robots", help="Do not honour robots.txt.")]
UserAgent = Annotated[
    str | None, typer.Option(metavar="TEXT", help="The user agent of pages, robots.txt and sitemaps.")
]
RobotsToken = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The name whose groups in robots.txt count; by default that of the user agent."),
]
RobotsWait = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long pages wait for a robots.txt that cannot be read; then they fail."
    ),
]
SkipNearDuplicates = Annotated[
    bool, typer.Option("--skip-near-duplicates", help="Record pages like an earlier one without their content.")
]
IgnoreParameters = Annotated[
    Globs,
    typer.Option(
        "--ignore-parameter",
        metavar="NAME",
        help="Leave this parameter out of links, beside those of campaigns and sessions: ref, track_*. Repeatable.",
    ),
]
FollowNofollow = Annotated[
    bool, typer.Option("--follow-nofollow", help="Follow links that are marked nofollow, and those of such pages.")
]
SkipNoindex = Annotated[bool, typer.Option("--skip-noindex", help="Do not record pages that say noindex.")]
SkipNoncanonical = Annotated[
    bool, typer.Option("--skip-noncanonical", help="Record the canonical page instead of one that names it.")
]
TrapPages = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="End a trap, such as a calendar, after N pages that bring nothing new; 0 for never."
    ),
]
MaxPerPattern = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Load at most N pages of each pattern of URLs, over all runs.")
]
MaxPagesPerHost = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Load at most N pages of each host, over all runs.")
]
Budgets = Annotated[
    Globs,
    typer.Option("--budget", metavar="GLOB=N", help="Load at most N pages that match: **/forum/**=500. Repeatable."),
]
Priorities = Annotated[
    Globs,
    typer.Option(
        "--priority",
        metavar="GLOB=N",
        help="Load pages that match before others, or after: N is from -100 to 100, 0 for others. Repeatable.",
    ),
]
SitemapPriorities = Annotated[
    bool, typer.Option("--sitemap-priorities", help="Load pages by the priority and lastmod of their sitemap.")
]
Block = Annotated[Globs, typer.Option(metavar="PATTERN", help="Load nothing whose URL matches: *.png. Repeatable.")]
ACCESS = "How pages are asked for, and how they appear"
"""The panel of the help with these options."""
Proxy = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        rich_help_panel=ACCESS,
        help="Proxy of pages, robots.txt and sitemaps: http://ann:${NAME}@proxy.example:3128, NAME in the environment.",
    ),
]
Headers = Annotated[
    Globs,
    typer.Option(
        "--header",
        metavar="NAME=VALUE",
        rich_help_panel=ACCESS,
        help="A header of every request of pages, to every server; ${NAME} in it is a secret. Repeatable.",
    ),
]
HttpCredentials = Annotated[
    str | None,
    typer.Option(
        metavar="USER:${NAME}",
        rich_help_panel=ACCESS,
        help="A login for HTTP authentication, for the server of the first URL.",
    ),
]
StorageState = Annotated[
    str | None,
    typer.Option(metavar="FILE", rich_help_panel=ACCESS, help="Initial cookies and storage, on each machine."),
]
Locale = Annotated[
    str | None, typer.Option(metavar="TAG", rich_help_panel=ACCESS, help="Language of pages, such as de-CH.")
]
Timezone = Annotated[str | None, typer.Option(metavar="NAME", rich_help_panel=ACCESS, help="Such as Europe/Zurich.")]
ViewportSize = Annotated[
    str | None, typer.Option("--viewport", metavar="WIDTHxHEIGHT", rich_help_panel=ACCESS, help="Size of pages.")
]
Emulate = Annotated[
    str | None,
    typer.Option(metavar="NAME", rich_help_panel=ACCESS, help="Appear as this device, such as 'Pixel 7'."),
]
AllowServiceWorkers = Annotated[
    bool,
    typer.Option(
        "--allow-service-workers",
        rich_help_panel=ACCESS,
        help="Let pages register service workers, which may answer for later pages in place of the server.",
    ),
]
Scroll = Annotated[
    bool,
    typer.Option("--scroll", help="Scroll down each page until it does not get longer, 50 times at most."),
]
PagesPerHost = Annotated[int | None, typer.Option(min=1, help="Pages of one host that are open at once, everywhere.")]
HostInterval = Annotated[
    float | None, typer.Option(metavar="SECONDS", min=0, help="Time between two pages of one host, everywhere.")
]
Retries = Annotated[int, typer.Option(min=0, help="How often a page that failed is tried again.")]
NavigationTimeout = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit of a navigation.")]
MaxDocumentBytes = Annotated[
    int, typer.Option(metavar="BYTES", min=0, help="Load no page with more HTML than that, unpacked; 0 for any size.")
]
MetricsPort = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Serve Prometheus metrics on this port of 127.0.0.1.")
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The output folder, empty or of this crawl.")]
Concurrency = Annotated[
    str, typer.Option(metavar="N", help="Pages open at once: auto, by cores and load, or a number.")
]

SAME = (
    *("max_pages", "depth", "same_host", "name", "skip_near_duplicates", "pages_per_host", "retries"),
    *("user_agent", "robots_token", "follow_nofollow", "skip_noindex", "skip_noncanonical"),
    *("proxy", "http_credentials", "storage_state", "locale", "timezone", "viewport", "scroll"),
    *("trap_pages", "max_per_pattern", "max_pages_per_host", "sitemap_priorities"),
)
REPEATABLE = (
    *("urls", "sitemaps", "include", "exclude", "block", "ignore_parameters", "headers", "budgets", "priorities"),
)
"""Options that become a setting of their own name, as they are or as a tuple."""
SETTINGS = frozenset(
    {
        *SAME,
        *REPEATABLE,
        "formats",
        "emulate",
        "ignore_robots",
        "robots_wait",
        "host_interval",
        "navigation_timeout",
        "max_document_bytes",
        "allow_service_workers",
    }
) - {"name"}
"""Options that are recorded with the crawl."""


def crawl(
    context: typer.Context,
    urls: Urls = None,
    max_pages: MaxPages = None,
    depth: Depth = None,
    same_host: SameHost = True,
    sitemaps: Sitemaps = None,
    include: Include = None,
    exclude: Exclude = None,
    out: Out = Path("crawl"),
    formats: Formats = None,
    queue: Queue = "sqlite",
    name: Name = "crawl",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the crawl of the output folder.")] = False,
    retry_failed: Annotated[
        Globs,
        typer.Option(
            metavar="KIND", help="--resume: load pages that failed so again: http_503, http_5xx, all. Repeatable."
        ),
    ] = None,
    concurrency: Concurrency = "auto",
    ignore_robots: IgnoreRobots = False,
    user_agent: UserAgent = None,
    robots_token: RobotsToken = None,
    robots_wait: RobotsWait = ROBOTS_WAIT_S,
    skip_near_duplicates: SkipNearDuplicates = False,
    ignore_parameters: IgnoreParameters = None,
    follow_nofollow: FollowNofollow = False,
    skip_noindex: SkipNoindex = False,
    skip_noncanonical: SkipNoncanonical = False,
    trap_pages: TrapPages = TRAP_PAGES,
    max_per_pattern: MaxPerPattern = None,
    max_pages_per_host: MaxPagesPerHost = None,
    budgets: Budgets = None,
    priorities: Priorities = None,
    sitemap_priorities: SitemapPriorities = False,
    block: Block = None,
    proxy: Proxy = None,
    headers: Headers = None,
    http_credentials: HttpCredentials = None,
    storage_state: StorageState = None,
    locale: Locale = None,
    timezone: Timezone = None,
    viewport: ViewportSize = None,
    emulate: Emulate = None,
    allow_service_workers: AllowServiceWorkers = False,
    scroll: Scroll = False,
    pages_per_host: PagesPerHost = None,
    host_interval: HostInterval = None,
    retries: Retries = 2,
    navigation_timeout: NavigationTimeout = 60.0,
    max_document_bytes: MaxDocumentBytes = MAX_DOCUMENT_BYTES,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0, help="Drain the crawl after that time.")
    ] = None,
    fail_limit: Annotated[
        int | None, typer.Option(min=0, help="Drain it when more pages than that have failed.")
    ] = None,
    metrics_port: MetricsPort = None,
    headed: Headed = False,
    as_json: Json = False,
    trace: TraceDirectory = None,
    trace_screenshots: TraceScreenshots = False,
) -> int:
    """Crawl a site: load each page until it is still, follow its links, and write one record per page.

    The first Ctrl-C finishes the pages that are open, the second one stops at once; --resume goes on from there.
    """
    check_start(context, urls, resume=resume)
    if retry_failed and not resume:
        raise typer.BadParameter("a new crawl has no page that failed; add --resume", param_hint="--retry-failed")
    try:
        from stillframe.cli import crawl as command
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        typer.echo(MISSING, err=True)
        return CrawlExit.USAGE
    options = command.CrawlOptions(
        settings=settings_of(context.params) if urls else None,
        out=out,
        queue=queue,
        resume=resume,
        concurrency=read_concurrency(concurrency),
        time_limit_s=time_limit,
        fail_limit=fail_limit,
        metrics_port=metrics_port,
        headed=headed,
        as_json=as_json,
        retry_kinds=tuple(retry_failed or ()),
        tracing=tracing(trace, trace_screenshots),
    )
    return command.run(options)


def check_start(context: typer.Context, urls: Globs, *, resume: bool) -> None:
    """Raise BadParameter without a URL, and for settings beside --resume alone, which would change nothing."""
    if not urls and not resume:
        raise typer.BadParameter("give at least one URL, or --resume", param_hint="URL…")
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        given = source is not None and source.name == "COMMANDLINE"
        if given and not urls and parameter.name in SETTINGS:
            why = "a crawl that is resumed keeps the settings that it began with"
            raise typer.BadParameter(why, param_hint=parameter.opts[0])


def settings_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of CrawlSettings for the options of a command line, by their names."""
    state = options["storage_state"]
    return {
        **{name: options[name] for name in SAME},
        **{name: tuple(options[name] or ()) for name in REPEATABLE},
        "formats": tuple(dict.fromkeys(str(each) for each in options["formats"] or [OutputFormat.JSONL])),
        "respect_robots": not options["ignore_robots"],
        "robots_wait_s": options["robots_wait"],
        "host_interval_s": options["host_interval"],
        "navigation_s": options["navigation_timeout"],
        "max_document_bytes": options["max_document_bytes"] or None,
        "device": options["emulate"],
        "service_workers": "allow" if options["allow_service_workers"] else "block",
        "storage_state": None if state is None else str(Path(state).resolve()),
    }


def read_concurrency(text: str) -> int | Literal["auto"]:
    """Return the number of pages at once, or `auto`. Raises BadParameter."""
    if text == "auto":
        return "auto"
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither auto nor a number of at least 1", param_hint="--concurrency")
    return int(text)
