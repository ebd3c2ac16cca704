//! Made-up pages and signatures, for tests and benches in Python. Only builds with the feature `testing` have them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::signature::Signature;
use crate::testing::page::{Encoding, card_grid, four_edits};
use crate::testing::signatures::made_up_signatures;

/// Return a made-up page of about `nodes` nodes as the browser would send it, with four edits if `edited`.
#[pyfunction]
fn _card_grid(py: Python<'_>, nodes: usize, edited: bool) -> Bound<'_, PyBytes> {
    let mut tree = card_grid(nodes);
    if edited {
        four_edits(&mut tree);
    }
    PyBytes::new(py, &tree.encode(&Encoding::default()))
}

/// Return made-up signatures of `count` different pages of `templates` templates.
#[pyfunction]
fn _made_up_signatures(count: usize, templates: u64) -> Vec<Signature> {
    made_up_signatures(count, templates).into_iter().map(|inner| Signature { inner }).collect()
}

/// Add the functions to the module without naming them in `__all__`: the stub describes what every build has.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_card_grid", wrap_pyfunction!(_card_grid, module)?)?;
    module.setattr("_made_up_signatures", wrap_pyfunction!(_made_up_signatures, module)?)
}
