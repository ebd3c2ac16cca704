//! Outlines and `refind` for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::boundary::run;
use super::class::Snapshot;
use super::secrets::{Secrets, redactor};
use super::values::{self, ElementId, RefindResult, rounded};
use crate::capture::node::Node;
use crate::element::selector::selector;
use crate::element::text::NAME_CHARACTERS;
use crate::outline::quote::quote;
use crate::outline::refind::{self, Outcome};
use crate::outline::{Asked, Attention, Budget, Scope, Text, outline};

/// The scope as Python gives it: "page", "viewport", or "below" or "from" with the part key and id of a node.
pub(super) type ScopeArgument = (String, Option<(String, u32)>);

/// The node that has the focus, and the modal dialogs.
pub(super) type AttentionArgument = (Option<(String, u32)>, Vec<(String, u32)>);

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

/// The arguments of `outline`.
pub(super) struct Arguments<'py> {
    pub scope: ScopeArgument,
    pub budget: Budget,
    pub links: bool,
    pub attention: AttentionArgument,
    pub secrets: Secrets<'py>,
}

/// The text of a page; None where the node of the scope is not there.
pub(super) fn text<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
    arguments: Arguments<'py>,
) -> PyResult<Option<values::Outline>> {
    let Some(scope) = scope(snapshot, arguments.scope)? else { return Ok(None) };
    let redactor = redactor(arguments.secrets);
    let node = |(frame, id): &(String, u32)| snapshot.inner.find(frame, *id);
    let (active, modals) = &arguments.attention;
    let attention =
        Attention { active: active.as_ref().and_then(node), modals: modals.iter().filter_map(node).collect() };
    let asked = Asked { scope, budget: arguments.budget, links: arguments.links, attention, redactor: &redactor };
    let found = run(py, snapshot.bytes, || outline(&snapshot.inner, &asked));
    let refs = found.text.refs.iter().map(|node| ElementId::of(&snapshot.inner, *node)).collect();
    let Text { text, shown, total, cut, .. } = found.text;
    Ok(Some(values::Outline { text, refs, shown, total, cut, approximate: found.approximate }))
}

/// Look in another snapshot for the element of this one that `node` names; None where it is not in this one.
pub(super) fn refind<'py>(
    py: Python<'py>,
    before: &Snapshot,
    (frame, id): (String, u32),
    after: &Snapshot,
    earlier: Option<&Snapshot>,
    secrets: Secrets<'py>,
) -> Option<RefindResult> {
    let node = before.inner.find(&frame, id)?;
    let redactor = redactor(secrets);
    let refound = run(py, before.bytes + after.bytes, || {
        refind::refind(&before.inner, node, &after.inner, earlier.map(|page| &*page.inner))
    });
    let shown = |node: &Node| redactor.redact(&selector(&after.inner, *node)).into_owned();
    Some(RefindResult {
        outcome: outcome_word(refound.outcome),
        role: refound.role.name(),
        name: redactor.show(&refound.name, NAME_CHARACTERS),
        element: refound.found.map(|node| ElementId::of(&after.inner, node)),
        selector: refound.found.as_ref().map(shown),
        score: rounded(refound.score),
        margin: rounded(refound.margin),
        candidates: refound.candidates.iter().map(shown).collect(),
    })
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
