//! How long do bytes take to become columns, digests and a summary? Each case checks its answer first.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stillframe_core::testing::capture::node::DocumentIndex;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::digest::node_hashes::node_hashes;
use stillframe_core::testing::digest::stored::digests;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::hash::process_secret;
use stillframe_core::testing::page::{Encoding, bytes, card_grid, four_edits, loaded_again};

fn core(criterion: &mut Criterion) {
    for size in [1_000, 10_000, 100_000] {
        let mut tree = card_grid(size);
        let before_bytes = bytes(tree.encode(&Encoding::default()));
        four_edits(&mut tree);
        let after_bytes = bytes(tree.encode(&Encoding::default()));
        let before = Snapshot::from_cdp(before_bytes).expect("a valid page");
        let after = Snapshot::from_cdp(after_bytes.clone()).expect("a valid page");
        let found = Delta::between(&before, &after, &DeltaOptions::default());
        assert_eq!((found.appeared.total, found.disappeared.total, found.changed.total), (1, 1, 2));

        let mut again = card_grid(size);
        loaded_again(&mut again);
        let again = again.snapshot();
        let _ = (before.digests(), again.digests());
        let cross = || {
            stillframe_core::testing::diff::cross::documents(
                black_box(&before),
                DocumentIndex::FIRST,
                &again,
                DocumentIndex::FIRST,
                Default::default(),
            )
        };
        assert!(cross().is_related() && !cross().approximate);

        let mut group = criterion.benchmark_group("core");
        group.throughput(Throughput::Elements(after.len() as u64));
        if size > 50_000 {
            group.sample_size(20);
        }
        group.bench_function(BenchmarkId::new("parse", size), |bencher| {
            bencher.iter(|| Snapshot::from_cdp(black_box(after_bytes.clone())).expect("a valid page"));
        });
        group.bench_function(BenchmarkId::new("digests", size), |bencher| {
            bencher.iter(|| digests(black_box(&after)));
        });
        group.bench_function(BenchmarkId::new("node_hashes", size), |bencher| {
            bencher.iter(|| node_hashes(black_box(&after), process_secret(), u64::MAX));
        });
        group.bench_function(BenchmarkId::new("edits", size), |bencher| {
            bencher.iter(|| {
                stillframe_core::testing::diff::identity::edits(
                    black_box(&before),
                    DocumentIndex::FIRST,
                    &after,
                    DocumentIndex::FIRST,
                )
                .expect("ids are unique")
            });
        });
        group.bench_function(BenchmarkId::new("cross_document", size), |bencher| bencher.iter(cross));
        group.bench_function(BenchmarkId::new("bytes_to_summary", size), |bencher| {
            bencher.iter(|| {
                let after = Snapshot::from_cdp(black_box(after_bytes.clone())).expect("a valid page");
                Delta::between(&before, &after, &DeltaOptions::default()).changed.total
            });
        });
        group.bench_function(BenchmarkId::new("bytes_to_summary_and_digests", size), |bencher| {
            bencher.iter(|| {
                let after = Snapshot::from_cdp(black_box(after_bytes.clone())).expect("a valid page");
                black_box(after.digests().visible);
                Delta::between(&before, &after, &DeltaOptions::default()).changed.total
            });
        });
        group.finish();
    }
}

criterion_group!(benches, core);
criterion_main!(benches);
