//! `MaskLearner`, `Masks` and `MaskedDigests` for Python.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::boundary::{hex, run};
use super::class::Snapshot;
use super::digests::{Digests, raw_digest_of};
use super::values::AppliedMask;
use crate::capture::node::Node;
use crate::digest::stored;
use crate::element::selector::selector;
use crate::element::snapshot;
use crate::mask::level::{Mask, Why};
use crate::mask::{learn, masks};

#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct MaskLearner {
    inner: Mutex<learn::MaskLearner>,
}

impl MaskLearner {
    fn with<T>(&self, work: impl FnOnce(&mut learn::MaskLearner) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl MaskLearner {
    #[new]
    fn new() -> Self {
        Self { inner: Mutex::default() }
    }

    #[pyo3(signature = (snapshot, *, focused = None))]
    fn observe(&self, py: Python<'_>, snapshot: &Snapshot, focused: Option<masks::Focus>) {
        run(py, snapshot.bytes, || self.with(|learner| learner.observe(snapshot.inner.clone(), focused.as_ref())));
    }

    fn rebase(&self, snapshot: &Snapshot) {
        self.with(|learner| learner.rebase(snapshot.inner.clone()));
    }

    #[getter]
    fn probes(&self) -> u32 {
        self.with(|learner| learner.probes())
    }

    #[getter]
    fn masks(&self) -> Masks {
        Masks { inner: self.with(|learner| learner.masks(true)) }
    }
}

#[pyclass(frozen, eq, module = "stillframe._core")]
#[derive(PartialEq)]
pub(super) struct Masks {
    inner: masks::Masks,
}

#[pymethods]
impl Masks {
    #[new]
    #[pyo3(signature = (*, rules = true))]
    fn new(rules: bool) -> Self {
        Self { inner: masks::Masks::new(rules, Vec::new()) }
    }

    fn __len__(&self) -> usize {
        self.inner.learned().len()
    }

    fn __bool__(&self) -> bool {
        self.inner.rules || !self.inner.learned().is_empty()
    }

    fn __repr__(&self) -> String {
        let rules = if self.inner.rules { "the static rules and " } else { "" };
        format!("<Masks: {rules}{} learned>", self.inner.learned().len())
    }
}

#[pyclass(frozen, eq, hash, module = "stillframe._core")]
pub(super) struct MaskedDigests {
    digests: stored::Digests,
    plain: stored::Digests,
    masks: Vec<Mask>,
    snapshot: Arc<snapshot::Snapshot>,
    bytes: usize,
}

impl PartialEq for MaskedDigests {
    fn eq(&self, other: &Self) -> bool {
        self.digests == other.digests
    }
}

impl Hash for MaskedDigests {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digests.hash(state);
    }
}

impl MaskedDigests {
    pub(super) fn of(
        py: Python<'_>,
        snapshot: &Snapshot,
        masks: Option<&Masks>,
        focused: Option<&masks::Focus>,
    ) -> Self {
        let rules = masks::Masks::new(true, Vec::new());
        let masks = masks.map_or(&rules, |masks| &masks.inner);
        let found = run(py, snapshot.bytes, || masks.apply(&snapshot.inner, focused));
        let (snapshot, bytes) = (snapshot.inner.clone(), snapshot.bytes);
        Self { digests: found.digests, plain: found.plain, masks: found.masks, snapshot, bytes }
    }

    fn applied(&self, mask: &Mask) -> AppliedMask {
        let snapshot = &self.snapshot;
        let document = snapshot.document(mask.node);
        // A clock is a text; the element it stands in is what has a selector.
        let index = if document.is_text(mask.node.index) { document.parent_of(mask.node.index) } else { None };
        let node = Node { index: index.unwrap_or(mask.node.index), ..mask.node };
        let why = match mask.why {
            Why::Rule(rule) => rule.to_owned(),
            Why::Learned { changed, probes } => format!("changed in {changed} of the last {probes} probes"),
        };
        AppliedMask {
            selector: selector(snapshot, node),
            frame: snapshot.part_of(node.document).key.clone(),
            backend_node_id: snapshot.backend_node_id(node),
            level: mask.level.name(),
            why,
        }
    }
}

#[pymethods]
impl MaskedDigests {
    #[getter]
    fn exact<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.digests.exact)
    }

    #[getter]
    fn visible<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.digests.visible)
    }

    #[getter]
    fn r#struct<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.digests.structure)
    }

    #[getter]
    fn unmasked(&self, py: Python<'_>) -> Digests {
        let raw = run(py, self.bytes, || raw_digest_of(&self.snapshot));
        Digests::new(&self.plain, raw)
    }

    #[getter]
    fn masks(&self) -> Vec<AppliedMask> {
        self.masks.iter().map(|mask| self.applied(mask)).collect()
    }

    fn __repr__(&self) -> String {
        let (exact, visible) = (hex(&self.digests.exact), hex(&self.digests.visible));
        format!("<MaskedDigests exact={exact} visible={visible} under {} masks>", self.masks.len())
    }
}
