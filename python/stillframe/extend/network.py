"""What crosses the network: headers, bodies, and the parts of HAR files."""

from __future__ import annotations

from stillframe.chrome.stream_server import StreamServer as StreamServer
from stillframe.har.exchange import moment as moment
from stillframe.har.exchange import named as named
from stillframe.har.exchange import query_of as query_of
from stillframe.har.model import Body as Body
from stillframe.har.model import Har as Har
from stillframe.har.model import HarEntry as HarEntry
from stillframe.har.model import Log as Log
from stillframe.har.model import PageRow as PageRow
from stillframe.har.model import PageTimings as PageTimings
from stillframe.har.model import Product as Product
from stillframe.har.model import RequestPart as RequestPart
from stillframe.har.model import ResponsePart as ResponsePart
from stillframe.har.model import Timings as Timings
from stillframe.tab.network.bodies import charset_of as charset_of
from stillframe.tab.network.bodies import encoded as encoded
from stillframe.tab.network.exchanges import assigned as assigned
from stillframe.tab.network.exchanges import has_body as has_body
from stillframe.tab.network.exchanges import lowered as lowered
