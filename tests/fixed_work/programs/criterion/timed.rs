// SPDX-License-Identifier: Apache-2.0
use criterion::{criterion_group, criterion_main, Criterion};
use std::{hint::black_box, time::Duration};

fn turns(c: &mut Criterion) {
    c.bench_function("turns", |b| {
        b.iter(|| (0..1000u64).fold(1u64, |sink, i| black_box(sink.wrapping_mul(31) ^ i)))
    });
}
criterion_group! {
    name = all;
    config = Criterion::default().without_plots().sample_size(10).nresamples(1000)
        .warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_millis(1000));
    targets = turns
}
criterion_main!(all);
