//! The methods of `Snapshot` for Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::batch;
use super::boundary::{bytes_of, raise, run};
use super::class::Snapshot;
use super::delta::Delta;
use super::digests::{Digests, raw_digest_of};
use super::locate::{Fingerprint, Relocation, shown_selectors};
use super::mask::{MaskedDigests, Masks};
use super::outline;
use super::secrets::{Secrets, redactor};
use super::signature::Signature;
use super::values::{self, AccessibleName, ClosedShadowRoot, DocumentInfo, ElementRow, ElementSelector, SnapshotPart};
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::page::{PartSource, text_of};
use crate::capture::strings::Bytes;
use crate::delta::row::{self, Wording};
use crate::delta::{self, DEFAULT_LIMIT, controls};
use crate::element::name::accessible;
use crate::element::resolve::resolve;
use crate::element::selector::selector;
use crate::element::selectors::selectors;
use crate::element::text::TEXT_CHARACTERS;
use crate::element::tree::crosses_shadow;
use crate::element::{fingerprint, snapshot};
use crate::mask::masks::Focus;
use crate::outline::Budget;

/// The parts of one page of many: a list of `SnapshotPart`, or the bytes of its only part.
fn page_sources(page: Bound<'_, PyAny>) -> PyResult<Vec<PartSource>> {
    if page.is_instance_of::<PyList>() || page.is_instance_of::<PyTuple>() {
        return Ok(part_sources(page.py(), &page.extract::<Vec<_>>()?));
    }
    Ok(vec![PartSource { key: String::new(), owner: None, raw: Arc::new(bytes_of(&page)?), internals: Vec::new() }])
}

fn part_sources(py: Python<'_>, parts: &[Bound<'_, SnapshotPart>]) -> Vec<PartSource> {
    parts.iter().map(|part| part.get().source(py)).collect()
}

#[pyfunction]
#[pyo3(signature = (pairs, *, limit = DEFAULT_LIMIT, secrets = Secrets::default(), threads = None))]
#[pyo3(text_signature = "(pairs, *, limit=12, secrets=(), threads=None)")]
pub(super) fn diff_many(
    py: Python<'_>,
    pairs: Vec<(Bound<'_, Snapshot>, Bound<'_, Snapshot>)>,
    limit: usize,
    secrets: Secrets<'_>,
    threads: Option<i64>,
) -> PyResult<Vec<Delta>> {
    let threads = batch::threads(threads)?;
    let options = delta::DeltaOptions { limit, wording: wording(secrets), ..delta::DeltaOptions::default() };
    let inner = |snapshot: &Bound<'_, Snapshot>| Arc::clone(&snapshot.get().inner);
    let pairs = pairs.iter().map(|(before, after)| (inner(before), inner(after))).collect();
    let found = batch::each(py, pairs, threads, |(before, after)| delta::Delta::between(&before, &after, &options));
    Ok(found.into_iter().map(|inner| Delta { inner }).collect())
}

/// The target of an action: the part key and id of a node, or a selector as rows have it; any other names nothing.
#[derive(FromPyObject)]
enum Target {
    Node((String, u32)),
    Selector(String),
}

impl Target {
    fn find(&self, snapshot: &snapshot::Snapshot) -> Option<Node> {
        match self {
            Self::Node((frame, id)) => snapshot.find(frame, *id),
            Self::Selector(selector) => resolve(snapshot, selector),
        }
    }
}

fn wording(secrets: Secrets<'_>) -> Wording {
    Wording { redactor: redactor(secrets), ..Wording::default() }
}

impl Snapshot {
    fn make(py: Python<'_>, sources: Vec<PartSource>, loaders: Vec<(String, String)>) -> PyResult<Self> {
        let bytes = sources.iter().map(|source| (*source.raw).as_ref().len()).sum();
        let made = run(py, bytes, || snapshot::Snapshot::from_parts(sources, loaders));
        let inner = made.map_err(|error| raise(py, &error))?;
        Ok(Self { inner: Arc::new(inner), bytes })
    }

