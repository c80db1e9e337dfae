//! Weights in the order in which the kernels read them.

use super::kernels::{ByteLevel, Codes, Finish, Left, Level, Product, Right, Target};
use super::packed_bytes::PackedBytes;
use super::weights::{self, DenseWeights, ShapeError};

/// A cache line: a register that lies across two of them is read twice.
const ALIGNMENT: usize = 64;

/// Rows of the right matrix in a block: with 16 columns of f32 a panel of it fills three quarters of a 32 KiB L1 cache,
/// and stays there while every row of the left matrix goes by.
const BLOCK_DEPTH: usize = 384;

/// Numbers that begin at a cache line.
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    begin: usize,
    length: usize,
}

impl<T: Copy + Default> Aligned<T> {
    pub(crate) fn new(length: usize) -> Self {
        let buffer = vec![T::default(); length + ALIGNMENT / size_of::<T>()];
        // The buffer never grows, so it never moves.
        let begin = buffer.as_ptr().align_offset(ALIGNMENT);
        Self {
            begin: begin.min(buffer.len() - length),
            buffer,
            length,
        }
    }

    pub(crate) fn numbers(&self) -> &[T] {
        &self.buffer[self.begin..self.begin + self.length]
    }

    pub(crate) fn numbers_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.begin..self.begin + self.length]
    }
}

/// A dense layer, or several that read the same input, as panels: block of depth by block of depth, panel by panel,
/// row by row, so that a kernel reads it from front to back.
pub(crate) struct PackedDense {
    panels: Aligned<f32>,
    bias: Vec<f32>,
    depth: usize,
    panel_columns: usize,
}

/// What is added to a dense layer's result.
#[derive(Clone, Copy)]
pub(crate) enum After<'a> {
    Bias,
    Gelu,
    Residual(&'a [f32]),
}

impl<'a> After<'a> {
    /// What it means for the panel whose first column is `column`.
    pub(crate) fn finish(self, bias: &'a [f32], column: usize) -> Finish<'a> {
        match self {
            After::Bias => Finish::Bias(bias),
            After::Gelu => Finish::BiasGelu(bias),
            After::Residual(residual) => Finish::BiasResidual(bias, &residual[column..]),
        }
    }
}

impl PackedDense {
    /// Puts dense layers of `depth` inputs side by side. Each comes with a factor for its weight and bias.
    pub(crate) fn new(
        level: Level,
        depth: usize,
        parts: &[(DenseWeights<'_>, f32)],
    ) -> Result<Self, ShapeError> {
        let columns: usize = parts.iter().map(|(part, _)| part.bias.len()).sum();
        let panel_columns = level
            .panel_columns(columns)
            .ok_or(ShapeError::Unsupported(columns))?;
        let mut panels = Aligned::new(columns * depth);
        let mut column = 0;
        let mut bias = Vec::with_capacity(columns);
        for (part, factor) in parts {
            weights::check_size("weight", part.weight, part.bias.len() * depth)?;
            bias.extend(part.bias.iter().map(|number| number * factor));
            for row in part.weight.chunks_exact(depth) {
                for (block, numbers) in row.chunks(BLOCK_DEPTH).enumerate() {
                    let begin = block * BLOCK_DEPTH * columns
                        + column / panel_columns * panel_columns * numbers.len()
                        + column % panel_columns;
                    let places = panels.numbers_mut()[begin..].iter_mut().step_by(panel_columns);
                    for (place, number) in places.zip(numbers) {
                        *place = number * factor;
                    }
                }
                column += 1;
            }
        }
        Ok(Self {
            panels,
            bias,
            depth,
            panel_columns,
        })
    }

    /// Columns of the result.
    pub(crate) fn columns(&self) -> usize {
        self.bias.len()
    }

    /// Multiplies rows of `depth` numbers; `out` gets rows of [`Self::columns`].
    pub(crate) fn apply(&self, level: Level, rows: &[f32], out: &mut [f32], after: After<'_>) {
        let columns = self.columns();
        for begin in (0..self.depth).step_by(BLOCK_DEPTH) {
            let depth = BLOCK_DEPTH.min(self.depth - begin);
            let last = begin + depth == self.depth;
            let block = &self.panels.numbers()[begin * columns..][..depth * columns];
            for (place, panel) in block.chunks_exact(depth * self.panel_columns).enumerate() {
                let column = place * self.panel_columns;
                let bias = &self.bias[column..column + self.panel_columns];
                let job = Product {
                    left: Left {
                        numbers: &rows[begin..],
                        stride: self.depth,
                        rows: rows.len() / self.depth,
                    },
                    right: Right {
                        numbers: panel,
                        stride: self.panel_columns,
                        columns: self.panel_columns,
                    },
                    depth,
                    target: Target {
                        stride: columns,
                        add: begin > 0,
                        finish: if last {
                            after.finish(bias, column)
                        } else {
                            Finish::Keep
                        },
                    },
                };
                level.product(&job, &mut out[column..]);
            }
        }
    }
}

/// A dense layer in one of the precisions.
pub(crate) enum Dense {
    F32(PackedDense),
    Int8(PackedBytes),
}

impl Dense {
    /// Packs dense layers side by side, with bytes where `bytes` says so.
    pub(crate) fn new(
        (level, bytes): (Level, Option<ByteLevel>),
        depth: usize,
        parts: &[(DenseWeights<'_>, f32)],
    ) -> Result<Self, ShapeError> {
        Ok(match bytes {
            None => Self::F32(PackedDense::new(level, depth, parts)?),
            Some(bytes) => Self::Int8(PackedBytes::new((level, bytes), depth, parts)?),
        })
    }

    /// Multiplies rows. `room` is where rows become bytes.
    pub(crate) fn apply(
        &self,
        (level, room): (Level, &mut Codes),
        rows: &[f32],
        out: &mut [f32],
        after: After<'_>,
    ) {
        match self {
            Self::F32(dense) => dense.apply(level, rows, out, after),
            Self::Int8(dense) => dense.apply(rows, out, after, room),
        }
    }
}
