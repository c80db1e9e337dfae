//! `index`: the search by meaning alone, against faiss-cpu flat on one thread and sqlite-vec, all on the same
//! vectors, taking turns in one run. Ours are times of the clock, theirs times of the processor: what
//! else the machine does can only make ours look slower.
//!
//! The vectors are embeddings of sentences by our model, and neighbours of these: embedding a million sentences
//! takes hours, so each further vector is a real one moved by noise in every direction, as far as a sentence moves
//! when half of its words are exchanged (cosine about 0.8). Ours reads its candidates' 32-bit numbers from the file.

use super::peers::{Peer, python};
use super::world::Model;
use super::{Arguments, Measured, percentile, round};
use anyhow::{Context as _, Result, ensure};
use memory_model::{MemoryFilter, UserId};
use ports::EmbedPurpose;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;
use vector_index::{Index, Labels, Query, cosine, normalised};

/// Peers, by name and version on PyPI.
const PACKAGES: [&str; 4] = [
    "faiss-cpu==1.15.1",
    "sqlite-vec==0.1.9",
    "numpy==2.4.6",
    "apsw==3.54.1.0",
];

/// Sentences that are embedded.
const REAL: usize = 2_000;

const QUERIES: usize = 100;

/// Rounds of sqlite-vec at most, which is slow.
const SLOW_ROUNDS: usize = 15;

const LIMIT: usize = 10;

/// Length of the noise that is added to a vector of length one.
const NOISE: f32 = 0.75;

/// Numbers that look random and are the same in every run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Near normal, of variance one: the sum of twelve even numbers.
    fn normal(&mut self) -> f32 {
        (0..12)
            .map(|_| (self.next() & 0xffff) as f32 / 65_536.0)
            .sum::<f32>()
            - 6.0
    }

    fn near(&mut self, vector: &[f32], noise: f32) -> Vec<f32> {
        let length = noise / (vector.len() as f32).sqrt();
        let moved: Vec<f32> = vector
            .iter()
            .map(|number| number + length * self.normal())
            .collect();
        normalised(&moved)
    }

    pub(super) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words
            .get(self.next() as usize % words.len().max(1))
            .copied()
            .unwrap_or_default()
    }
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let sizes: &[usize] = match arguments.size {
        Some(size) => &[size],
        None => &[10_000, 100_000, 1_000_000],
    };
    let python = python(&PACKAGES)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let real = runtime.block_on(embedded())?;
    let mut figures = Map::new();
    for size in sizes {
        let folder = tempfile::tempdir()?;
        figures.insert(format!("{size}"), at_size(*size, &real, &python, folder.path())?);
    }
    Ok(Measured {
        lines: Vec::new(),
        figures: Value::Object(figures),
    })
}

/// Embeddings of sentences that people could have said, all different.
async fn embedded() -> Result<Vec<Vec<f32>>> {
    let model = Model::load(None)?;
    let mut numbers = Numbers(17);
    let texts: Vec<String> = (0..REAL).map(|number| sentence(&mut numbers, number)).collect();
    let mut vectors = Vec::with_capacity(REAL);
    for part in texts.chunks(32) {
        vectors.extend(model.embed(part, EmbedPurpose::Passage).await?);
    }
    Ok(vectors)
}

/// A sentence about somebody's life; English, because that is the language of the model.
pub(super) fn sentence(numbers: &mut Numbers, number: usize) -> String {
    const WHO: [&str; 8] = [
        "I",
        "My sister",
        "The team",
        "Our landlord",
        "My doctor",
        "Hana",
        "The new manager",
        "Grandfather",
    ];
    const DOES: [&str; 10] = [
        "prefers",
        "cannot stand",
        "decided on",
        "asked about",
        "forgot",
        "repaired",
        "sold",
        "learned about",
        "is allergic to",
        "paid for",
    ];
    const WHAT: [&str; 16] = [
        "green tea",
        "the night train",
        "window seats",
        "unit tests in Rust",
        "the garden fence",
        "peanuts",
        "a violin lesson",
        "the tax form",
        "mountain hiking",
        "an old bicycle",
        "the quarterly report",
        "a trip to Busan",
        "sourdough bread",
        "the leaking roof",
        "database backups",
        "a wool blanket",
    ];
    const WHEN: [&str; 10] = [
        "in the morning",
        "last winter",
        "after the meeting",
        "before the wedding",
        "on Tuesdays",
        "during the exam",
        "when it rains",
        "since the accident",
        "for the whole summer",
        "at the office",
    ];
    format!(
        "{} {} {} {}, case {number}",
        numbers.pick(&WHO),
        numbers.pick(&DOES),
        numbers.pick(&WHAT),
        numbers.pick(&WHEN)
    )
}

/// Ours: the index, and the file with the numbers of 32 bits.
struct Ours {
    index: Index,
    file: File,
    dimension: usize,
}

