//! The Python binding: bytes in, frozen handles and small dicts out. `_core.pyi` is its manual.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};

use crate::columns::{flag, Bytes};
use crate::delta::{self, DEFAULT_LIMIT};
use crate::digest::raw_digest;
use crate::error::SnapshotError;
use crate::row::{self, Row};
use crate::selector::{crosses_shadow, selector};
use crate::snapshot::{self, text_of, Node, PartSource};
use crate::text::Redactor;

/// Below this many bytes the work is done before another thread could have taken the lock (reference native.md §2.9).
const DETACH_ABOVE: usize = 128 * 1024;

fn raise(py: Python<'_>, error: &SnapshotError) -> PyErr {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = TYPE.import(py, "stillframe.errors", "SnapshotError");
    match class.and_then(|class| class.call1((error.to_string(), error.offset))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// The bytes of `raw` without a copy if it is `bytes`, else of what `bytes(raw)` makes of it.
fn bytes_of(raw: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = raw.cast::<PyBytes>() {
        return Ok(bytes.clone().into());
    }
    let copied = raw.py().get_type::<PyBytes>().call1((raw,))?;
    Ok(copied.cast_into::<PyBytes>()?.into())
}

/// Run `work` without the interpreter lock if there is much to do.
fn run<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > DETACH_ABOVE {
        py.detach(work)
    } else {
        work()
    }
}

fn redactor(secrets: Vec<String>) -> Redactor {
    Redactor::new(&secrets)
}

fn row_dict<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(intern!(py, "selector"), &row.selector)?;
    dict.set_item(intern!(py, "tag_name"), &row.tag_name)?;
    dict.set_item(intern!(py, "role"), &row.role)?;
    dict.set_item(intern!(py, "name"), &row.name)?;
    dict.set_item(intern!(py, "text"), &row.text)?;
    dict.set_item(intern!(py, "frame"), &row.frame)?;
    dict.set_item(intern!(py, "frame_id"), &row.frame_id)?;
    dict.set_item(intern!(py, "backend_node_id"), row.backend_node_id)?;
    if let Some(change) = &row.change {
        dict.set_item(intern!(py, "field"), &change.field)?;
        dict.set_item(intern!(py, "from_"), &change.from)?;
        dict.set_item(intern!(py, "to"), &change.to)?;
    }
    Ok(dict)
}

fn row_list<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyList>> {
    let dicts: Vec<_> = rows.iter().map(|row| row_dict(py, row)).collect::<PyResult<_>>()?;
    PyList::new(py, dicts)
}

type PartArgument<'py> = (String, Option<String>, Option<u32>, Bound<'py, PyAny>);
type PartValue<'py> = (String, Option<String>, Option<u32>, Bound<'py, PyBytes>);

#[pyclass(frozen, module = "stillframe._core")]
struct Snapshot {
    inner: Arc<snapshot::Snapshot>,
    bytes: usize,
}

impl Snapshot {
    fn make(py: Python<'_>, sources: Vec<PartSource>, loaders: Vec<(String, String)>) -> PyResult<Self> {
        let bytes = sources.iter().map(|source| (*source.raw).as_ref().len()).sum();
        let made = run(py, bytes, || snapshot::Snapshot::from_parts(sources));
        let mut inner = made.map_err(|error| raise(py, &error))?;
        inner.loaders = loaders;
        Ok(Self { inner: Arc::new(inner), bytes })
    }

