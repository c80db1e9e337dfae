//! The index against the exact answer, and every kernel against plain Rust.

use crate::compare::{Kernel, QueryLine, scalar};
use crate::query::DIMENSION_MAX;
use crate::rows::{LINE, Line};
use crate::{Index, Labels, Query, cosine, is_usable, normalised};
use memory_model::{Category, MemoryFilter, ThreadId, UserId};
use proptest::prelude::*;
use std::collections::HashSet;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        normalised(&(0..dimension).map(|_| self.next()).collect::<Vec<_>>())
    }

    /// A vector near another, as the embeddings of sentences on one topic are.
    fn near(&mut self, centre: &[f32], distance: f32) -> Vec<f32> {
        let moved: Vec<f32> = centre
            .iter()
            .map(|number| number + distance * self.next() / (centre.len() as f32).sqrt())
            .collect();
        normalised(&moved)
    }
}

fn labels<'a>(memory: i64, id: &'a str, owner: &'a str) -> Labels<'a> {
    Labels {
        memory,
        id,
        owner,
        status: "active",
        category: "preference",
        pinned: false,
        thread: None,
    }
}

fn minji() -> MemoryFilter {
    MemoryFilter::active(UserId::new("민지"))
}

fn memories(index: &Index, filter: &MemoryFilter, query: &[f32], limit: usize) -> Vec<i64> {
    let mut found = index.candidates(filter, &Query::new(query), limit);
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let mut seen = HashSet::new();
    found.retain(|candidate| seen.insert(candidate.memory));
    found
        .iter()
        .take(limit)
        .map(|candidate| candidate.memory)
        .collect()
}

proptest! {
    #[test]
    fn every_kernel_gives_the_numbers_of_plain_rust(
        bytes in prop::collection::vec(-127_i8..=127, LINE * 3 * 5),
        wide in prop::collection::vec(-4095_i16..=4095, LINE * 3),
        lines in 1_usize..=3,
    ) {
        let rows: Vec<Line> = bytes.as_chunks::<LINE>().0.iter().map(|line| Line(*line)).collect();
        let query: Vec<QueryLine> = wide.as_chunks::<LINE>().0.iter().take(lines).map(|line| QueryLine(*line)).collect();
        let mut expected = vec![0; rows.len() / lines];
        scalar(&rows, &query, &mut expected);
        for kernel in Kernel::ALL {
            // A kernel that this processor does not have falls back and must give the same all the same.
            let mut found = vec![0; rows.len() / lines];
            kernel.dots(&rows, &query, &mut found);
            prop_assert_eq!(&found, &expected, "{:?}", kernel);
        }
    }
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let lines = DIMENSION_MAX / LINE;
    for (number, sign) in [(127, 1), (-127, -1)] {
        let rows = vec![Line([number; LINE]); lines];
        let query = vec![QueryLine([4_095; LINE]); lines];
        for kernel in Kernel::ALL {
            let mut found = [0];
            kernel.dots(&rows, &query, &mut found);
            assert_eq!(i64::from(found[0]), sign * 127 * 4_095 * 4_096, "{kernel:?}");
        }
    }
}

#[test]
fn what_is_compared_again_holds_the_exact_answer() {
    const DIMENSION: usize = 384;
    const LIMIT: usize = 10;
    let mut numbers = Numbers(11);
    let mut index = Index::new(DIMENSION);
    let centres: Vec<_> = (0..20).map(|_| numbers.vector(DIMENSION)).collect();
    let vectors: Vec<_> = (0..4_000)
        .map(|number| numbers.near(&centres[number % centres.len()], 0.8))
        .collect();
    for (number, vector) in vectors.iter().enumerate() {
        let memory = number as i64;
        assert!(index.add(labels(memory, &format!("기억-{memory}"), "민지"), memory, vector));
    }
    let (mut right, mut asked) = (0, 0);
    for round in 0..200 {
        let query = numbers.near(&centres[round % centres.len()], 0.6);
        let mut exact: Vec<(f32, i64)> = vectors
            .iter()
            .zip(0..)
            .map(|(vector, memory)| (cosine(vector, &query), memory))
            .collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = index.candidates(&minji(), &Query::new(&query), LIMIT);
        assert!(found.len() <= LIMIT * 4, "{} rows are read again", found.len());
        let found: HashSet<i64> = found.iter().map(|candidate| candidate.memory).collect();
        right += exact
            .iter()
            .take(LIMIT)
            .filter(|(_, memory)| found.contains(memory))
            .count();
        asked += LIMIT;
    }
    assert!(right * 1_000 >= asked * 999, "{right} of {asked}");
}

