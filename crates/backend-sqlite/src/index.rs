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
    /// The memory of each chunk: its place in `entries`.
    chunk_entries: Vec<usize>,
    /// The memories, in no particular order.
    entries: Vec<Entry>,
    /// Where in `entries` a memory (row) is.
    places: HashMap<i64, usize>,
    /// Owners, states and so on, each kept once.
    names: HashMap<String, Arc<str>>,
}

/// A memory: by what it is filtered, and where its chunks lie.
#[derive(Debug)]
struct Entry {
    row: i64,
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
            chunk_entries: Vec::new(),
            entries: Vec::new(),
            places: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Adds a chunk. One of another length cannot be compared and is left out.
    pub(crate) fn add(&mut self, chunk: ChunkRow) {
        let (numbers, _) = chunk.vector.as_chunks::<4>();
        if numbers.len() != self.dimension || chunk.vector.len() != self.dimension * 4 {
            return;
        }
        self.numbers
            .extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        let chunk_place = self.chunk_entries.len();
        let place = match self.places.get(&chunk.row) {
            Some(place) => *place,
            None => self.add_entry(chunk),
        };
        self.chunk_entries.push(place);
        if let Some(entry) = self.entries.get_mut(place) {
            entry.chunks.push(chunk_place);
        }
    }

    /// Takes a memory out with all its chunks. What lies last moves into each gap.
    pub(crate) fn remove(&mut self, row: i64) {
        let Some(place) = self.places.remove(&row) else {
            return;
        };
        let mut gaps = self
            .entries
            .get_mut(place)
            .map(|entry| std::mem::take(&mut entry.chunks))
            .unwrap_or_default();
        // From the last gap on, so that the gaps still to come stay where they are.
        gaps.sort_unstable();
        for gap in gaps.into_iter().rev() {
            self.remove_chunk(gap);
        }
        self.entries.swap_remove(place);
        if let Some(moved) = self.entries.get(place) {
            self.places.insert(moved.row, place);
            for chunk in &moved.chunks {
                if let Some(entry) = self.chunk_entries.get_mut(*chunk) {
                    *entry = place;
                }
            }
        }
    }

    /// The memories nearest to a query, best first. A memory is as near as its best chunk.
    pub(crate) fn search(&self, filter: &MemoryFilter, query: &[f32], limit: usize) -> Vec<VectorHit> {
        if query.len() != self.dimension || limit == 0 {
            return Vec::new();
        }
        let passes = self.passing(filter);
        let mut best = vec![f32::NEG_INFINITY; self.entries.len()];
        // In the order of the memory: what limits this loop is how fast the numbers arrive.
        for (vector, place) in self
            .numbers
            .chunks_exact(self.dimension.max(1))
            .zip(&self.chunk_entries)
        {
            if let (Some(true), Some(best)) = (passes.get(*place), best.get_mut(*place)) {
                *best = best.max(dot(vector, query));
            }
        }
        let candidates = self
            .entries
            .iter()
            .zip(best)
            .zip(passes)
            .filter(|(_, passes)| *passes);
        let mut hits: Vec<(f32, &Entry)> = candidates.map(|((entry, best), _)| (best, entry)).collect();
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

    /// Which entries a filter lets through.
    fn passing(&self, filter: &MemoryFilter) -> Vec<bool> {
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
        self.entries.iter().map(passes).collect()
    }

    /// Adds the memory of a chunk and returns its place.
    fn add_entry(&mut self, chunk: ChunkRow) -> usize {
        let entry = Entry {
            row: chunk.row,
            owner: self.name(chunk.owner),
            status: self.name(chunk.status),
            category: self.name(chunk.category),
            thread: chunk.thread.map(|thread| self.name(thread)),
            id: MemoryId::new(chunk.id),
            pinned: chunk.pinned,
            chunks: Vec::new(),
        };
        let place = self.entries.len();
        self.places.insert(entry.row, place);
        self.entries.push(entry);
        place
    }

    fn remove_chunk(&mut self, gap: usize) {
        let last = self.chunk_entries.len() - 1;
        self.chunk_entries.swap_remove(gap);
        let (from, to) = (last * self.dimension, gap * self.dimension);
        self.numbers.copy_within(from..from + self.dimension, to);
        self.numbers.truncate(from);
        if let Some(moved) = self.chunk_entries.get(gap)
            && let Some(entry) = self.entries.get_mut(*moved)
            && let Some(old) = entry.chunks.iter_mut().find(|old| **old == last)
        {
            *old = gap;
        }
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
