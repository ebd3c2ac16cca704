//! `Digests` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::boundary::hex;
use crate::capture::page::Capture;
use crate::digest::stored::{self, raw_digest};

/// The digest of the bytes of all parts.
pub(super) fn raw_digest_of(capture: &Capture) -> [u8; 16] {
    let mut raw = [0u8; 16];
    for part in &capture.parts {
        let mut add = |one: [u8; 16]| raw.iter_mut().zip(one).for_each(|(all, byte)| *all = all.rotate_left(1) ^ byte);
        add(raw_digest(part.content()));
        if !part.internals.is_empty() {
            add(raw_digest(format!("{:?}", part.internals).as_bytes()));
        }
    }
    raw
}

#[pyclass(frozen, eq, hash, module = "stillframe._core")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Digests {
    exact: [u8; 16],
    visible: [u8; 16],
    structure: [u8; 16],
    raw: [u8; 16],
}

impl Digests {
    pub(super) fn new(found: &stored::Digests, raw: [u8; 16]) -> Self {
        Self { exact: found.exact, visible: found.visible, structure: found.structure, raw }
    }
}

#[pymethods]
impl Digests {
    #[getter]
    fn exact<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.exact)
    }

    #[getter]
    fn visible<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.visible)
    }

    #[getter]
    fn r#struct<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.structure)
    }

    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.raw)
    }

    fn __repr__(&self) -> String {
        format!("<Digests exact={} visible={} struct={}>", hex(&self.exact), hex(&self.visible), hex(&self.structure))
    }
}
