//! The Python binding: bytes in, frozen objects and small values out. `_core.pyi` documents it.

mod batch;
mod boundary;
mod class;
mod delta;
mod digests;
mod locate;
mod mask;
mod outline;
mod roles;
mod secrets;
mod signature;
mod signature_index;
mod snapshot;
#[cfg(feature = "testing")]
mod testing;
mod values;
mod wire;

use pyo3::prelude::*;

// Everything it exports is frozen and `Sync`, and what is made late stands behind a `OnceLock`: no lock is needed.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::class::Snapshot;
    #[pymodule_export]
    use super::delta::Delta;
    #[pymodule_export]
    use super::digests::Digests;
    #[pymodule_export]
    use super::locate::{Fingerprint, Relocation};
    #[pymodule_export]
    use super::mask::{MaskLearner, MaskedDigests, Masks};
    #[pymodule_export]
    use super::outline::quoted;
    #[pymodule_export]
    use super::roles::aria_roles;
    #[pymodule_export]
    use super::secrets::{Redactor, secret_forms};
    #[pymodule_export]
    use super::signature::{Signature, Similarity, SimilarityLevel};
    #[pymodule_export]
    use super::signature_index::{Match, Neighbours, SignatureIndex};
    #[pymodule_export]
    use super::snapshot::diff_many;
    #[pymodule_export]
    use super::values::{
        AccessibleName, AppliedMask, ChangedElementRow, ClosedShadowRoot, ControlRow, DocumentInfo, ElementId,
        ElementRow, ElementSelector, Evidence, Outline, RefindResult, RelocationCandidate, SnapshotPart,
    };
    #[pymodule_export]
    use super::wire::{cbor_to_json, json_to_cbor};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(feature = "testing")]
        super::testing::add(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
