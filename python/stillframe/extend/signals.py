"""The signals of settling, its effects, and the rows of what a page waits for."""

from __future__ import annotations

from stillframe.settling.progress import Line as Line
from stillframe.settling.progress import Progress as Progress
from stillframe.settling.rows import PendingRow as PendingRow
from stillframe.settling.signals import Closed as Closed
from stillframe.settling.signals import Committed as Committed
from stillframe.settling.signals import Crashed as Crashed
from stillframe.settling.signals import DataReceived as DataReceived
from stillframe.settling.signals import DialogHeld as DialogHeld
from stillframe.settling.signals import DialogOpened as DialogOpened
from stillframe.settling.signals import DialogReleased as DialogReleased
from stillframe.settling.signals import Disarmed as Disarmed
from stillframe.settling.signals import Download as Download
from stillframe.settling.signals import Effect as Effect
from stillframe.settling.signals import FenceDone as FenceDone
from stillframe.settling.signals import FenceSent as FenceSent
from stillframe.settling.signals import Finish as Finish
from stillframe.settling.signals import Mutated as Mutated
from stillframe.settling.signals import NavigatedWithinDocument as NavigatedWithinDocument
from stillframe.settling.signals import RequestEnded as RequestEnded
from stillframe.settling.signals import RequestStarted as RequestStarted
from stillframe.settling.signals import ResourcesLoaded as ResourcesLoaded
from stillframe.settling.signals import ResponseStarted as ResponseStarted
from stillframe.settling.signals import Signal as Signal
from stillframe.settling.signals import Tick as Tick
