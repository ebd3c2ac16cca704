//! The table of roles for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::element::roles::{Role, SYNONYMS};

/// All roles with their facts.
#[pyfunction]
pub(super) fn aria_roles(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let table = PyDict::new(py);
    for role in Role::all() {
        table.set_item(role.name(), facts(py, role)?)?;
    }
    for (word, role) in SYNONYMS {
        let same = facts(py, role)?;
        same.set_item("synonym", role.name())?;
        table.set_item(word, same)?;
    }
    Ok(table)
}

fn facts(py: Python<'_>, role: Role) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("content", role.is_named_by_content())?;
    dict.set_item("prohibited", role.is_name_prohibited())?;
    dict.set_item("leaf", role.is_leaf())?;
    dict.set_item("control", role.is_control())?;
    Ok(dict)
}
