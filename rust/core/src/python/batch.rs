//! Many pages in one call: one thread by default, and no two threads share a page.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

/// What a farm sets where its workers do not fill the cores already.
const VARIABLE: &str = "STILLFRAME_THREADS";

/// How many threads to use: the argument, else what the environment says, else one.
pub(super) fn threads(argument: Option<i64>) -> PyResult<usize> {
    let (found, whose) = match (argument, std::env::var(VARIABLE)) {
        (Some(count), _) => (Some(count), "threads"),
        (None, Ok(text)) => (text.trim().parse::<i64>().ok(), VARIABLE),
        (None, Err(_)) => (Some(1), VARIABLE),
    };
    let wrong = || PyValueError::new_err(format!("{whose} must be a whole number of at least 1"));
    found.and_then(|count| usize::try_from(count).ok()).filter(|&count| count > 0).ok_or_else(wrong)
}

/// Do `work` for each of `items` without the interpreter lock; answers come in the order of the items.
///
/// The pool lives as long as the call: one that lasted would be dead in a process that was forked off later, as farms
/// do, and the first call there would hang. Starting a thread costs about as much as parsing 500 nodes.
pub(super) fn each<T: Send, R: Send>(
    py: Python<'_>,
    items: Vec<T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    py.detach(|| {
        let threads = threads.min(items.len());
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()).flatten();
        match pool {
            // One thread is enough, or the system has no more of them: slower, with the same answers.
            None => items.into_iter().map(work).collect(),
            Some(pool) => pool.install(|| items.into_par_iter().with_max_len(1).map(work).collect()),
        }
    })
}
