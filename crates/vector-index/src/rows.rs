//! Rows of eight-bit numbers, in blocks that never move: a row more copies nothing that is there.

/// Bytes of a line: a line of the processor's cache, and the unit in which the kernels read.
pub(crate) const LINE: usize = 64;

/// Rows of a block, one bit each in a word of a filter: small enough that one memory costs nothing noticeable.
pub(crate) const BLOCK: usize = 64;

/// The largest number of a row.
const ROW_MAX: f32 = 127.0;

/// Part of a row, aligned so that no read crosses a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [i8; LINE]);

/// All rows of an index. Each has a scale of its own: what its whole number one stands for.
#[derive(Debug)]
pub(crate) struct Rows {
    lines_per_row: usize,
    blocks: Vec<Box<[Line]>>,
    scales: Vec<f32>,
}

impl Rows {
    /// No rows yet, of vectors with so many numbers.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            lines_per_row: dimension.div_ceil(LINE).max(1),
            blocks: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Rows that there are, used or free.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Makes room for one row more and returns its place.
    pub(crate) fn grow(&mut self) -> usize {
        let row = self.scales.len();
        if row.is_multiple_of(BLOCK) {
            let lines = vec![Line([0; LINE]); BLOCK * self.lines_per_row];
            self.blocks.push(lines.into_boxed_slice());
        }
        self.scales.push(0.0);
        row
    }

    /// Rounds a vector into a row.
    pub(crate) fn set(&mut self, row: usize, vector: &[f32]) {
        let largest = vector
            .iter()
            .fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = if largest > 0.0 { largest / ROW_MAX } else { 1.0 };
        let first = row % BLOCK * self.lines_per_row;
        let Some(block) = self.blocks.get_mut(row / BLOCK) else {
            return;
        };
        for (line, part) in block.iter_mut().skip(first).zip(vector.chunks(LINE)) {
            for (place, number) in line.0.iter_mut().zip(part) {
                #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
                let whole = (number / scale).round() as i8;
                *place = whole;
            }
        }
        if let Some(place) = self.scales.get_mut(row) {
            *place = scale;
        }
    }

    /// The lines of a block.
    pub(crate) fn block(&self, block: usize) -> &[Line] {
        self.blocks.get(block).map_or(&[], |lines| &**lines)
    }

    /// Lines of a row.
    pub(crate) fn lines_per_row(&self) -> usize {
        self.lines_per_row
    }

    /// The scales of all rows.
    pub(crate) fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * (BLOCK * self.lines_per_row * LINE + size_of::<Box<[Line]>>())
            + self.scales.capacity() * size_of::<f32>()
    }
}
