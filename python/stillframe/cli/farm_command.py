"""The options of `stillframe farm`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stillframe.cli.crawl_command import (
    CRAWL_EXITS,
    EXTRA,
    Block,
    Budgets,
    Concurrency,
    Depth,
    Exclude,
    FollowNofollow,
    Formats,
    HostInterval,
    IgnoreParameters,
    IgnoreRobots,
    Include,
    MaxDocumentBytes,
    MaxPages,
    MaxPagesPerHost,
    MaxPerPattern,
    Name,
    NavigationTimeout,
    PagesPerHost,
    Priorities,
    Retries,
    RobotsToken,
    RobotsWait,
    SameHost,
    SitemapPriorities,
    Sitemaps,
    SkipNearDuplicates,
    SkipNoindex,
    SkipNoncanonical,
    TrapPages,
    UserAgent,
    check_start,
    read_concurrency,
    settings_of,
)
from stillframe.cli.options import Json
from stillframe.farm.exits import CrawlExit
from stillframe.farm.reasons import MAX_DOCUMENT_BYTES, ROBOTS_WAIT_S, TRAP_PAGES

farm = typer.Typer(
    help="One crawl on many machines: PostgreSQL keeps it, Ray places the workers.", no_args_is_help=True
)

QueueUrl = Annotated[
    str,
    typer.Option("--queue", metavar="URL", envvar="STILLFRAME_QUEUE", help="postgresql://USER@HOST:PORT/DATABASE."),
]
Address = Annotated[str, typer.Option(metavar="HOST:PORT", help="The Ray cluster; auto for this machine's.")]
MISSING = "stillframe: farms need more packages: pip install 'stillframe[crawl,ray]'"


def imported() -> Any:
    """Return the module of the commands. Exits with a hint if packages are missing."""
    try:
        from stillframe.cli import farm as commands
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA | {"ray"}:
            raise
        typer.echo(MISSING, err=True)
        raise typer.Exit(CrawlExit.USAGE) from None
    return commands


@farm.command(epilog=CRAWL_EXITS)
def up(
    context: typer.Context,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to begin; not with --resume.")] = None,
    queue: QueueUrl = "",
    name: Name = "crawl",
    address: Address = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the crawl of that name.")] = False,
    concurrency: Concurrency = "auto",
    max_pages: MaxPages = None,
    depth: Depth = None,
    same_host: SameHost = True,
    sitemaps: Sitemaps = None,
    include: Include = None,
    exclude: Exclude = None,
    formats: Formats = None,
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
    pages_per_host: PagesPerHost = None,
    host_interval: HostInterval = None,
    retries: Retries = 2,
    navigation_timeout: NavigationTimeout = 60.0,
    max_document_bytes: MaxDocumentBytes = MAX_DOCUMENT_BYTES,
    as_json: Json = False,
) -> int:
    """Create a crawl, or resume one, and start a supervisor on each node of the cluster that has none."""
    check_start(context, urls, resume=resume)
    read_concurrency(concurrency)
    commands = imported()
    return int(
        commands.up(
            settings_of(context.params) if urls else None,
            queue=queue,
            name=name,
            address=address,
            resume=resume,
            concurrency=concurrency,
            as_json=as_json,
        )
    )


@farm.command(epilog=CRAWL_EXITS)
def status(queue: QueueUrl = "", name: Name = "crawl", address: Address = "auto", as_json: Json = False) -> int:
    """Show how far a crawl is, its workers, and the supervisors of the cluster if it can be reached."""
    return int(imported().status(queue=queue, name=name, address=address, as_json=as_json))


@farm.command(epilog=CRAWL_EXITS)
def down(
    queue: QueueUrl = "",
    name: Name = "crawl",
    address: Address = "auto",
    now: Annotated[bool, typer.Option("--now", help="Do not wait for the pages that are open.")] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0, help="How long to wait for them.")] = 120.0,
    as_json: Json = False,
) -> int:
    """Let the workers of a crawl finish the pages they have, and end its supervisors; `up --resume` goes on."""
    return int(
        imported().down(queue=queue, name=name, address=address, wait_s=0.0 if now else timeout, as_json=as_json)
    )


@farm.command(epilog=CRAWL_EXITS)
def worker(
    queue: QueueUrl = "",
    name: Name = "crawl",
    concurrency: Concurrency = "auto",
    lifeline: Annotated[bool, typer.Option("--lifeline", help="Stop at once when standard input closes.")] = False,
) -> int:
    """Work on a crawl until it is finished or stopped: what a supervisor starts, and what other schedulers can."""
    count = read_concurrency(concurrency)
    return int(imported().worker(queue=queue, name=name, concurrency=count, lifeline=lifeline))


@farm.command(epilog=CRAWL_EXITS)
def export(
    queue: QueueUrl = "",
    name: Name = "crawl",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The output folder, empty or of this crawl.")] = Path(
        "crawl"
    ),
    follow: Annotated[bool, typer.Option("--follow", help="Go on until the crawl is finished.")] = False,
    as_json: Json = False,
) -> int:
    """Append what a crawl has to the files of a folder; can be repeated, and goes on where it stopped."""
    return int(imported().export(queue=queue, name=name, out=out, follow=follow, as_json=as_json))
