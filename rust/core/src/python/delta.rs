//! `Delta` for Python.

use pyo3::prelude::*;

use super::values::{ChangedElementRow, ControlRow, ElementRow};
use crate::delta;

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Delta {
    pub(super) inner: delta::Delta,
}

#[pymethods]
impl Delta {
    #[getter]
    fn empty(&self) -> bool {
        self.inner.is_empty()
    }

    #[getter]
    fn same_document(&self) -> bool {
        self.inner.same_document
    }

    #[getter]
    fn appeared(&self) -> Vec<ElementRow> {
        self.inner.appeared.rows.iter().map(ElementRow::from).collect()
    }

    #[getter]
    fn disappeared(&self) -> Vec<ElementRow> {
        self.inner.disappeared.rows.iter().map(ElementRow::from).collect()
    }

    #[getter]
    fn changed(&self) -> Vec<ChangedElementRow> {
        self.inner.changed.rows.iter().filter_map(ChangedElementRow::of).collect()
    }

    #[getter]
    fn nearby(&self) -> Vec<ControlRow> {
        self.inner.nearby.iter().map(ControlRow::from).collect()
    }

    #[getter]
    fn total_appeared(&self) -> usize {
        self.inner.appeared.total
    }

    #[getter]
    fn total_disappeared(&self) -> usize {
        self.inner.disappeared.total
    }

    #[getter]
    fn total_changed(&self) -> usize {
        self.inner.changed.total
    }

    #[getter]
    fn omitted_appeared(&self) -> usize {
        self.inner.appeared.total - self.inner.appeared.rows.len()
    }

    #[getter]
    fn omitted_disappeared(&self) -> usize {
        self.inner.disappeared.total - self.inner.disappeared.rows.len()
    }

    #[getter]
    fn omitted_changed(&self) -> usize {
        self.inner.changed.total - self.inner.changed.rows.len()
    }

    #[getter]
    fn rerendered(&self) -> usize {
        self.inner.rerendered
    }

    #[getter]
    fn script_length(&self) -> usize {
        self.inner.script_length
    }

    #[getter]
    fn visited(&self) -> usize {
        self.inner.visited
    }

    #[getter]
    fn matched(&self) -> usize {
        self.inner.matched
    }

    #[getter]
    fn approximate(&self) -> bool {
        self.inner.approximate
    }

    fn __bool__(&self) -> bool {
        !self.inner.is_empty()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Delta: {} appeared, {} disappeared, {} changed>",
            self.inner.appeared.total, self.inner.disappeared.total, self.inner.changed.total
        )
    }
}
