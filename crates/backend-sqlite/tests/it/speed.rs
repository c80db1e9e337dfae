//! How fast the store is at 10 000 memories. Runs with `RUN_SLOW_TESTS=1` in a release build.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{MemoryFilter, MemoryOrder, WriteOp};
use ports::{EmbeddingSpace, MemoryBackend, NewVectors, VectorIndex};
use std::io::Write;
use std::time::{Duration, Instant};
use test_support::sample::{self, at, batch, minji, new_memory};

const MEMORIES: usize = 10_000;

/// What each of them may take at the 95th percentile: twice the goal of five milliseconds, because a machine that
/// tests has other work too.
const LIMIT: Duration = Duration::from_millis(10);

/// What a search may take whose words stand in many of the memories: two microseconds for each of them.
const FREQUENT_LIMIT: Duration = Duration::from_millis(25);

/// How many different words there are.
const WORDS: u64 = 3_000;

/// What English words are made of; Korean ones are made of 300 different syllables. Three make a word.
const LATIN: [&str; 16] = [
    "ka", "mor", "ti", "len", "su", "bar", "no", "vel", "pi", "dra", "go", "ster", "fa", "lim", "ru", "chen",
];

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Few words are frequent and many are rare, as in a language: the most frequent one stands in every
    /// seventh memory.
    fn word(&mut self) -> String {
        let share = (self.next() % 10_000) as f64 / 10_000.0;
        Self::spelled((share * share * WORDS as f64) as u32)
    }

    /// A word of the rarer half, such as a name or a thing.
    fn rare_word(&mut self) -> String {
        Self::spelled((WORDS / 2 + self.next() % (WORDS / 2)) as u32)
    }

    fn spelled(rank: u32) -> String {
        let parts = [rank * 7, rank / 2, rank / 2 * 5 + rank / 97];
        if rank.is_multiple_of(2) {
            parts.map(|part| LATIN[part as usize % LATIN.len()]).concat()
        } else {
            // Hangul syllables begin at U+AC00.
            parts
                .iter()
                .filter_map(|part| char::from_u32(0xAC00 + part % 300 * 37))
                .collect()
        }
    }

    fn vector(&mut self) -> Vec<f32> {
        let vector: Vec<f32> = (0..384)
            .map(|_| (self.next() % 2001) as f32 / 1000.0 - 1.0)
            .collect();
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_memories_are_searched_in_time() {
    if std::env::var_os("RUN_SLOW_TESTS").is_none() || cfg!(debug_assertions) {
        return;
    }
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let space = EmbeddingSpace {
        source: "test".to_owned(),
        model: "random".to_owned(),
        dimension: 384,
    };
    let mut numbers = Numbers(7);
    for part in 0..MEMORIES / 500 {
        let ops = (0..500).map(|index| {
            let words: Vec<_> = (0..8).map(|_| numbers.word()).collect();
            let text = format!("{} {}", words.join(" "), numbers.next());
            WriteOp::Create {
                memory: new_memory(&minji(), &format!("profile:{part}-{index}"), &text),
            }
        });
        let ops = ops.collect();
        let written = store.apply(batch(&minji(), at(part as i64), ops)).await.unwrap();
        let rows = written
            .results
            .iter()
            .filter_map(|result| result.memory.as_ref())
            .map(|memory| NewVectors {
                id: memory.id.clone(),
                content_hash: memory.content_hash.clone(),
                chunks: vec![numbers.vector()],
            });
        let rows = rows.collect();
        store.put(&space, rows).await.unwrap();
    }
    let filter = MemoryFilter::active(minji());
    let mut times = Times::default();
    let first = Instant::now();
    store
        .search(&space, &filter, &numbers.vector(), 50)
        .await
        .unwrap();
    times.note("first search by meaning", vec![first.elapsed()]);
    let (mut words, mut frequent, mut meaning) = (Vec::new(), Vec::new(), Vec::new());
    let (mut lists, mut writes) = (Vec::new(), Vec::new());
    for round in 0..200 {
        let text = format!("{} {}", numbers.rare_word(), numbers.rare_word());
        let terms = recall::terms::index_terms(&text);
        words.push(timed(async || store.search_keywords(&filter, &terms, 50).await.unwrap().len()).await);
        let text = format!("{} {} {}", numbers.word(), numbers.word(), numbers.word());
        let terms = recall::terms::index_terms(&text);
        frequent.push(timed(async || store.search_keywords(&filter, &terms, 50).await.unwrap().len()).await);
        let query = numbers.vector();
        meaning.push(timed(async || store.search(&space, &filter, &query, 50).await.unwrap().len()).await);
        lists.push(
            timed(async || {
                store
                    .list(&filter, MemoryOrder::Updated, 0, 100)
                    .await
                    .unwrap()
                    .data
                    .len()
            })
            .await,
        );
        let new = new_memory(&minji(), &format!("pattern:{round}"), &text);
        writes.push(timed(async || usize::from(create(&store, new.clone()).await.version == 1)).await);
    }
    times.note("search by words", words);
    times.note("search by frequent words", frequent);
    times.note("search by meaning", meaning);
    times.note("list of 100", lists);
    times.note("one create", writes);
    store.close().await;
    let opening = Instant::now();
    let store = SqliteStore::open(&path).await.unwrap();
    times.note("opening", vec![opening.elapsed()]);
    create(&store, sample::seat_ko()).await;
    times.check(&["search by words", "search by meaning", "one create"], LIMIT);
    times.check(&["search by frequent words"], FREQUENT_LIMIT);
}

async fn timed(work: impl AsyncFnOnce() -> usize) -> Duration {
    let started = Instant::now();
    assert!(work().await > 0);
    started.elapsed()
}

#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Times {
    fn note(&mut self, name: &'static str, mut times: Vec<Duration>) {
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        let line = format!(
            "{name}: p50 {:?}, p95 {:?}, most {:?}\n",
            at(0.5),
            at(0.95),
            at(1.0)
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        self.0.push((name, at(0.95)));
    }

    fn check(&self, names: &[&str], limit: Duration) {
        for (name, time) in self.0.iter().filter(|(name, _)| names.contains(name)) {
            assert!(*time < limit, "{name} takes {time:?} at the 95th percentile");
        }
    }
}
