//! The index of one space: memories, their rows, and the scan.

use crate::compare::Kernel;
use crate::labels::{AllNames, Entry, Id, Labels, NONE};
use crate::query::{Query, is_usable};
use crate::rows::{BLOCK, Rows};
use memory_model::{MemoryFilter, MemoryId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows that are compared again with numbers of 32 bits, as a multiple of the hits asked for. Rounding moves a row by
/// some thousandths; a quarter of these would nearly always do.
const AGAIN_MAX: usize = 4;

/// How far below the last hit a row may lie and still be compared again, in units of its scale. Rounding errs by at
/// most half a unit in each number; weighted with a query of length one, all of a row's errors together have a
/// standard deviation of 0.29 units, and the difference of two rows one of 0.41. This is five times that.
const AGAIN_UNITS: f32 = 2.05;

/// The vectors of one space.
#[derive(Debug)]
pub struct Index {
    dimension: usize,
    kernel: Kernel,
    rows: Rows,
    /// What else is known of each row.
    slots: Vec<Slot>,
    /// Rows that no memory uses.
    free_rows: Vec<u32>,
    entries: Vec<Option<Entry>>,
    free_entries: Vec<u32>,
    /// Where in `entries` a memory is.
    places: HashMap<i64, u32>,
    names: AllNames,
    /// The rows that the last filter let through; searches mostly ask with the same one.
    mask: Mutex<Option<(MemoryFilter, Arc<Vec<u64>>)>>,
}

/// What is known of a row besides its numbers.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The row of the vector in the store.
    blob: i64,
    /// Place in `entries`, or `NONE` when the row is free.
    entry: u32,
    /// The row of the memory's next chunk.
    next: u32,
}

/// A row that may belong to the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The row of the vector in the store.
    pub blob: i64,
    /// The row of its memory in the store.
    pub memory: i64,
    /// Cosine in eight bits.
    pub similarity: f32,
    id: Id,
}

impl Candidate {
    /// The id of its memory.
    pub fn id(&self) -> MemoryId {
        self.id.memory_id()
    }
}

impl Index {
    /// An empty index for vectors with so many numbers, compared by the fastest kernel of this processor.
    pub fn new(dimension: usize) -> Self {
        Self::with_kernel(dimension, Kernel::detect())
    }

    /// An empty index that compares by one kernel; where the processor does not have it, in plain Rust.
    pub fn with_kernel(dimension: usize, kernel: Kernel) -> Self {
        Self {
            dimension,
            kernel,
            rows: Rows::new(dimension),
            slots: Vec::new(),
            free_rows: Vec::new(),
            entries: Vec::new(),
            free_entries: Vec::new(),
            places: HashMap::new(),
            names: AllNames::default(),
            mask: Mutex::default(),
        }
    }

    /// The kernel that compares.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Adds a chunk of a memory; `blob` is the row of the vector in the store. Returns false, and adds nothing, for
    /// a vector that is not [usable](is_usable).
    pub fn add(&mut self, labels: Labels<'_>, blob: i64, vector: &[f32]) -> bool {
        if !is_usable(vector, self.dimension) {
            return false;
        }
        self.forget_mask();
        let entry = match self.places.get(&labels.memory) {
            Some(entry) => *entry,
            None => self.add_entry(labels),
        };
        let row = self.free_row();
        self.rows.set(row as usize, vector);
        let Some(Some(memory)) = self.entries.get_mut(entry as usize) else {
            return false;
        };
        let next = std::mem::replace(&mut memory.first, row);
        if let Some(slot) = self.slots.get_mut(row as usize) {
            *slot = Slot { blob, entry, next };
        }
        true
    }

    /// Takes a memory out with all its chunks. Their rows are used again by the next ones.
    pub fn remove(&mut self, memory: i64) {
        let Some(place) = self.places.remove(&memory) else {
            return;
        };
        self.forget_mask();
        let entry = self.entries.get_mut(place as usize).and_then(Option::take);
        self.free_entries.push(place);
        let mut row = entry.map_or(NONE, |entry| entry.first);
        while let Some(slot) = self.slots.get_mut(row as usize) {
            slot.entry = NONE;
            self.free_rows.push(row);
            row = std::mem::replace(&mut slot.next, NONE);
        }
    }