#[test]
fn memories_come_go_and_change_without_a_trace() {
    const DIMENSION: usize = 70;
    let mut numbers = Numbers(3);
    let mut index = Index::new(DIMENSION);
    let mut kept: Vec<(i64, Vec<Vec<f32>>)> = Vec::new();
    for memory in 0..300_i64 {
        let chunks: Vec<_> = (0..memory % 4 + 1).map(|_| numbers.vector(DIMENSION)).collect();
        for chunk in &chunks {
            index.add(labels(memory, "a", "민지"), memory, chunk);
        }
        kept.push((memory, chunks));
        // Every third goes again, so that rows are used a second time.
        if memory % 3 == 2 {
            let (gone, _) = kept.remove(kept.len() / 2);
            index.remove(gone);
            index.remove(gone);
        }
    }
    assert_eq!(index.len(), kept.len());
    for (memory, chunks) in &kept {
        for chunk in chunks {
            assert_eq!(memories(&index, &minji(), chunk, 1), [*memory]);
        }
    }
    let all = memories(&index, &minji(), &numbers.vector(DIMENSION), 1_000);
    let all: HashSet<i64> = all.into_iter().collect();
    assert_eq!(all, kept.iter().map(|(memory, _)| *memory).collect());
}

#[test]
fn one_long_memory_leaves_room_for_the_others() {
    let mut numbers = Numbers(5);
    let mut index = Index::new(64);
    let topic = numbers.vector(64);
    for _ in 0..500 {
        index.add(labels(1, "긴 글", "민지"), 1, &numbers.near(&topic, 0.1));
    }
    for memory in 2..12 {
        index.add(labels(memory, "짧은 글", "민지"), memory, &numbers.vector(64));
    }
    let found = memories(&index, &minji(), &topic, 5);
    assert_eq!((found.len(), found[0]), (5, 1));
}

#[test]
fn a_filter_is_asked_before_anything_is_ranked() {
    let mut numbers = Numbers(9);
    let mut index = Index::new(64);
    let topic = numbers.vector(64);
    for memory in 0..200 {
        index.add(labels(memory, "x", "daniel"), memory, &topic);
    }
    let thread = ThreadId::new("제주 여행");
    let mut one = labels(900, "좌석", "민지");
    (one.pinned, one.thread) = (true, Some(thread.as_str()));
    index.add(one, 900, &numbers.vector(64));
    let mut other = labels(901, "회의", "민지");
    (other.status, other.category) = ("archived", "decision");
    index.add(other, 901, &numbers.vector(64));

    assert_eq!(memories(&index, &minji(), &topic, 10), [900]);
    let archived = MemoryFilter {
        statuses: vec![memory_model::Status::Archived],
        ..minji()
    };
    assert_eq!(memories(&index, &archived, &topic, 10), [901]);
    let decisions = MemoryFilter {
        categories: vec![Category::Decision],
        ..minji()
    };
    assert!(memories(&index, &decisions, &topic, 10).is_empty());
    for (pinned, thread, found) in [
        (true, Some(thread.clone()), 1),
        (true, None, 1),
        (false, Some(ThreadId::new("another")), 0),
    ] {
        let filter = MemoryFilter {
            pinned,
            thread,
            ..minji()
        };
        assert_eq!(memories(&index, &filter, &topic, 10).len(), found);
    }
    assert!(memories(&index, &MemoryFilter::active(UserId::new("nobody")), &topic, 10).is_empty());
}

#[test]
fn damaged_vectors_are_told_apart() {
    let good = normalised(&[1.0, 2.0, 3.0]);
    assert!(is_usable(&good, 3));
    assert!(!is_usable(&good, 4));
    for bad in [f32::NAN, f32::INFINITY, 1e30] {
        assert!(!is_usable(&[0.1, bad, 0.1], 3));
        assert!(!Index::new(3).add(labels(1, "a", "민지"), 1, &[0.1, bad, 0.1]));
    }
}

#[test]
fn ids_come_back_as_they_went_in() {
    let mut index = Index::new(4);
    let odd = "0198C0DE-0000-7000-8000-00000000000A";
    for (memory, id) in [
        (1, "0198c0de-0000-7000-8000-00000000000a"),
        (2, odd),
        (3, "가져온 기억"),
    ] {
        index.add(labels(memory, id, "민지"), memory, &[1.0, 0.0, 0.0, 0.0]);
        let found = index.candidates(&minji(), &Query::new(&[1.0, 0.0, 0.0, 0.0]), 10);
        let found = found.iter().find(|candidate| candidate.memory == memory);
        assert_eq!(
            found.map(|candidate| candidate.id().as_str().to_owned()),
            Some(id.to_owned())
        );
    }
}

#[test]
fn a_hundred_thousand_fit_into_sixty_megabytes() {
    let mut index = Index::new(384);
    let vector = Numbers(1).vector(384);
    for memory in 0..10_000 {
        let id = uuid::Uuid::from_u128(memory as u128).to_string();
        index.add(labels(memory, &id, "민지"), memory, &vector);
    }
    // Lists double their room when they grow, so this counts more than what is used.
    assert!(
        index.bytes() * 10 < 60_000_000,
        "{} bytes for ten thousand",
        index.bytes()
    );
}
