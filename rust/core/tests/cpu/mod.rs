//! Limits of processor time, which mean the same on a busy machine.

use rustix::time::{ClockId, clock_gettime};

/// Seconds are no property, but many of them tell a walk that grows with the square of a large page on any machine.
#[track_caller]
pub fn within(seconds: i64, work: impl FnOnce()) {
    let began = clock_gettime(ClockId::ThreadCPUTime);
    work();
    let spent = clock_gettime(ClockId::ThreadCPUTime) - began;
    assert!(spent.tv_sec < seconds, "{} s of processor time, {seconds} allowed", spent.tv_sec);
}
