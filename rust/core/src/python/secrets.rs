//! `Redactor` for Python, and the secrets that other calls receive.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::boundary::run;
use crate::secret;

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct Redactor {
    inner: Arc<secret::Redactor>,
    secrets: usize,
}

#[pymethods]
impl Redactor {
    #[new]
    #[pyo3(signature = (secrets = Vec::new(), *, typed = Vec::new()))]
    #[pyo3(text_signature = "(secrets=(), *, typed=())")]
    fn new(secrets: Vec<Bound<'_, PyString>>, typed: Vec<Bound<'_, PyString>>) -> Self {
        let plain = |texts: &[Bound<'_, PyString>]| texts.iter().map(lossy).collect::<Vec<_>>();
        let inner = secret::Redactor::of(&plain(&secrets), &plain(&typed));
        Self { inner: Arc::new(inner), secrets: secrets.len() + typed.len() }
    }

    fn redact<'py>(&self, py: Python<'py>, text: Bound<'py, PyString>) -> Bound<'py, PyString> {
        if self.inner.is_empty() {
            return text;
        }
        let plain = lossy(&text);
        let spans = run(py, plain.len(), || self.inner.spans(&plain));
        if spans.is_empty() { text } else { PyString::new(py, &spans.redacted(&plain)) }
    }

    fn hidden_in(&self, py: Python<'_>, texts: Vec<Bound<'_, PyString>>) -> Vec<usize> {
        let texts: Vec<String> = texts.iter().map(lossy).collect();
        run(py, texts.iter().map(String::len).sum(), || self.inner.hidden_in(&texts))
    }

    fn __len__(&self) -> usize {
        self.secrets
    }

    fn __repr__(&self) -> String {
        format!("<Redactor of {} secrets>", self.secrets)
    }
}

/// The forms of a secret, in which `Redactor` looks for it.
#[pyfunction]
pub(super) fn secret_forms<'py>(py: Python<'py>, secret: Bound<'py, PyString>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, secret::forms(&lossy(&secret)))
}

/// A text of Python's in UTF-8; half surrogates, which no page can show, are replaced.
fn lossy(text: &Bound<'_, PyString>) -> String {
    text.to_string_lossy().into_owned()
}

/// Secrets as calls take them: a `Redactor`, or texts to make one of.
#[derive(FromPyObject)]
pub(super) enum Secrets<'py> {
    Made(Bound<'py, Redactor>),
    Texts(Vec<String>),
}

impl Default for Secrets<'_> {
    fn default() -> Self {
        Self::Texts(Vec::new())
    }
}

pub(super) fn redactor(secrets: Secrets<'_>) -> Arc<secret::Redactor> {
    match secrets {
        Secrets::Made(made) => Arc::clone(&made.get().inner),
        Secrets::Texts(texts) => Arc::new(secret::Redactor::new(&texts)),
    }
}