    fn documents_in_page_order(&self) -> impl Iterator<Item = DocumentIndex> + '_ {
        self.inner.order.iter().copied()
    }

    fn page_text(&self, id: impl Fn(&crate::capture::columns::Document) -> u32) -> &str {
        let page = self.inner.order[0];
        text_of(self.inner.part_of(page), id(&self.inner.documents[page]))
    }
}

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn from_cdp(py: Python<'_>, raw: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw: Bytes = Arc::new(bytes_of(raw)?);
        Self::make(py, vec![PartSource { key: String::new(), owner: None, raw, internals: Vec::new() }], Vec::new())
    }

    #[staticmethod]
    #[pyo3(signature = (pages, *, threads = None))]
    fn from_many<'py>(
        py: Python<'py>,
        pages: Vec<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let threads = batch::threads(threads)?;
        let pages = pages.into_iter().map(page_sources).collect::<PyResult<Vec<_>>>()?;
        let made = batch::each(py, pages, threads, |sources| {
            let bytes = sources.iter().map(|source| (*source.raw).as_ref().len()).sum();
            (bytes, snapshot::Snapshot::from_parts(sources, Vec::new()))
        });
        let list = PyList::empty(py);
        for (bytes, page) in made {
            match page {
                Ok(inner) => list.append(Self { inner: Arc::new(inner), bytes }.into_pyobject(py)?)?,
                Err(error) => list.append(raise(py, &error).into_value(py))?,
            }
        }
        Ok(list)
    }

    #[staticmethod]
    #[pyo3(signature = (parts, loaders = None))]
    fn from_parts(
        py: Python<'_>,
        parts: Vec<Bound<'_, SnapshotPart>>,
        loaders: Option<std::collections::HashMap<String, String>>,
    ) -> PyResult<Self> {
        let sources = part_sources(py, &parts);
        let mut loaders: Vec<(String, String)> = loaders.unwrap_or_default().into_iter().collect();
        loaders.sort();
        Self::make(py, sources, loaders)
    }

    fn is_of(
        &self,
        py: Python<'_>,
        parts: Vec<Bound<'_, SnapshotPart>>,
        loaders: std::collections::HashMap<String, String>,
    ) -> PyResult<bool> {
        let known = &self.inner;
        if parts.len() != known.parts.len() || loaders.len() != known.loaders.len() {
            return Ok(false);
        }
        if known.loaders.iter().any(|(frame, loader)| loaders.get(frame) != Some(loader)) {
            return Ok(false);
        }
        for (part, given) in known.parts.iter().zip(&parts) {
            if !given.get().is_placed_as(part) {
                return Ok(false);
            }
            let raw = given.get().raw(py);
            if !run(py, raw.len(), || raw == part.content()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[getter]
    fn node_count(&self) -> usize {
        self.inner.len()
    }

    #[getter]
    fn url(&self) -> &str {
        self.page_text(|document| document.url)
    }

    #[getter]
    fn title(&self) -> &str {
        self.page_text(|document| document.title).trim_ascii()
    }

    #[getter]
    fn loaders(&self) -> std::collections::HashMap<&str, &str> {
        self.inner.loaders.iter().map(|(frame, loader)| (frame.as_str(), loader.as_str())).collect()
    }

    #[getter]
    fn documents(&self) -> Vec<DocumentInfo> {
        self.documents_in_page_order().map(|at| DocumentInfo::of(&self.inner, at)).collect()
    }

    #[getter]
    fn digests(&self, py: Python<'_>) -> Digests {
        let inner = &self.inner;
        let (found, raw) = run(py, self.bytes, || (inner.digests(), raw_digest_of(inner)));
        Digests::new(found, raw)
    }

    #[pyo3(signature = (masks = None, *, focused = None))]
    fn masked_digests(&self, py: Python<'_>, masks: Option<&Masks>, focused: Option<Focus>) -> MaskedDigests {
        MaskedDigests::of(py, self, masks, focused.as_ref())
    }

    #[getter]
    fn signature(&self, py: Python<'_>) -> Signature {
        let inner = &self.inner;
        Signature { inner: run(py, self.bytes, || crate::signature::Signature::of(inner)) }
    }

    #[getter]
    fn parts(&self, py: Python<'_>) -> Vec<SnapshotPart> {
        self.inner.parts.iter().map(|part| SnapshotPart::of(py, part)).collect()
    }

    #[pyo3(signature = (other, *, limit = DEFAULT_LIMIT, text_limit = TEXT_CHARACTERS, secrets = Secrets::default(), noise = Vec::new(), habitual = Vec::new(),
                        controls = 0, target = None))]
    #[pyo3(text_signature = "($self, other, *, limit=12, text_limit=300, secrets=(), noise=(), habitual=(), \
                             controls=0, target=None)")]
    #[allow(clippy::too_many_arguments, reason = "all but the first have names in Python")]
    fn diff(
        &self,
        py: Python<'_>,
        other: &Self,
        limit: usize,
        text_limit: usize,
        secrets: Secrets<'_>,
        noise: Vec<(String, u32)>,
        habitual: Vec<(String, u32)>,
        controls: usize,
        target: Option<Target>,
    ) -> Delta {
        let (before, after) = (&self.inner, &other.inner);
        let wording = Wording { text_limit, ..wording(secrets) };
        let inner = run(py, self.bytes + other.bytes, || {
            // The index that a selector needs is not made for nothing.
            let target = target.filter(|_| controls > 0);
            let target = target.and_then(|target| controls::found_in(before, after, |snapshot| target.find(snapshot)));
            let options = delta::DeltaOptions { limit, noise: &noise, habitual: &habitual, wording, controls, target };
            delta::Delta::between(before, after, &options)
        });
        Delta { inner }
    }

    #[pyo3(signature = (frame, backend_node_id, *, secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, frame, backend_node_id, *, secrets=())")]
    fn describe(&self, frame: &str, backend_node_id: u32, secrets: Secrets<'_>) -> Option<ElementRow> {
        let node = self.inner.find(frame, backend_node_id)?;
        Some(ElementRow::from(&row::element(&self.inner, node, &wording(secrets))))
    }

    fn accessible(&self, frame: &str, backend_node_id: u32) -> Option<AccessibleName> {
        let node = self.inner.find(frame, backend_node_id)?;
        let (role, name) = accessible(&self.inner, node);
        Some(AccessibleName { role: role.name(), name })
    }

    fn selector(&self, frame: &str, backend_node_id: u32) -> Option<String> {
        self.inner.find(frame, backend_node_id).map(|node| selector(&self.inner, node))
    }

    #[pyo3(signature = (frame, backend_node_id, *, secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, frame, backend_node_id, *, secrets=())")]
    fn selectors(
        &self,
        py: Python<'_>,
        frame: &str,
        backend_node_id: u32,
        secrets: Secrets<'_>,
    ) -> Vec<ElementSelector> {
        let inner = &self.inner;
        let found = run(py, self.bytes, || inner.find(frame, backend_node_id).map(|node| selectors(inner, node)));
        shown_selectors(&found.unwrap_or_default(), &redactor(secrets))
    }

    #[pyo3(signature = (frame, backend_node_id, *, secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, frame, backend_node_id, *, secrets=())")]
    fn fingerprint(
        &self,
        py: Python<'_>,
        frame: &str,
        backend_node_id: u32,
        secrets: Secrets<'_>,
    ) -> Option<Fingerprint> {
        let (inner, redactor) = (&self.inner, redactor(secrets));
        let node = inner.find(frame, backend_node_id)?;
        let taken = run(py, self.bytes, || fingerprint::Fingerprint::of(inner, node, &redactor));
        Some(Fingerprint { inner: taken })
    }

    fn relocate(&self, py: Python<'_>, fingerprint: &Fingerprint) -> Relocation {
        run(py, self.bytes, || Relocation::new(&self.inner, fingerprint))
    }

    fn closed_shadow_roots(&self) -> Vec<ClosedShadowRoot> {
        let mut found = Vec::new();
        for at in self.documents_in_page_order() {
            let (part, document) = (self.inner.part_of(at), &self.inner.documents[at]);
            let mut last = None;
            for &(index, kind) in &document.shadow {
                let Some(parent) = document.parent_of(index) else { continue };
                let node = |index| Node { document: at, index };
                let closed = part.strings.bytes(kind) == b"closed" && !document.has(index, flag::PSEUDO);
                if closed && last != Some(parent) && crosses_shadow(&self.inner, node(index), node(parent)) {
                    last = Some(parent);
                    let id = |index: NodeIndex| document.backend_node_id[index];
                    found.push(ClosedShadowRoot { frame: part.key.clone(), host: id(parent), child: id(index) });
                }
            }
        }
        found
    }

    #[pyo3(signature = (limit, *, secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, limit, *, secrets=())")]
    fn rows(&self, py: Python<'_>, limit: usize, secrets: Secrets<'_>) -> Vec<ElementRow> {
        let (inner, wording) = (&self.inner, wording(secrets));
        let rows = run(py, self.bytes, || row::page_rows(inner, limit, &wording));
        rows.iter().map(ElementRow::from).collect()
    }

    #[pyo3(signature = (scope = ("page".to_owned(), None), *, budget = 12_000, reference = 6, links = false,
                        attention = (None, Vec::new()), secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, scope=('page', None), *, budget=12000, reference=6, links=False, \
                             attention=(None, ()), secrets=())")]
    fn outline<'py>(
        slf: &Bound<'py, Self>,
        scope: outline::ScopeArgument,
        budget: usize,
        reference: usize,
        links: bool,
        attention: outline::AttentionArgument,
        secrets: Secrets<'py>,
    ) -> PyResult<Option<values::Outline>> {
        let budget = Budget { characters: budget, reference };
        outline::text(slf.py(), slf.get(), outline::Arguments { scope, budget, links, attention, secrets })
    }

    #[pyo3(signature = (node, after, *, earlier = None, secrets = Secrets::default()))]
    #[pyo3(text_signature = "($self, node, after, *, earlier=None, secrets=())")]
    fn refind<'py>(
        &self,
        py: Python<'py>,
        node: (String, u32),
        after: &Self,
        earlier: Option<&Self>,
        secrets: Secrets<'py>,
    ) -> Option<values::RefindResult> {
        outline::refind(py, self, node, after, earlier, secrets)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        // The rest of the URL may hold what was typed into a page, and a `repr` ends up in logs.
        let url = self.url();
        let shown = url.split(['?', '#']).next().unwrap_or_default();
        format!("<Snapshot of {:?}: {} nodes in {} documents>", shown, self.inner.len(), self.inner.documents.len())
    }
}