    /// Memories in the index.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no memory is in the index.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        let mask = self.slots.len() / 8;
        self.rows.bytes()
            + self.slots.capacity() * size_of::<Slot>()
            + self.entries.capacity() * size_of::<Option<Entry>>()
            + (self.free_rows.capacity() + self.free_entries.capacity()) * size_of::<u32>()
            // A place of the hash table has its pair and one byte of control.
            + self.places.capacity() * 8 / 7 * (size_of::<(i64, u32)>() + 1)
            + self.names.bytes()
            + mask
    }

    /// The rows that the answer for `limit` memories can be made of, in no particular order: compare them again with
    /// numbers of 32 bits. Several may belong to one memory, which is as near as its nearest chunk.
    pub fn candidates(&self, filter: &MemoryFilter, query: &Query, limit: usize) -> Vec<Candidate> {
        if query.numbers().len() != self.dimension || limit == 0 {
            return Vec::new();
        }
        let mask = self.mask(filter);
        let mut rows_max = limit.saturating_mul(AGAIN_MAX);
        loop {
            let found = self.scan(&mask, query, rows_max);
            let scanned_all = found.len() < rows_max;
            let (best, memories) = self.best(found, limit);
            // One long memory may have taken many places with its chunks: then look again for more rows.
            if scanned_all || memories >= limit || rows_max >= self.rows.len() {
                return best;
            }
            rows_max = rows_max.saturating_mul(AGAIN_MAX);
        }
    }

    /// The nearest rows in eight bits, at most `rows_max`.
    fn scan(&self, mask: &[u64], query: &Query, rows_max: usize) -> Vec<(f32, u32)> {
        let lines = self.rows.lines_per_row();
        let mut dots = [0_i32; BLOCK];
        let mut nearest = Nearest::new(rows_max);
        for (block, passing) in mask.iter().enumerate() {
            if *passing == 0 {
                continue;
            }
            // From the first row that passes to the last: with few of them most of the block stays untouched.
            let (from, to) = (
                passing.trailing_zeros() as usize,
                BLOCK - passing.leading_zeros() as usize,
            );
            let rows = self.rows.block(block);
            let (Some(rows), Some(dots)) = (rows.get(from * lines..to * lines), dots.get_mut(from..to))
            else {
                continue;
            };
            self.kernel.dots(rows, &query.lines, dots);
            let first = block * BLOCK + from;
            let scales = self.rows.scales().iter().skip(first);
            for ((offset, dot), scale) in dots.iter().enumerate().zip(scales) {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "the seven digits of an f32 are enough here"
                )]
                let similarity = *dot as f32 * scale * query.scale;
                if similarity > nearest.floor && passing >> (from + offset) & 1 == 1 {
                    #[expect(clippy::cast_possible_truncation, reason = "rows are counted in 32 bits")]
                    nearest.push(similarity, (first + offset) as u32);
                }
            }
        }
        nearest.into_rows()
    }

    /// Of the nearest rows, those whose exact cosine may be among the best `limit` memories, and how many memories
    /// they belong to.
    fn best(&self, mut found: Vec<(f32, u32)>, limit: usize) -> (Vec<Candidate>, usize) {
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // The nearest chunk of each memory, in eight bits.
        let mut nearest: HashMap<u32, f32> = HashMap::new();
        let mut candidates = Vec::with_capacity(found.len());
        let mut last = f32::NEG_INFINITY;
        for (similarity, row) in found {
            let Some((slot, scale)) = self
                .slots
                .get(row as usize)
                .zip(self.rows.scales().get(row as usize))
            else {
                continue;
            };
            let error = AGAIN_UNITS * scale;
            let of_memory = nearest.get(&slot.entry).copied();
            // Too far below the last memory, or below another chunk of the same one. The rows that follow may have
            // a larger scale and still count.
            if similarity < last - error || of_memory.is_some_and(|nearest| similarity < nearest - error) {
                continue;
            }
            let Some(Some(entry)) = self.entries.get(slot.entry as usize) else {
                continue;
            };
            if of_memory.is_none() {
                nearest.insert(slot.entry, similarity);
                if nearest.len() == limit {
                    last = similarity;
                }
            }
            candidates.push(Candidate {
                blob: slot.blob,
                memory: entry.memory,
                similarity,
                id: entry.id.clone(),
            });
        }
        (candidates, nearest.len())
    }

    /// Which rows a filter lets through, one bit each.
    fn mask(&self, filter: &MemoryFilter) -> Arc<Vec<u64>> {
        let mut kept = self.mask.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, mask)) = kept.as_ref()
            && of == filter
        {
            return Arc::clone(mask);
        }
        let condition = self.names.condition(filter);
        let passing: Vec<bool> = self
            .entries
            .iter()
            .map(|entry| entry.as_ref().is_some_and(|entry| condition.passes(entry)))
            .collect();
        let passes = |slot: &Slot| passing.get(slot.entry as usize).copied().unwrap_or(false);
        let word = |slots: &[Slot]| {
            let bits = slots.iter().enumerate();
            bits.fold(0_u64, |word, (bit, slot)| word | u64::from(passes(slot)) << bit)
        };
        let mask = Arc::new(self.slots.chunks(BLOCK).map(word).collect::<Vec<u64>>());
        *kept = Some((filter.clone(), Arc::clone(&mask)));
        mask
    }

    fn forget_mask(&mut self) {
        *self.mask.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn add_entry(&mut self, labels: Labels<'_>) -> u32 {
        let entry = self.names.entry(labels);
        let place = match self.free_entries.pop() {
            Some(place) => place,
            None => {
                self.entries.push(None);
                u32::try_from(self.entries.len() - 1).unwrap_or(NONE)
            }
        };
        if let Some(free) = self.entries.get_mut(place as usize) {
            *free = Some(entry);
        }
        self.places.insert(labels.memory, place);
        place
    }

    fn free_row(&mut self) -> u32 {
        if let Some(row) = self.free_rows.pop() {
            return row;
        }
        let (blob, entry, next) = (0, NONE, NONE);
        self.slots.push(Slot { blob, entry, next });
        u32::try_from(self.rows.grow()).unwrap_or(NONE)
    }
}

/// The best rows so far, a bounded number of them. Twice as many are let in, then the worse half is thrown out at
/// once: cheaper than keeping a heap in order for every row.
struct Nearest {
    rows: Vec<(f32, u32)>,
    rows_max: usize,
    /// What a row must exceed to get in.
    floor: f32,
}

impl Nearest {
    fn new(rows_max: usize) -> Self {
        Self {
            rows: Vec::new(),
            rows_max,
            floor: f32::NEG_INFINITY,
        }
    }

    fn push(&mut self, similarity: f32, row: u32) {
        self.rows.push((similarity, row));
        if self.rows.len() >= self.rows_max.saturating_mul(2) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.rows.len() > self.rows_max {
            self.rows
                .select_nth_unstable_by(self.rows_max - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.rows.truncate(self.rows_max);
            self.floor = self.rows.last().map_or(self.floor, |row| row.0);
        }
    }

    fn into_rows(mut self) -> Vec<(f32, u32)> {
        self.shrink();
        self.rows
    }
}
