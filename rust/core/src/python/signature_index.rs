//! `SignatureIndex` and its answers for Python.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use super::boundary::{bytes_of, raise, run};
use super::signature::{Signature, Similarity, SimilarityLevel, reduced};
use crate::signature;
use crate::signature::error::{ErrorKind, SignatureError};
use crate::signature::index;

/// Signatures from which a batch is worth giving up the interpreter lock for: ~100 µs of queries.
const DETACH_ABOVE: usize = 32;

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Match {
    #[pyo3(get)]
    key: Py<PyString>,
    similarity: Similarity,
}

#[pymethods]
impl Match {
    #[getter]
    fn level(&self) -> SimilarityLevel {
        self.similarity.level()
    }

    #[getter]
    fn similarity(&self) -> Similarity {
        self.similarity
    }

    fn __repr__(&self) -> String {
        format!("<Match {}: {}>", self.key, self.similarity.__repr__().trim_matches(['<', '>']))
    }
}

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Neighbours {
    matches: Vec<(String, Similarity)>,
    truncated: bool,
}

impl Neighbours {
    fn of(index: &index::SignatureIndex, wanted: &signature::Signature, limit: usize) -> Self {
        let answer = index.query(wanted, limit);
        let named = answer
            .matches
            .iter()
            .map(|found| (index.key(found.slot).to_owned(), Similarity { inner: found.similarity }));
        Self { matches: named.collect(), truncated: answer.truncated }
    }
}

#[pymethods]
impl Neighbours {
    #[getter]
    fn level(&self) -> SimilarityLevel {
        self.matches.first().map_or(SimilarityLevel::New, |(_, similarity)| similarity.level())
    }

    #[getter]
    fn truncated(&self) -> bool {
        self.truncated
    }

    #[getter]
    fn matches(&self, py: Python<'_>) -> Vec<Match> {
        let named = |(key, similarity): &(String, Similarity)| Match {
            key: PyString::new(py, key).unbind(),
            similarity: *similarity,
        };
        self.matches.iter().map(named).collect()
    }

    fn __len__(&self) -> usize {
        self.matches.len()
    }

    fn __repr__(&self) -> String {
        let more = if self.truncated { ", truncated" } else { "" };
        format!("<Neighbours: {}, {} matches{more}>", self.level().value(), self.matches.len())
    }
}

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct SignatureIndex {
    inner: RwLock<index::SignatureIndex>,
}

impl SignatureIndex {
    /// Read without waiting if nobody writes; else wait without the interpreter lock.
    fn read<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&index::SignatureIndex) -> T + Send) -> T {
        if let Ok(index) = self.inner.try_read() {
            return work(&index);
        }
        py.detach(|| work(&self.inner.read().unwrap_or_else(PoisonError::into_inner)))
    }

    fn write<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut index::SignatureIndex) -> T + Send) -> T {
        if let Ok(mut index) = self.inner.try_write() {
            return work(&mut index);
        }
        py.detach(|| work(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn full(py: Python<'_>) -> PyErr {
    raise(py, &SignatureError::new(ErrorKind::TooLarge, 0))
}

#[pymethods]
impl SignatureIndex {
    #[new]
    fn new() -> Self {
        Self { inner: RwLock::new(index::SignatureIndex::new()) }
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, raw: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = bytes_of(raw)?;
        let read = run(py, bytes.len(), || index::SignatureIndex::from_bytes(&bytes));
        Ok(Self { inner: RwLock::new(read.map_err(|error| raise(py, &error))?) })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let written = py.detach(|| self.inner.read().unwrap_or_else(PoisonError::into_inner).to_bytes());
        PyBytes::new(py, &written)
    }

    fn add(&self, py: Python<'_>, key: &str, signature: &Signature) -> PyResult<()> {
        if self.write(py, |index| index.add(key, signature.inner.clone())) { Ok(()) } else { Err(full(py)) }
    }

    fn add_many(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut owned: Vec<(String, signature::Signature)> = Vec::new();
        for pair in pairs.try_iter()? {
            let (key, signature): (String, Bound<'_, Signature>) = pair?.extract()?;
            owned.push((key, signature.get().inner.clone()));
        }
        let all = py.detach(|| {
            let mut index = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            owned.into_iter().all(|(key, signature)| index.add(&key, signature))
        });
        if all { Ok(()) } else { Err(full(py)) }
    }

    #[pyo3(signature = (signature, *, limit = 10))]
    fn query(&self, py: Python<'_>, signature: &Signature, limit: usize) -> Neighbours {
        self.read(py, |index| Neighbours::of(index, &signature.inner, limit))
    }

    #[pyo3(signature = (signatures, *, limit = 10))]
    fn query_many(&self, py: Python<'_>, signatures: &Bound<'_, PyAny>, limit: usize) -> PyResult<Vec<Neighbours>> {
        let mut wanted: Vec<signature::Signature> = Vec::new();
        for signature in signatures.try_iter()? {
            wanted.push(signature?.cast::<Signature>()?.get().inner.clone());
        }
        let all =
            |index: &index::SignatureIndex| wanted.iter().map(|wanted| Neighbours::of(index, wanted, limit)).collect();
        if wanted.len() < DETACH_ABOVE {
            return Ok(self.read(py, all));
        }
        Ok(py.detach(|| all(&self.inner.read().unwrap_or_else(PoisonError::into_inner))))
    }

    fn remove(&self, py: Python<'_>, key: &str) -> bool {
        self.write(py, |index| index.remove(key))
    }

    fn get(&self, py: Python<'_>, key: &str) -> Option<Signature> {
        self.read(py, |index| index.get(key).cloned()).map(|inner| Signature { inner })
    }

    #[getter]
    fn memory(&self, py: Python<'_>) -> usize {
        py.detach(|| self.inner.read().unwrap_or_else(PoisonError::into_inner).memory())
    }

    fn __contains__(&self, py: Python<'_>, key: &str) -> bool {
        self.read(py, |index| index.get(key).is_some())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.read(py, index::SignatureIndex::len)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let written = py.detach(|| self.inner.read().unwrap_or_else(PoisonError::into_inner).to_bytes());
        reduced::<Self>(py, &written)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<SignatureIndex of {}>", self.__len__(py))
    }
}
