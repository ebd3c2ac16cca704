//! Selectors, `Fingerprint` and `Relocation` for Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyType};

use super::boundary::bytes_of;
use super::values::{ElementId, ElementSelector, Evidence, RelocationCandidate, rounded};
use crate::element::fingerprint;
use crate::element::likeness;
use crate::element::record::{RecordError, from_json, to_json};
use crate::element::relocate::{self, Candidate, How};
use crate::element::selector::selector;
use crate::element::selectors::RankedSelector;
use crate::element::snapshot::Snapshot;
use crate::secret::Redactor;

/// The selectors of one element without those that would show a secret.
pub(super) fn shown_selectors(found: &[RankedSelector], redactor: &Redactor) -> Vec<ElementSelector> {
    found.iter().filter(|one| redactor.spans(&one.selector).is_empty()).map(ElementSelector::from).collect()
}

/// An exception of `stillframe.errors` by its name.
fn error_of(
    py: Python<'_>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
    fill: impl FnOnce(&Bound<'_, PyType>) -> PyResult<Py<PyAny>>,
) -> PyErr {
    match cell.import(py, "stillframe.errors", name).and_then(fill) {
        Ok(value) => PyErr::from_value(value.into_bound(py)),
        Err(error) => error,
    }
}

#[pyclass(frozen, eq, module = "stillframe._core")]
#[derive(PartialEq)]
pub(super) struct Fingerprint {
    pub(super) inner: fingerprint::Fingerprint,
}

#[pymethods]
impl Fingerprint {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, raw: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = bytes_of(raw)?;
        let inner = from_json(&raw).map_err(|error| invalid(py, &error))?;
        Ok(Self { inner })
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let inner = from_json(text.as_bytes()).map_err(|error| invalid(py, &error))?;
        Ok(Self { inner })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, to_json(&self.inner).as_bytes())
    }

    fn to_json(&self) -> String {
        to_json(&self.inner)
    }

    #[getter]
    fn frame(&self) -> &str {
        &self.inner.home.frame
    }

    #[getter]
    fn backend_node_id(&self) -> u32 {
        self.inner.backend_node_id
    }

    #[getter]
    fn selector(&self) -> &str {
        &self.inner.selector
    }

    #[getter]
    fn tag_name(&self) -> &str {
        &self.inner.traits.tag
    }

    #[getter]
    fn role(&self) -> &str {
        &self.inner.traits.role
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.traits.name
    }

    #[getter]
    fn text(&self) -> &str {
        &self.inner.traits.text
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<Self>().getattr(intern!(py, "from_bytes"))?;
        Ok((make, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        let traits = &self.inner.traits;
        let named = if traits.name.is_empty() { &traits.text } else { &traits.name };
        format!("<Fingerprint of {} {:?}: {}>", traits.tag, named, self.inner.selector)
    }
}

fn invalid(py: Python<'_>, error: &RecordError) -> PyErr {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = format!("not a fingerprint: {} (byte {})", error.reason, error.offset);
    error_of(py, &TYPE, "FingerprintInvalid", |class| Ok(class.call1((message, error.offset))?.unbind()))
}

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Relocation {
    inner: relocate::Relocation,
    snapshot: Arc<Snapshot>,
    wanted: String,
}

impl Relocation {
    pub(super) fn new(snapshot: &Arc<Snapshot>, fingerprint: &Fingerprint) -> Self {
        let inner = fingerprint.inner.find_in(snapshot);
        Self { inner, snapshot: Arc::clone(snapshot), wanted: fingerprint.__repr__() }
    }

    fn id(&self, candidate: &Candidate) -> ElementId {
        ElementId::of(&self.snapshot, candidate.node)
    }

    fn candidate(&self, candidate: &Candidate) -> RelocationCandidate {
        RelocationCandidate {
            element: self.id(candidate),
            selector: selector(&self.snapshot, candidate.node),
            score: rounded(candidate.score),
            evidence: evidence(candidate),
        }
    }
}

fn evidence(candidate: &Candidate) -> BTreeMap<&'static str, Evidence> {
    let one = |one: &likeness::Evidence| Evidence { similarity: rounded(one.similarity), weight: rounded(one.weight) };
    candidate.evidence.iter().map(|found| (found.property, one(found))).collect()
}

#[pymethods]
impl Relocation {
    #[getter]
    fn how(&self) -> Option<&'static str> {
        match self.inner.how {
            How::Alive => Some("alive"),
            How::Selector => Some("selector"),
            How::Likeness => Some("likeness"),
            How::Nothing => None,
        }
    }

    #[getter]
    fn healed(&self) -> bool {
        self.inner.how == How::Likeness
    }

    #[getter]
    fn score(&self) -> f64 {
        let best = self.inner.found.as_ref().or(self.inner.alternatives.first());
        best.map_or(0.0, |best| rounded(best.score))
    }

    #[getter]
    fn margin(&self) -> f64 {
        rounded(self.inner.margin)
    }

    #[getter]
    fn element(&self) -> Option<ElementId> {
        self.inner.found.as_ref().map(|found| self.id(found))
    }

    #[getter]
    fn selector(&self) -> Option<String> {
        self.inner.found.as_ref().map(|found| selector(&self.snapshot, found.node))
    }

    #[getter]
    fn evidence(&self) -> BTreeMap<&'static str, Evidence> {
        self.inner.found.as_ref().map(evidence).unwrap_or_default()
    }

    #[getter]
    fn alternatives(&self) -> Vec<RelocationCandidate> {
        self.inner.alternatives.iter().map(|candidate| self.candidate(candidate)).collect()
    }

    fn require(&self, py: Python<'_>) -> PyResult<ElementId> {
        if let Some(found) = &self.inner.found {
            return Ok(self.id(found));
        }
        static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let candidates: Vec<String> =
            self.inner.alternatives.iter().map(|other| selector(&self.snapshot, other.node)).collect();
        let message = format!(
            "{} was not found again: the best of {} candidates scores {:.2}, {:.2} more than the next; look at \
             `alternatives` and choose, or take a new fingerprint",
            self.wanted,
            candidates.len(),
            self.score(),
            self.inner.margin
        );
        let fill = |class: &Bound<'_, PyType>| -> PyResult<Py<PyAny>> {
            let arguments = PyDict::new(py);
            arguments.set_item("candidates", candidates)?;
            arguments.set_item("score", self.score())?;
            arguments.set_item("margin", self.margin())?;
            Ok(class.call((message,), Some(&arguments))?.unbind())
        };
        Err(error_of(py, &TYPE, "RelocationFailed", fill))
    }

    fn __bool__(&self) -> bool {
        self.inner.found.is_some()
    }

    fn __repr__(&self) -> String {
        let how = self.how().unwrap_or("nothing");
        format!("<Relocation by {how}: score {:.2}, margin {:.2}>", self.score(), self.inner.margin)
    }
}
