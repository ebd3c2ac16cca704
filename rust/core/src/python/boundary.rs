//! Errors, bytes and the interpreter lock at the boundary to Python.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::error::SnapshotError;
use crate::signature::error::SignatureError;

/// Below this many bytes the work ends before another thread could have taken the lock.
const DETACH_ABOVE: usize = 128 * 1024;

/// An error of the core with a Python type that takes a message and an offset.
pub(super) trait Located: std::fmt::Display {
    const TYPE: &'static str;

    fn offset(&self) -> usize;
}

impl Located for SnapshotError {
    const TYPE: &'static str = "SnapshotError";

    fn offset(&self) -> usize {
        self.offset
    }
}

impl Located for SignatureError {
    const TYPE: &'static str = "SignatureError";

    fn offset(&self) -> usize {
        self.offset
    }
}

pub(super) fn raise<E: Located>(py: Python<'_>, error: &E) -> PyErr {
    let class = py.import("stillframe.errors").and_then(|errors| errors.getattr(E::TYPE));
    match class.and_then(|class| class.call1((error.to_string(), error.offset()))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// Return a digest in hexadecimal digits, for `repr`.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of `raw` without a copy if it is `bytes`, else of what `bytes(raw)` makes of it.
pub(super) fn bytes_of(raw: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = raw.cast::<PyBytes>() {
        return Ok(bytes.clone().into());
    }
    let copied = raw.py().get_type::<PyBytes>().call1((raw,))?;
    Ok(copied.cast_into::<PyBytes>()?.into())
}

/// Run `work`, without the interpreter lock if it is long.
pub(super) fn run<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > DETACH_ABOVE { py.detach(work) } else { work() }
}
