//! Limits of processor time, which mean the same on a busy machine.

use rustix::time::{ClockId, clock_gettime};

/// Seconds do not prove a property, but many of them reveal, on any machine, a walk that is quadratic in a large page.
#[track_caller]
pub fn within(seconds: i64, work: impl FnOnce()) {
    let began = clock_gettime(ClockId::ThreadCPUTime);
    work();
    let spent = clock_gettime(ClockId::ThreadCPUTime) - began;
    assert!(spent.tv_sec < seconds, "{} s of processor time, {seconds} allowed", spent.tv_sec);
}
