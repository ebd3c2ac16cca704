//! The class `Snapshot` of Python, without its methods, so that what they use can take one.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::element::snapshot;

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Snapshot {
    pub(super) inner: Arc<snapshot::Snapshot>,
    pub(super) bytes: usize,
}
