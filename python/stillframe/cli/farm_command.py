"""The options of `stillframe farm`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from stillframe.cli.crawl_command import (
    CRAWL_EXITS,
    EXTRA,
    MISSING,
    Concurrency,
    MetricsPort,
    Name,
    check_start,
    crawl,
    read_concurrency,
    settings_of,
)
from stillframe.cli.options import Json
from stillframe.farm.exits import CrawlExit

farm = typer.Typer(
    help="One crawl on many machines: PostgreSQL keeps it, Ray places the workers.", no_args_is_help=True
)

Command = TypeVar("Command", bound=Callable[..., int])
QueueUrl = Annotated[
    str,
    typer.Option("--queue", metavar="URL", envvar="STILLFRAME_QUEUE", help="postgresql://USER@HOST:PORT/DATABASE."),
]
MetricsHost = Annotated[
    str, typer.Option(metavar="ADDRESS", help="--metrics-port: another address of the machine, such as 0.0.0.0.")
]
Address = Annotated[str, typer.Option(metavar="HOST:PORT", help="The Ray cluster; auto for this machine's.")]


def imported(module: str = "farm") -> Any:
    """Return a module of commands. Exits with a hint if packages are missing."""
    try:
        return import_module(f"stillframe.cli.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        typer.echo(MISSING, err=True)
        raise typer.Exit(CrawlExit.USAGE) from None


def taking(other: Callable[..., int], *, without: Collection[str]) -> Callable[[Command], Command]:
    """Let a command have the parameters of another one, except some, in the place of its `**options`.

    Its own parameters take the place of those with their names, and the others come last.
    """

    def change(command: Command) -> Command:
        found, own = (dict(signature(each, eval_str=True).parameters) for each in (other, command))
        taken = {name: each for name, each in found.items() if name not in without} | own
        kept = [each for each in taken.values() if each.kind is not each.VAR_KEYWORD]
        command.__signature__ = Signature(kept, return_annotation=int)  # type: ignore[attr-defined]
        return command

    return change


@farm.command(epilog=CRAWL_EXITS)
@taking(crawl, without=("out", "retry_failed", "time_limit", "fail_limit", "headed", "trace", "trace_screenshots"))
def up(
    context: typer.Context,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to begin; not with --resume.")] = None,
    queue: QueueUrl = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the crawl of that name.")] = False,
    address: Address = "auto",
    metrics_host: MetricsHost = "127.0.0.1",
    **options: Any,
) -> int:
    """Create a crawl, or resume one, and start a supervisor on each node of the cluster that has none."""
    check_start(context, urls, resume=resume)
    read_concurrency(options["concurrency"])
    commands = imported()
    return int(
        commands.up(
            settings_of(context.params) if urls else None,
            queue=queue,
            address=address,
            resume=resume,
            metrics_host=metrics_host,
            **{name: options[name] for name in ("name", "concurrency", "metrics_port", "as_json")},
        )
    )


@farm.command(epilog=CRAWL_EXITS)
@taking(up, without=("address", "concurrency", "metrics_port", "metrics_host"))
def create(context: typer.Context, **options: Any) -> int:
    """Create a crawl, or go on with one, for workers that another scheduler starts, and read its sitemaps."""
    urls, resume = options["urls"], options["resume"]
    check_start(context, urls, resume=resume)
    return int(
        imported("farm_queue").create(
            settings_of(context.params) if urls else None,
            queue=options["queue"],
            name=options["name"],
            resume=resume,
            as_json=options["as_json"],
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
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    as_json: Json = False,
) -> int:
    """Work on a crawl until it is finished or stopped: what a supervisor starts, and what other schedulers can."""
    count = read_concurrency(concurrency)
    return int(
        imported("farm_queue").worker(
            queue=queue,
            name=name,
            concurrency=count,
            lifeline=lifeline,
            metrics_port=metrics_port,
            metrics_host=metrics_host,
            as_json=as_json,
        )
    )


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
    return int(imported("farm_queue").export(queue=queue, name=name, out=out, follow=follow, as_json=as_json))


@farm.command(epilog=CRAWL_EXITS)
def retry(
    kinds: Annotated[
        list[str],
        typer.Option(
            "--kind", metavar="KIND", help="Pages that failed so: http_503, http_5xx, err_*, or all. Repeatable."
        ),
    ],
    queue: QueueUrl = "",
    name: Name = "crawl",
    as_json: Json = False,
) -> int:
    """Return pages that failed to the queue, as if they had never been tried; workers may run meanwhile."""
    return int(imported("farm_queue").retry(queue=queue, name=name, kinds=kinds, as_json=as_json))


@farm.command(epilog=CRAWL_EXITS)
def vacuum(
    queue: QueueUrl = "",
    name: Name = "crawl",
    exported: Annotated[
        bool, typer.Option("--exported", help="Delete the rows of the crawl that all of its exports have in files.")
    ] = False,
    older_than: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Delete all finished crawls that no worker has touched for so long."),
    ] = None,
    unexported: Annotated[
        bool, typer.Option("--unexported", help="--older-than: also those with rows that are in no file.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Delete what the database no longer needs: rows that are in files, and old crawls."""
    if not exported and older_than is None:
        raise typer.BadParameter("say what to delete: --exported, or --older-than DAYS", param_hint="--exported")
    if unexported and older_than is None:
        raise typer.BadParameter("it belongs to --older-than", param_hint="--unexported")
    return int(
        imported("farm_queue").vacuum(
            queue=queue,
            name=name if exported else None,
            older_than_days=older_than,
            unexported=unexported,
            as_json=as_json,
        )
    )
