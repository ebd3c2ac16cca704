"""The endpoint that Prometheus scrapes, by OpenTelemetry's exporter for it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from socketserver import TCPServer, ThreadingMixIn
from threading import Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from stillframe.errors import OptionInvalid
from stillframe.farm.metrics.packages import needing_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from prometheus_client import CollectorRegistry

CLIENT_S = 5.0
"""Seconds that a client may take to send its request, and to take the answer; Prometheus scrapes within 10."""
POLL_S = 0.1
"""Seconds until the server notices that it is to end."""
SERVICE = "stillframe-farm"
"""The name of the service in `target_info`, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES give one."""
_UNNAMED = "unknown_service"


class PrometheusEndpoint:
    """A server of metrics that runs; `meter_provider` is what the metrics that it shows are made with."""

    def __init__(self, host: str, port: int, meter_provider: MeterProvider) -> None:
        self.host = host
        self.port = port
        self.meter_provider = meter_provider

    @property
    def url(self) -> str:
        """The URL to scrape."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/metrics"


@asynccontextmanager
async def serve_prometheus(
    port: int = 0, host: str = "127.0.0.1", *, resource: Mapping[str, Any] | None = None
) -> AsyncIterator[PrometheusEndpoint]:
    """Serve metrics to Prometheus for as long as the block runs; port 0 takes a free one.

    Make the metrics with the endpoint's provider: `CrawlMetrics(endpoint.meter_provider)`. `resource` are attributes
    of this process for `target_info`. The figures name no URL, but anyone who reaches the address can read them, so it
    is a loopback address unless you choose otherwise. At the end of the block the socket and all threads are gone.
    Raises OptionInvalid if the address cannot be bound, and ModuleNotFoundError without the extra `metrics`.
    """
    registry, provider = _provider(resource or {})
    try:
        server = await asyncio.to_thread(_Server.bind, host, port, registry)
        thread = Thread(target=server.serve_forever, args=(POLL_S,), name="stillframe-metrics", daemon=True)
        thread.start()
        try:
            yield PrometheusEndpoint(host, server.server_port, provider)
        finally:
            await asyncio.shield(asyncio.to_thread(server.end, thread))
    finally:
        provider.shutdown()


def _provider(resource: Mapping[str, Any]) -> tuple[CollectorRegistry, MeterProvider]:
    with needing_extra():
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from prometheus_client import CollectorRegistry
    described = Resource.create(dict(resource))
    if str(described.attributes[SERVICE_NAME]).startswith(_UNNAMED):
        described = described.merge(Resource({SERVICE_NAME: SERVICE}))
    # A registry of its own: it must not show what else the process has registered.
    registry = CollectorRegistry()
    reader = PrometheusMetricReader(registry=registry, scope_info_enabled=False)
    return registry, MeterProvider([reader], described, shutdown_on_exit=False)


class _Handler(WSGIRequestHandler):
    """Answers one request; a client that stalls is dropped, and nothing is logged."""

    timeout = CLIENT_S

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    """A server whose end waits for the threads of its requests, and does not wait for clients that stall."""

    daemon_threads = False  # so that server_close() joins them

    def __init__(self, *arguments: Any) -> None:
        self._clients: set[socket.socket] = set()
        super().__init__(*arguments)

    @classmethod
    def bind(cls, host: str, port: int, registry: CollectorRegistry) -> _Server:
        """Return a server that listens; blocks while a host name is looked up. Raises OptionInvalid."""
        from prometheus_client import make_wsgi_app

        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            kind = type("_Server", (cls,), {"address_family": family})
            server: _Server = kind((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise OptionInvalid(
                f"the metrics cannot be served on {host}, port {port}: {error}; choose an address of this machine and "
                "a free port, or port 0",
                option="port",
            ) from error
        server.set_app(make_wsgi_app(registry))
        return server

    def server_bind(self) -> None:
        """Bind the socket, without the look-up of the host's full name that the base class makes."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread."""
        self._clients.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection whose request is over."""
        self._clients.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Drop a client that left or stalled; standard error is the terminal's."""

    def end(self, thread: Thread) -> None:
        """End the server and all of its threads; answers that are being written are finished. Blocks."""
        self.shutdown()
        for client in self._clients.copy():
            with suppress(OSError):
                client.shutdown(socket.SHUT_RD)  # a client that has sent nothing so far will not be waited for
        self.server_close()
        thread.join()
