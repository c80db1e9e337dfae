//! The vectors of one space in memory, and the search over all of them.
//!
//! Every vector is compared (brute force): at 10 000 memories that takes about two milliseconds, gives the
//! exact answer, and lets a filter be asked before anything is ranked.

use crate::tables::memories::statuses;
use crate::tables::vectors::ChunkRow;
use crate::words::name_of;
use memory_model::{MemoryFilter, MemoryId};
use ports::VectorHit;
use std::collections::HashMap;
use std::sync::Arc;

/// The vectors of one space. Chunks lie one after another, in no particular order.
#[derive(Debug)]
pub(crate) struct Index {
    dimension: usize,
    /// All chunks, `dimension` numbers each.
    numbers: Vec<f32>,
    /// The memory (row) of each chunk.
    chunk_rows: Vec<i64>,
    /// The memories by row.
    entries: HashMap<i64, Entry>,
    /// Owners, states and so on, each kept once.
    names: HashMap<String, Arc<str>>,
}

/// A memory: by what it is filtered, and where its chunks lie.
#[derive(Debug)]
struct Entry {
    id: MemoryId,
    owner: Arc<str>,
    status: Arc<str>,
    category: Arc<str>,
    pinned: bool,
    thread: Option<Arc<str>>,
    chunks: Vec<usize>,
}

impl Index {
    /// An empty index for vectors of a length.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            numbers: Vec::new(),
            chunk_rows: Vec::new(),
            entries: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Adds a chunk. One of another length cannot be compared and is left out.
    pub(crate) fn add(&mut self, chunk: ChunkRow) {
        let length = self.numbers.len();
        self.numbers.extend(
            chunk
                .vector
                .chunks_exact(4)
                .filter_map(|bytes| bytes.try_into().ok())
                .map(f32::from_le_bytes),
        );
        if self.numbers.len() != length + self.dimension {
            self.numbers.truncate(length);
            return;
        }
        let place = self.chunk_rows.len();
        self.chunk_rows.push(chunk.row);
        if let Some(entry) = self.entries.get_mut(&chunk.row) {
            entry.chunks.push(place);
            return;
        }
        let entry = Entry {
            owner: self.name(chunk.owner),
            status: self.name(chunk.status),
            category: self.name(chunk.category),
            thread: chunk.thread.map(|thread| self.name(thread)),
            id: MemoryId::new(chunk.id),
            pinned: chunk.pinned,
            chunks: vec![place],
        };
        self.entries.insert(chunk.row, entry);
    }

    /// Takes a memory out with all its chunks.
    pub(crate) fn remove(&mut self, row: i64) {
        let Some(mut entry) = self.entries.remove(&row) else {
            return;
        };
        // From the last place on, so that the places still to go stay where they are.
        entry.chunks.sort_unstable();
        for place in entry.chunks.into_iter().rev() {
            let last = self.chunk_rows.len() - 1;
            self.chunk_rows.swap_remove(place);
            let (from, to) = (last * self.dimension, place * self.dimension);
            self.numbers.copy_within(from..from + self.dimension, to);
            self.numbers.truncate(from);
            if let Some(moved) = self.chunk_rows.get(place)
                && let Some(entry) = self.entries.get_mut(moved)
                && let Some(old) = entry.chunks.iter_mut().find(|old| **old == last)
            {
                *old = place;
            }
        }
    }

    /// The memories nearest to a query, best first. A memory is as near as its best chunk.
    pub(crate) fn search(&self, filter: &MemoryFilter, query: &[f32], limit: usize) -> Vec<VectorHit> {
        if query.len() != self.dimension || limit == 0 {
            return Vec::new();
        }
        let statuses: Vec<String> = statuses(filter).into_iter().map(name_of).collect();
        let categories: Vec<&str> = filter.categories.iter().map(|category| category.name()).collect();
        let passes = |entry: &Entry| {
            *entry.owner == *filter.owner.as_str()
                && statuses.iter().any(|status| **status == *entry.status)
                && (categories.is_empty() || categories.contains(&&*entry.category))
                && (!filter.pinned || entry.pinned)
                && filter
                    .thread
                    .as_ref()
                    .is_none_or(|thread| entry.thread.as_deref() == Some(thread.as_str()))
        };
        let best_chunk = |entry: &Entry| {
            let cosine = |place: &usize| dot(self.vector(*place), query);
            entry.chunks.iter().map(cosine).fold(f32::NEG_INFINITY, f32::max)
        };
        let mut hits: Vec<(f32, &Entry)> = self
            .entries
            .values()
            .filter(|entry| passes(entry))
            .map(|entry| (best_chunk(entry), entry))
            .collect();
        // Equal ones by id, so that the same question has the same answer.
        let order =
            |a: &(f32, &Entry), b: &(f32, &Entry)| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id));
        if hits.len() > limit {
            hits.select_nth_unstable_by(limit - 1, order);
            hits.truncate(limit);
        }
        hits.sort_unstable_by(order);
        let hit = |(similarity, entry): (f32, &Entry)| VectorHit {
            id: entry.id.clone(),
            similarity: similarity.clamp(-1.0, 1.0),
        };
        hits.into_iter().map(hit).collect()
    }

    fn vector(&self, place: usize) -> &[f32] {
        let start = place * self.dimension;
        self.numbers
            .get(start..start + self.dimension)
            .unwrap_or_default()
    }

    fn name(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.names.get(&name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = name.as_str().into();
        self.names.insert(name, Arc::clone(&shared));
        shared
    }
}

/// The dot product. Sixteen sums side by side, because the compiler may not reorder one sum of floats and
/// would add the numbers one by one. The parts are arrays, so that it knows their length and uses the vector unit.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let ((a_parts, a_rest), (b_parts, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_parts.iter().zip(b_parts) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