    fn documents_in_page_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.inner.order.iter().copied()
    }

    fn page_text(&self, id: impl Fn(&crate::columns::Document) -> u32) -> &str {
        let page = self.inner.order[0];
        text_of(self.inner.part_of(page), id(&self.inner.documents[page as usize]))
    }
}

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn from_cdp(py: Python<'_>, raw: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw: Bytes = Arc::new(bytes_of(raw)?);
        Self::make(py, vec![PartSource { key: String::new(), owner: None, raw }], Vec::new())
    }

    #[staticmethod]
    #[pyo3(signature = (parts, loaders = None))]
    fn from_parts(
        py: Python<'_>,
        parts: Vec<PartArgument<'_>>,
        loaders: Option<std::collections::HashMap<String, String>>,
    ) -> PyResult<Self> {
        let mut sources = Vec::with_capacity(parts.len());
        for (key, parent, owner, raw) in parts {
            let owner = parent.map(|parent| (parent, owner));
            sources.push(PartSource { key, owner, raw: Arc::new(bytes_of(&raw)?) });
        }
        let mut loaders: Vec<(String, String)> = loaders.unwrap_or_default().into_iter().collect();
        loaders.sort();
        Self::make(py, sources, loaders)
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
        self.page_text(|document| document.title)
    }

    #[getter]
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for at in self.documents_in_page_order() {
            let (part, document) = (self.inner.part_of(at), &self.inner.documents[at as usize]);
            let dict = PyDict::new(py);
            dict.set_item(intern!(py, "frame"), &part.key)?;
            dict.set_item(intern!(py, "frame_id"), text_of(part, document.frame_id))?;
            dict.set_item(intern!(py, "url"), text_of(part, document.url))?;
            dict.set_item(intern!(py, "title"), text_of(part, document.title))?;
            dict.set_item(intern!(py, "backend_node_id"), document.bid[0])?;
            dict.set_item(intern!(py, "node_count"), document.len())?;
            list.append(dict)?;
        }
        Ok(list)
    }

    #[getter]
    fn digests(&self, py: Python<'_>) -> Digests {
        let inner = &self.inner;
        let (found, raw) = run(py, self.bytes, || {
            let mut raw = [0u8; 16];
            for part in &inner.parts {
                let one = raw_digest(part.content());
                raw.iter_mut().zip(one).for_each(|(all, byte)| *all = all.rotate_left(1) ^ byte);
            }
            (inner.digests(), raw)
        });
        Digests { exact: found.exact, visible: found.visible, structure: found.structure, raw }
    }

    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> Vec<PartValue<'py>> {
        let value = |part: &snapshot::PartInfo| {
            let (parent, owner) = part.owner.clone().map_or((None, None), |(parent, owner)| (Some(parent), owner));
            (part.key.clone(), parent, owner, PyBytes::new(py, part.content()))
        };
        self.inner.parts.iter().map(value).collect()
    }

    #[pyo3(signature = (other, *, limit = DEFAULT_LIMIT, secrets = Vec::new()))]
    #[pyo3(text_signature = "($self, other, *, limit=12, secrets=())")]
    fn diff(&self, py: Python<'_>, other: &Self, limit: usize, secrets: Vec<String>) -> Delta {
        let (before, after) = (&self.inner, &other.inner);
        let inner = run(py, self.bytes + other.bytes, || delta::delta(before, after, limit, &redactor(secrets)));
        Delta { inner }
    }

    #[pyo3(signature = (frame, backend_node_id, *, secrets = Vec::new()))]
    #[pyo3(text_signature = "($self, frame, backend_node_id, *, secrets=())")]
    fn describe<'py>(
        &self,
        py: Python<'py>,
        frame: &str,
        backend_node_id: u32,
        secrets: Vec<String>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let node = self.inner.find(frame, backend_node_id);
        node.map(|node| row_dict(py, &row::row(&self.inner, node, &redactor(secrets)))).transpose()
    }

    fn selector(&self, frame: &str, backend_node_id: u32) -> Option<String> {
        self.inner.find(frame, backend_node_id).map(|node| selector(&self.inner, node))
    }

    fn closed_shadow_roots(&self) -> Vec<(String, u32, u32)> {
        let mut found = Vec::new();
        for at in self.documents_in_page_order() {
            let (part, document) = (self.inner.part_of(at), &self.inner.documents[at as usize]);
            let mut last = None;
            for &(index, kind) in &document.shadow {
                let Some(parent) = document.parent_of(index) else { continue };
                let node = |index| Node { document: at, index };
                let closed = part.strings.bytes(kind) == b"closed" && !document.has(index, flag::PSEUDO);
                if closed && last != Some(parent) && crosses_shadow(&self.inner, node(index), node(parent)) {
                    last = Some(parent);
                    let bid = |index: u32| document.bid[index as usize];
                    found.push((part.key.clone(), bid(parent), bid(index)));
                }
            }
        }
        found
    }

    #[pyo3(signature = (limit, *, secrets = Vec::new()))]
    #[pyo3(text_signature = "($self, limit, *, secrets=())")]
    fn rows<'py>(&self, py: Python<'py>, limit: usize, secrets: Vec<String>) -> PyResult<Bound<'py, PyList>> {
        let inner = &self.inner;
        let rows = run(py, self.bytes, || row::page_rows(inner, limit, &redactor(secrets)));
        row_list(py, &rows)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Snapshot of {:?}: {} nodes in {} documents>",
            self.url(),
            self.inner.len(),
            self.inner.documents.len()
        )
    }
}

#[pyclass(frozen, eq, hash, module = "stillframe._core")]
#[derive(PartialEq, Eq, Hash)]
struct Digests {
    exact: [u8; 16],
    visible: [u8; 16],
    structure: [u8; 16],
    raw: [u8; 16],
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
        let hex = |bytes: &[u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        format!("<Digests exact={} visible={} struct={}>", hex(&self.exact), hex(&self.visible), hex(&self.structure))
    }
}

#[pyclass(frozen, module = "stillframe._core")]
struct Delta {
    inner: delta::Delta,
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
    fn appeared<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        row_list(py, &self.inner.appeared.rows)
    }

    #[getter]
    fn disappeared<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        row_list(py, &self.inner.disappeared.rows)
    }

    #[getter]
    fn changed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        row_list(py, &self.inner.changed.rows)
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

/// A synthetic page of about `nodes` nodes, as the browser would send it; with four edits if `edited`. For benches.
#[pyfunction]
fn _card_grid(py: Python<'_>, nodes: usize, edited: bool) -> Bound<'_, PyBytes> {
    let mut tree = crate::testpage::card_grid(nodes);
    if edited {
        crate::testpage::four_edits(&mut tree);
    }
    PyBytes::new(py, &tree.encode(&crate::testpage::Encoding::default()))
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{_card_grid, Delta, Digests, Snapshot};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
