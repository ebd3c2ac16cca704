//! The text of a page, as Python sees it.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::boundary::run;
use super::locate::hundredths;
use super::secrets::{redactor, Secrets};
use super::snapshot::Snapshot;
use crate::capture::page::{text_of, Node};
use crate::element::selector::selector;
use crate::element::text::NAME_CHARACTERS;
use crate::outline::quote::quote;
use crate::outline::refind::{self, Outcome};
use crate::outline::{outline, Asked, Budget, Outline, Scope};

/// What is asked for: "page", "viewport", or "below" or "from" with the part key and backend node id of a node.
pub(super) type ScopeArgument = (String, Option<(String, u32)>);

fn scope(snapshot: &Snapshot, (kind, node): ScopeArgument) -> PyResult<Option<Scope>> {
    let found = node.and_then(|(frame, id)| snapshot.inner.find(&frame, id));
    match kind.as_str() {
        "page" => Ok(Some(Scope::Page)),
        "viewport" => Ok(Some(Scope::Viewport)),
        "below" => Ok(found.map(Scope::Below)),
        "from" => Ok(found.map(Scope::From)),
        _ => Err(PyValueError::new_err(format!("no such scope: {kind}"))),
    }
}

/// A text as it stands in lines.
#[pyfunction]
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(&mut out, text);
    out
}

/// How a page is asked for.
pub(super) struct Arguments<'py> {
    pub scope: ScopeArgument,
    pub budget: Budget,
    pub links: bool,
    pub secrets: Secrets<'py>,
}

/// The text of a page; None where the node of the scope is not there.
pub(super) fn text<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
    arguments: Arguments<'py>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(scope) = scope(snapshot, arguments.scope)? else { return Ok(None) };
    let redactor = redactor(arguments.secrets);
    let asked = Asked { scope, budget: arguments.budget, links: arguments.links, redactor: &redactor };
    let found = run(py, snapshot.bytes, || outline(&snapshot.inner, &asked));
    dict_of(py, snapshot, &found).map(Some)
}

fn dict_of<'py>(py: Python<'py>, snapshot: &Snapshot, found: &Outline) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let refs: Vec<_> = found.text.refs.iter().map(|node| reference(snapshot, *node)).collect();
    dict.set_item(intern!(py, "text"), &found.text.text)?;
    dict.set_item(intern!(py, "refs"), refs)?;
    dict.set_item(intern!(py, "shown"), found.text.shown)?;
    dict.set_item(intern!(py, "total"), found.text.total)?;
    dict.set_item(intern!(py, "cut"), &found.text.cut)?;
    dict.set_item(intern!(py, "approximate"), found.approximate)?;
    Ok(dict)
}

/// The part key, backend node id and frame id of a node.
fn reference(snapshot: &Snapshot, node: Node) -> (&str, u32, &str) {
    let (part, document) = (snapshot.inner.part_of(node.document), snapshot.inner.document(node));
    (&part.key, document.backend_node_id[node.index as usize], text_of(part, document.frame_id))
}

/// Look in another snapshot for the element of this one that `node` names; None where it is not in this one.
pub(super) fn refind<'py>(
    py: Python<'py>,
    before: &Snapshot,
    (frame, id): (String, u32),
    after: &Snapshot,
    secrets: Secrets<'py>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(node) = before.inner.find(&frame, id) else { return Ok(None) };
    let redactor = redactor(secrets);
    let refound = run(py, before.bytes + after.bytes, || refind::refind(&before.inner, node, &after.inner));
    let shown = |node: &Node| redactor.redact(&selector(&after.inner, *node)).into_owned();
    let dict = PyDict::new(py);
    dict.set_item(intern!(py, "outcome"), outcome_word(refound.outcome))?;
    dict.set_item(intern!(py, "role"), refound.role.name())?;
    dict.set_item(intern!(py, "name"), redactor.show(&refound.name, NAME_CHARACTERS))?;
    dict.set_item(intern!(py, "element"), refound.found.map(|node| reference(after, node)))?;
    dict.set_item(intern!(py, "selector"), refound.found.as_ref().map(shown))?;
    dict.set_item(intern!(py, "score"), hundredths(refound.score))?;
    dict.set_item(intern!(py, "margin"), hundredths(refound.margin))?;
    dict.set_item(intern!(py, "candidates"), refound.candidates.iter().map(shown).collect::<Vec<_>>())?;
    Ok(Some(dict))
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Found => "found",
        Outcome::Nameless => "nameless",
        Outcome::Nothing => "nothing",
        Outcome::Twins => "twins",
        Outcome::Elsewhere => "elsewhere",
        Outcome::Several => "several",
    }
}
