//! Weights as whole numbers of 8 bits, in the order in which the kernels read them.

use super::kernels::{ByteLevel, ByteProduct, Codes, Level, Target};
use super::packed::{After, Aligned};
use super::weights::{self, DenseWeights, ShapeError};

/// The largest code of a weight; the smallest is its negative.
const CODE_MAX: f32 = 127.0;

/// A dense layer whose weights have 8 bits, each column (output) with its own scale.
pub(crate) struct PackedBytes {
    level: ByteLevel,
    panels: Aligned<i8>,
    bias: Vec<f32>,
    scales: Vec<f32>,
    sums: Vec<i32>,
    depth: usize,
    panel_columns: usize,
}

impl PackedBytes {
    /// As `PackedDense::new`.
    pub(crate) fn new(
        level: (Level, ByteLevel),
        depth: usize,
        parts: &[(DenseWeights<'_>, f32)],
    ) -> Result<Self, ShapeError> {
        let (level, bytes) = level;
        let columns: usize = parts.iter().map(|(part, _)| part.bias.len()).sum();
        let panel_columns = level
            .panel_columns(columns)
            .ok_or(ShapeError::Unsupported(columns))?;
        // Rows are quantised a register at a time, the widest has 16 numbers.
        if !depth.is_multiple_of(16) {
            return Err(ShapeError::Unsupported(depth));
        }
        let mut packed = Self {
            level: bytes,
            panels: Aligned::new(columns * depth),
            bias: Vec::with_capacity(columns),
            scales: Vec::with_capacity(columns),
            sums: Vec::with_capacity(columns),
            depth,
            panel_columns,
        };
        for (part, factor) in parts {
            weights::check_size("weight", part.weight, part.bias.len() * depth)?;
            packed.bias.extend(part.bias.iter().map(|number| number * factor));
            for row in part.weight.chunks_exact(depth) {
                packed.push_column(row, *factor);
            }
        }
        Ok(packed)
    }

    fn push_column(&mut self, weights: &[f32], factor: f32) {
        let column = self.scales.len();
        let group = self.level.group();
        let largest = weights
            .iter()
            .fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
        let scale = (largest / CODE_MAX).max(f32::MIN_POSITIVE);
        let panel = column / self.panel_columns * self.panel_columns * self.depth;
        let within = column % self.panel_columns * group;
        let mut sum = 0;
        for (place, weights) in weights.chunks_exact(group).enumerate() {
            let begin = panel + place * self.panel_columns * group + within;
            let codes = &mut self.panels.numbers_mut()[begin..begin + group];
            for (code, weight) in codes.iter_mut().zip(weights) {
                #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
                {
                    *code = (weight / scale).round() as i8;
                }
                sum += i32::from(*code);
            }
        }
        self.scales.push(scale * factor);
        self.sums.push(sum);
    }

    /// As `PackedDense::apply`; the rows are quantised first.
    pub(crate) fn apply(&self, rows: &[f32], out: &mut [f32], after: After<'_>, codes: &mut Codes) {
        self.level.quantise(rows, self.depth, codes);
        let panels = self
            .panels
            .numbers()
            .chunks_exact(self.depth * self.panel_columns);
        for (place, panel) in panels.enumerate() {
            let column = place * self.panel_columns;
            let columns = column..column + self.panel_columns;
            let job = ByteProduct {
                codes,
                panel,
                column_sums: &self.sums[columns.clone()],
                column_scales: &self.scales[columns.clone()],
                target: Target {
                    stride: self.bias.len(),
                    add: false,
                    finish: after.finish(&self.bias[columns], column),
                },
            };
            self.level.product(&job, &mut out[column..]);
        }
    }
}
