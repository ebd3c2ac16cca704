//! The values that calls return: frozen classes with named attributes. There are few of them, never one per node.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::capture::node::{DocumentIndex, Node};
use crate::capture::page::{PartInfo, PartSource, text_of};
use crate::capture::part::Internals;
use crate::delta::row::Row;
use crate::element::selectors::RankedSelector;
use crate::element::snapshot::Snapshot;
use crate::outline::control::Control;

/// A frozen class whose attributes are its fields; `repr` shows them all, and equal fields make equal objects.
macro_rules! value_class {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, eq, module = "stillframe._core")]
        #[derive(Clone, PartialEq)]
        pub(super) struct $name {
            $(pub(super) $field: $type),*
        }

        #[pymethods]
        impl $name {
            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$(format!(
                    "{}={}",
                    stringify!($field),
                    self.$field.clone().into_bound_py_any(py)?.repr()?
                )),*];
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }
        }
    };
}

value_class!(
    /// One element that can be acted on.
    ControlRow {
        frame: String,
        backend_node_id: u32,
        frame_id: String,
        role: &'static str,
        name: String,
        states: Vec<String>,
        value: String,
        options: Vec<String>,
    }
);

value_class!(
    /// The row of one element.
    ElementRow {
        selector: String,
        tag_name: String,
        role: String,
        name: String,
        text: String,
        frame: String,
        frame_id: String,
        backend_node_id: u32,
        count: usize,
        examples: Vec<String>,
        rank: usize,
        own_control: Option<ControlRow>,
        controls: Vec<ControlRow>,
        omitted_controls: usize,
        each: Option<(String, usize)>,
    }
);

value_class!(
    /// The row of one element of which a field changed.
    ChangedElementRow {
        selector: String,
        tag_name: String,
        role: String,
        name: String,
        text: String,
        frame: String,
        frame_id: String,
        backend_node_id: u32,
        count: usize,
        examples: Vec<String>,
        rank: usize,
        controls: Vec<ControlRow>,
        omitted_controls: usize,
        field: String,
        from_: Option<String>,
        to: Option<String>,
    }
);

value_class!(
    /// What names one element: the part, the node in it, and CDP's id of its frame.
    ElementId { frame: String, backend_node_id: u32, frame_id: String }
);

value_class!(
    /// One document of a snapshot.
    DocumentInfo {
        frame: String,
        frame_id: String,
        url: String,
        title: String,
        backend_node_id: u32,
        node_count: usize,
    }
);

value_class!(
    /// One selector of an element.
    ElementSelector { kind: &'static str, selector: String, score: f64 }
);

value_class!(
    /// The role and accessible name of an element.
    AccessibleName { role: &'static str, name: String }
);

value_class!(
    /// A closed shadow root, named by its host and one child.
    ClosedShadowRoot { frame: String, host: u32, child: u32 }
);

value_class!(
    /// One mask that a snapshot matched.
    AppliedMask { selector: String, frame: String, backend_node_id: u32, level: &'static str, why: String }
);

value_class!(
    /// How one property of an element compares with a fingerprint.
    Evidence { similarity: f64, weight: f64 }
);

value_class!(
    /// An element that may be that of a fingerprint.
    RelocationCandidate {
        element: ElementId,
        selector: String,
        score: f64,
        evidence: BTreeMap<&'static str, Evidence>,
    }
);

value_class!(
    /// The text of a page.
    Outline {
        text: String,
        refs: Vec<ElementId>,
        shown: usize,
        total: usize,
        cut: String,
        approximate: bool,
    }
);

value_class!(
    /// What a search for the same element in a later snapshot found.
    RefindResult {
        outcome: &'static str,
        role: &'static str,
        name: String,
        element: Option<ElementId>,
        selector: Option<String>,
        score: f64,
        margin: f64,
        candidates: Vec<String>,
    }
);

impl From<&Control> for ControlRow {
    fn from(control: &Control) -> Self {
        let Control { node: _, frame, frame_id, backend_node_id, role, name, states, value, options } = control.clone();
        Self { frame, backend_node_id, frame_id, role, name, states, value, options }
    }
}

impl From<&Row> for ElementRow {
    fn from(row: &Row) -> Self {
        Self {
            selector: row.selector.clone(),
            tag_name: row.tag_name.clone(),
            role: row.role.clone(),
            name: row.name.clone(),
            text: row.text.clone(),
            frame: row.frame.clone(),
            frame_id: row.frame_id.clone(),
            backend_node_id: row.backend_node_id,
            count: row.count,
            examples: row.examples.clone(),
            rank: row.rank,
            own_control: row.controls.own.as_ref().map(ControlRow::from),
            controls: row.controls.shown.iter().map(ControlRow::from).collect(),
            omitted_controls: row.controls.omitted,
            each: row.each.as_ref().map(|each| (each.selector.clone(), each.first)),
        }
    }
}

impl ChangedElementRow {
    /// The row with its change; None for a row of an element that came or went.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let change = row.change.as_ref()?;
        let element = ElementRow::from(row);
        Some(Self {
            selector: element.selector,
            tag_name: element.tag_name,
            role: element.role,
            name: element.name,
            text: element.text,
            frame: element.frame,
            frame_id: element.frame_id,
            backend_node_id: element.backend_node_id,
            count: element.count,
            examples: element.examples,
            rank: element.rank,
            controls: element.controls,
            omitted_controls: element.omitted_controls,
            field: change.field.clone(),
            from_: change.from.clone(),
            to: change.to.clone(),
        })
    }
}

impl ElementId {
    pub(super) fn of(snapshot: &Snapshot, node: Node) -> Self {
        let (part, document) = (snapshot.part_of(node.document), snapshot.document(node));
        Self {
            frame: part.key.clone(),
            backend_node_id: snapshot.backend_node_id(node),
            frame_id: text_of(part, document.frame_id).to_owned(),
        }
    }
}

impl DocumentInfo {
    pub(super) fn of(snapshot: &Snapshot, at: DocumentIndex) -> Self {
        let (part, document) = (snapshot.part_of(at), &snapshot.documents[at]);
        let text = |id| text_of(part, id).to_owned();
        Self {
            frame: part.key.clone(),
            frame_id: text(document.frame_id),
            url: text(document.url),
            title: text(document.title),
            backend_node_id: document.backend_node_id[0],
            node_count: document.len(),
        }
    }
}

impl From<&RankedSelector> for ElementSelector {
    fn from(ranked: &RankedSelector) -> Self {
        let RankedSelector { kind, selector, score } = ranked;
        Self { kind, selector: selector.clone(), score: rounded(*score) }
    }
}

/// A number between 0 and 1 with four decimals: the rest is noise of 32-bit arithmetic.
pub(super) fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10_000.0).round() / 10_000.0
}

