//! `Signature` and `Similarity` for Python.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::boundary::{bytes_of, hex, raise};
use crate::signature::{self, similarity};

/// What pickle needs to make `value` again from its bytes.
pub(super) fn reduced<'py, T: PyTypeInfo>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let maker = py.get_type::<T>().getattr("from_bytes")?;
    Ok((maker, PyTuple::new(py, [PyBytes::new(py, bytes)])?))
}

#[pyclass(frozen, eq, ord, hash, module = "stillframe._core")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SimilarityLevel {
    #[pyo3(name = "NEW")]
    New,
    #[pyo3(name = "RELATED")]
    Related,
    #[pyo3(name = "SAME_TEMPLATE")]
    SameTemplate,
    #[pyo3(name = "NEAR_DUPLICATE")]
    NearDuplicate,
    #[pyo3(name = "DUPLICATE")]
    Duplicate,
}

impl From<similarity::SimilarityLevel> for SimilarityLevel {
    fn from(level: similarity::SimilarityLevel) -> Self {
        match level {
            similarity::SimilarityLevel::New => Self::New,
            similarity::SimilarityLevel::Related => Self::Related,
            similarity::SimilarityLevel::SameTemplate => Self::SameTemplate,
            similarity::SimilarityLevel::NearDuplicate => Self::NearDuplicate,
            similarity::SimilarityLevel::Duplicate => Self::Duplicate,
        }
    }
}

#[pymethods]
impl SimilarityLevel {
    #[getter]
    pub(super) fn value(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Related => "related",
            Self::SameTemplate => "same template",
            Self::NearDuplicate => "near-duplicate",
            Self::Duplicate => "duplicate",
        }
    }

    fn __str__(&self) -> &'static str {
        self.value()
    }
}

#[pyclass(frozen, eq, module = "stillframe._core")]
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Similarity {
    pub(super) inner: similarity::Similarity,
}

#[pymethods]
impl Similarity {
    #[getter]
    pub(super) fn level(&self) -> SimilarityLevel {
        self.inner.level.into()
    }

    #[getter]
    fn exact(&self) -> bool {
        self.inner.exact
    }

    #[getter]
    fn template(&self) -> bool {
        self.inner.template
    }

    #[getter]
    fn structure(&self) -> f64 {
        self.inner.structure
    }

    #[getter]
    fn text_distance(&self) -> u32 {
        self.inner.text_distance
    }

    #[getter]
    fn url_pattern(&self) -> bool {
        self.inner.url
    }

    pub(super) fn __repr__(&self) -> String {
        let similarity::Similarity { structure, text_distance, .. } = self.inner;
        format!("<Similarity {}: structure {structure:.2}, text {text_distance} of 64 bits>", self.level().value())
    }
}

#[pyclass(frozen, eq, hash, module = "stillframe._core")]
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) inner: signature::Signature,
}

impl std::hash::Hash for Signature {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.inner.exact.hash(state);
    }
}

#[pymethods]
impl Signature {
    #[classattr]
    const VERSION: u8 = signature::VERSION;
    #[classattr]
    const SEED: u64 = signature::SEED;

    #[staticmethod]
    fn from_bytes(py: Python<'_>, raw: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = bytes_of(raw)?;
        let inner = signature::Signature::from_bytes(&bytes).map_err(|error| raise(py, &error))?;
        Ok(Self { inner })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    fn compare(&self, other: &Self) -> Similarity {
        Similarity { inner: self.inner.compare(&other.inner) }
    }

    #[getter]
    fn exact<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.exact)
    }

    #[getter]
    fn template<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.template)
    }

    #[getter]
    fn structure(&self) -> Vec<u16> {
        self.inner.structure.to_vec()
    }

    #[getter]
    fn text(&self) -> u64 {
        self.inner.text
    }

    #[getter]
    fn url_pattern(&self) -> u64 {
        self.inner.url
    }

    #[getter]
    fn node_count(&self) -> u32 {
        self.inner.counts.nodes
    }

    #[getter]
    fn text_length(&self) -> u32 {
        self.inner.counts.text
    }

    #[getter]
    fn link_count(&self) -> u32 {
        self.inner.counts.links
    }

    #[getter]
    fn form_count(&self) -> u32 {
        self.inner.counts.forms
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced::<Self>(py, &self.inner.to_bytes())
    }

    fn __repr__(&self) -> String {
        let template = hex(&self.inner.template[..4]);
        format!("<Signature template={template}… text={:016x}, {} nodes>", self.inner.text, self.inner.counts.nodes)
    }
}
