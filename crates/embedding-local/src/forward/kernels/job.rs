//! What a kernel is asked to do.

/// The left matrix of a product: row after row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left<'a> {
    /// Row `r` begins at `r * stride`.
    pub(crate) numbers: &'a [f32],
    /// Numbers from one row to the next.
    pub(crate) stride: usize,
    /// Rows that are multiplied.
    pub(crate) rows: usize,
}

/// A panel of the right matrix: as many columns as a tile is wide, row after row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Right<'a> {
    /// Row `k` begins at `k * stride`.
    pub(crate) numbers: &'a [f32],
    /// Numbers from one row to the next.
    pub(crate) stride: usize,
    /// Columns: a multiple of the level's panel parts, see [`super::Level::panel_columns`].
    pub(crate) columns: usize,
}

/// `out = finish(left x right)` for one panel of columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product<'a> {
    pub(crate) left: Left<'a>,
    pub(crate) right: Right<'a>,
    /// Numbers that are multiplied and summed for each result.
    pub(crate) depth: usize,
    pub(crate) target: Target<'a>,
}

/// How a result is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// Numbers from one row of the result to the next.
    pub(crate) stride: usize,
    /// Whether what already stands in the result is added: a later part of a long sum.
    pub(crate) add: bool,
    pub(crate) finish: Finish<'a>,
}

/// As [`Product`], in whole numbers of 8 bits: `out = finish((codes - zero) x weights * scales)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteProduct<'a> {
    /// The left matrix.
    pub(crate) codes: &'a Codes,
    /// A panel of the right matrix: [`super::ByteLevel::group`] weights of a column stay together.
    pub(crate) panel: &'a [i8],
    /// The sum of each column's weights.
    pub(crate) column_sums: &'a [i32],
    /// What 1 means in each column.
    pub(crate) column_scales: &'a [f32],
    pub(crate) target: Target<'a>,
}

/// Rows of numbers as 8 bits each, every row with its own scale and zero. Kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    /// For kernels that multiply bytes.
    pub(super) bytes: Vec<u8>,
    /// For kernels that multiply 16 bits; never more than 8 of them are used, so that the results are the same.
    pub(super) words: Vec<i16>,
    /// What 1 means in each row.
    pub(super) scales: Vec<f32>,
    /// The code of 0 in each row.
    pub(super) zeros: Vec<i32>,
    /// Numbers in a row.
    pub(super) depth: usize,
}

/// What happens to a sum before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finish<'a> {
    /// Nothing.
    Keep,
    /// Each row is multiplied by its factor.
    Scale(&'a [f32]),
    /// Each column's bias is added.
    Bias(&'a [f32]),
    /// Bias, then x * Phi(x) with the exact error function.
    BiasGelu(&'a [f32]),
    /// Bias and the number that stood at the same place of the layer's input, which has the stride of the result.
    BiasResidual(&'a [f32], &'a [f32]),
}

/// The learned part of a layer normalisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm<'a> {
    pub(crate) weight: &'a [f32],
    pub(crate) bias: &'a [f32],
    /// Added to the variance.
    pub(crate) epsilon: f32,
}