/// The capture of one renderer process, and the frame element that holds it.
#[pyclass(frozen, module = "stillframe._core")]
pub(super) struct SnapshotPart {
    #[pyo3(get)]
    key: String,
    #[pyo3(get)]
    parent: Option<String>,
    #[pyo3(get)]
    owner: Option<u32>,
    #[pyo3(get)]
    raw: Py<PyBytes>,
    #[pyo3(get)]
    internals: Vec<Internals>,
}

impl SnapshotPart {
    pub(super) fn of(py: Python<'_>, part: &PartInfo) -> Self {
        let (parent, owner) = part.owner.clone().map_or((None, None), |(parent, owner)| (Some(parent), owner));
        let raw = PyBytes::new(py, part.content()).unbind();
        Self { key: part.key.clone(), parent, owner, raw, internals: part.internals.clone() }
    }

    /// What the core reads; the bytes are borrowed.
    pub(super) fn source(&self, py: Python<'_>) -> PartSource {
        let owner = self.parent.clone().map(|parent| (parent, self.owner));
        let raw = Arc::new(PyBackedBytes::from(self.raw.bind(py).clone()));
        PartSource { key: self.key.clone(), owner, raw, internals: self.internals.clone() }
    }

    /// Whether `part` has this key and owner, and its elements say the same of themselves.
    pub(super) fn is_placed_as(&self, part: &PartInfo) -> bool {
        let owner = self.parent.as_ref().map(|parent| (parent.as_str(), self.owner));
        part.internals == self.internals
            && part.key == self.key
            && part.owner.as_ref().map(|(parent, owner)| (parent.as_str(), *owner)) == owner
    }

    pub(super) fn raw<'py>(&'py self, py: Python<'py>) -> &'py [u8] {
        self.raw.as_bytes(py)
    }
}

#[pymethods]
impl SnapshotPart {
    #[new]
    #[pyo3(signature = (raw, *, key = String::new(), parent = None, owner = None, internals = Vec::new()))]
    #[pyo3(text_signature = "(raw, *, key='', parent=None, owner=None, internals=())")]
    fn new(
        raw: &Bound<'_, PyAny>,
        key: String,
        parent: Option<String>,
        owner: Option<u32>,
        internals: Vec<Internals>,
    ) -> PyResult<Self> {
        if owner.is_some() && parent.is_none() {
            return Err(PyTypeError::new_err(
                "SnapshotPart: owner names a node of parent, so parent must be given too",
            ));
        }
        let raw = match raw.cast::<PyBytes>() {
            Ok(bytes) => bytes.clone(),
            Err(_) => raw.py().get_type::<PyBytes>().call1((raw,))?.cast_into::<PyBytes>()?,
        };
        Ok(Self { key, parent, owner, raw: raw.unbind(), internals })
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else { return false };
        let other = other.get();
        let same = self.key == other.key
            && self.parent == other.parent
            && self.owner == other.owner
            && self.internals == other.internals;
        same && self.raw.as_bytes(py) == other.raw.as_bytes(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let size = self.raw.as_bytes(py).len();
        let Self { key, parent, owner, .. } = self;
        format!("SnapshotPart(key={key:?}, parent={parent:?}, owner={owner:?}, raw=<{size} bytes>)")
    }
}