impl Ours {
    fn search(&mut self, vector: &[f32]) -> Result<Vec<i64>> {
        let query = Query::new(vector);
        let candidates = self.index.candidates(&filter(), &query, LIMIT);
        let mut hits = Vec::with_capacity(candidates.len());
        let mut bytes = vec![0; self.dimension * 4];
        for candidate in candidates {
            let offset = candidate.blob.unsigned_abs() * self.dimension as u64 * 4;
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.read_exact(&mut bytes)?;
            let exact: Vec<f32> = bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect();
            hits.push((cosine(&exact, query.numbers()), candidate.blob));
        }
        hits.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        hits.truncate(LIMIT);
        Ok(hits.into_iter().map(|(_, row)| row).collect())
    }
}

fn filter() -> MemoryFilter {
    MemoryFilter::active(UserId::new("local"))
}

fn at_size(size: usize, real: &[Vec<f32>], python: &Path, folder: &Path) -> Result<Value> {
    let dimension = real.first().context("an embedding")?.len();
    let mut numbers = Numbers(size as u64);
    let vectors_file = folder.join("vectors.f32");
    let began = Instant::now();
    let mut file = BufWriter::new(File::create(&vectors_file)?);
    let mut index = Index::new(dimension);
    let mut adding = 0.0;
    for row in 0..size {
        let vector = match real.get(row) {
            Some(vector) => vector.clone(),
            None => numbers.near(&real[row % real.len()], NOISE),
        };
        for number in &vector {
            file.write_all(&number.to_le_bytes())?;
        }
        let id = format!("00000000-0000-7000-8000-{row:012x}");
        let began = Instant::now();
        let labels = Labels {
            memory: row as i64,
            id: &id,
            owner: "local",
            status: "active",
            category: "reference",
            pinned: false,
            thread: None,
        };
        ensure!(index.add(labels, row as i64, &vector), "a vector was not usable");
        adding += began.elapsed().as_secs_f64();
    }
    file.flush()?;
    let filled = began.elapsed().as_secs_f64();
    let queries: Vec<Vec<f32>> = (0..QUERIES)
        .map(|number| numbers.near(&real[number * 7 % real.len()], NOISE))
        .collect();
    let queries_file = folder.join("queries.f32");
    let bytes: Vec<u8> = queries
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    std::fs::write(&queries_file, bytes)?;
    let arguments = [
        vectors_file.display().to_string(),
        queries_file.display().to_string(),
        folder.join("rows.db").display().to_string(),
        dimension.to_string(),
        LIMIT.to_string(),
    ];
    let mut peer = Peer::start(python, include_str!("index_peers.py"), &arguments)?;
    let mut ours = Ours {
        index,
        file: File::open(&vectors_file)?,
        dimension,
    };
    let mut compared = compare(&mut ours, &mut peer, &queries)?;
    compared["kernel"] = json!(format!("{:?}", ours.index.kernel()));
    compared["memory_mb"] = json!(round(ours.index.bytes() as f64 / 1e6));
    compared["added_per_row_us"] = json!(round(adding * 1e6 / size as f64));
    compared["fill_s"] = json!(round(filled));
    Ok(compared)
}

/// Every query is put to all three, one after the other, so that what else the machine does meets all of them.
fn compare(ours: &mut Ours, peer: &mut Peer, queries: &[Vec<f32>]) -> Result<Value> {
    let (mut own, mut scan, mut faiss, mut slow) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut right, mut asked) = (0, 0);
    for (number, query) in queries.iter().enumerate() {
        let exact = peer.ask(&format!("faiss {number}"))?;
        faiss.push(millis(&exact)?);
        let began = Instant::now();
        let found = ours.search(query)?;
        own.push(began.elapsed().as_secs_f64() * 1_000.0);
        let prepared = Query::new(query);
        let began = Instant::now();
        let candidates = ours.index.candidates(&filter(), &prepared, LIMIT);
        scan.push(began.elapsed().as_secs_f64() * 1_000.0);
        ensure!(!candidates.is_empty(), "nothing was found");
        if number < SLOW_ROUNDS {
            slow.push(millis(&peer.ask(&format!("sqlite_vec {number}"))?)?);
        }
        let found: HashSet<i64> = found.into_iter().collect();
        let exact = exact["rows"].as_array().context("rows of the peer")?;
        right += exact
            .iter()
            .filter_map(Value::as_i64)
            .filter(|row| found.contains(row))
            .count();
        asked += exact.len();
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        (
            percentile(times, 0.25),
            percentile(times, 0.5),
            percentile(times, 0.95),
        )
    };
    let (own, scan, faiss, slow) = (
        median(&mut own),
        median(&mut scan),
        median(&mut faiss),
        median(&mut slow),
    );
    let figure = |times: (f64, f64, f64)| json!({ "p25_ms": round(times.0), "p50_ms": round(times.1), "p95_ms": round(times.2) });
    Ok(json!({
        "ours": figure(own),
        "ours_scan_alone": figure(scan),
        "faiss_flat": figure(faiss),
        "sqlite_vec": figure(slow),
        "times_faster_than_faiss": round(faiss.0 / own.0),
        "times_faster_than_sqlite_vec": round(slow.0 / own.0),
        "recall_at_10": round(right as f64 / asked.max(1) as f64),
    }))
}

fn millis(answer: &Value) -> Result<f64> {
    answer["cpu_ms"].as_f64().context("the time of the peer")
}
