//! DevTools messages from Chrome's CBOR to JSON and back, for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::boundary::{bytes_of, run};
use crate::error::{Result, SnapshotError};
use crate::wire::{from_cbor, to_cbor};

#[pyfunction]
pub(super) fn cbor_to_json<'py>(py: Python<'py>, frame: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    convert(py, frame, from_cbor::json)
}

#[pyfunction]
pub(super) fn json_to_cbor<'py>(py: Python<'py>, frame: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    convert(py, frame, to_cbor::cbor)
}

fn convert<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
    work: impl FnOnce(&[u8]) -> Result<Vec<u8>> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = bytes_of(frame)?;
    let made = run(py, bytes.len(), || work(&bytes));
    made.map(|made| PyBytes::new(py, &made)).map_err(|error| unreadable(&error))
}

fn unreadable(error: &SnapshotError) -> PyErr {
    PyValueError::new_err(format!("{} (byte {})", error.kind.what(), error.offset))
}
