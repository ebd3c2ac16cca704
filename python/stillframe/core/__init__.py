"""Snapshots, digests and signatures of pages, and what changed between two: the public names of the native core."""

from __future__ import annotations

from stillframe._core import AccessibleName as AccessibleName
from stillframe._core import AppliedMask as AppliedMask
from stillframe._core import ChangedElementRow as ChangedElementRow
from stillframe._core import ClosedShadowRoot as ClosedShadowRoot
from stillframe._core import ControlRow as ControlRow
from stillframe._core import Delta as Delta
from stillframe._core import Digests as Digests
from stillframe._core import DocumentInfo as DocumentInfo
from stillframe._core import ElementId as ElementId
from stillframe._core import ElementRow as ElementRow
from stillframe._core import ElementSelector as ElementSelector
from stillframe._core import Evidence as Evidence
from stillframe._core import Fingerprint as Fingerprint
from stillframe._core import MaskedDigests as MaskedDigests
from stillframe._core import MaskLearner as MaskLearner
from stillframe._core import Masks as Masks
from stillframe._core import Match as Match
from stillframe._core import Neighbours as Neighbours
from stillframe._core import Outline as Outline
from stillframe._core import Redactor as Redactor
from stillframe._core import RefindResult as RefindResult
from stillframe._core import Relocation as Relocation
from stillframe._core import RelocationCandidate as RelocationCandidate
from stillframe._core import Signature as Signature
from stillframe._core import SignatureIndex as SignatureIndex
from stillframe._core import Similarity as Similarity
from stillframe._core import SimilarityLevel as SimilarityLevel
from stillframe._core import Snapshot as Snapshot
from stillframe._core import SnapshotPart as SnapshotPart
from stillframe._core import aria_roles as aria_roles
from stillframe._core import diff_many as diff_many
from stillframe._core import quoted as quoted
from stillframe._core import secret_forms as secret_forms

__all__ = [
    "AccessibleName",
    "AppliedMask",
    "ChangedElementRow",
    "ClosedShadowRoot",
    "ControlRow",
    "Delta",
    "Digests",
    "DocumentInfo",
    "ElementId",
    "ElementRow",
    "ElementSelector",
    "Evidence",
    "Fingerprint",
    "MaskLearner",
    "MaskedDigests",
    "Masks",
    "Match",
    "Neighbours",
    "Outline",
    "Redactor",
    "RefindResult",
    "Relocation",
    "RelocationCandidate",
    "Signature",
    "SignatureIndex",
    "Similarity",
    "SimilarityLevel",
    "Snapshot",
    "SnapshotPart",
    "aria_roles",
    "diff_many",
    "quoted",
    "secret_forms",
]
