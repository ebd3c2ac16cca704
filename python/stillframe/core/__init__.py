"""Snapshots, digests and signatures of pages, and what changed between two: the native core under its Python name."""

from __future__ import annotations

from stillframe._core import Delta as Delta
from stillframe._core import Digests as Digests
from stillframe._core import Fingerprint as Fingerprint
from stillframe._core import MaskedDigests as MaskedDigests
from stillframe._core import MaskLearner as MaskLearner
from stillframe._core import Masks as Masks
from stillframe._core import Match as Match
from stillframe._core import Neighbours as Neighbours
from stillframe._core import Redactor as Redactor
from stillframe._core import Relocation as Relocation
from stillframe._core import Signature as Signature
from stillframe._core import SignatureIndex as SignatureIndex
from stillframe._core import Similarity as Similarity
from stillframe._core import SimilarityLevel as SimilarityLevel
from stillframe._core import Snapshot as Snapshot
from stillframe._core import diff_many as diff_many
from stillframe._core import quoted as quoted
from stillframe._core import secret_forms as secret_forms

__all__ = [
    "Delta",
    "Digests",
    "Fingerprint",
    "MaskLearner",
    "MaskedDigests",
    "Masks",
    "Match",
    "Neighbours",
    "Redactor",
    "Relocation",
    "Signature",
    "SignatureIndex",
    "Similarity",
    "SimilarityLevel",
    "Snapshot",
    "diff_many",
    "quoted",
    "secret_forms",
]
