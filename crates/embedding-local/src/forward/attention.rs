//! Attention of one text: every word piece looks at every word piece of the same text and at nothing else, so there is
//! nothing to mask.

use super::kernels::{Finish, Left, Level, Product, Right, Target};
use super::weights::Shape;

/// Word pieces whose scores are worked on together: their rows stay in the cache until they are used up.
const QUERY_ROWS: usize = 48;

/// Room for the work on one head; kept between calls.
#[derive(Default)]
pub(crate) struct AttentionRoom {
    /// The keys of a head as panels.
    keys: Vec<f32>,
    /// Rows of scores, as long as the text and filled up to whole panels.
    scores: Vec<f32>,
    inverse_sums: Vec<f32>,
}

/// `qkv` has a row for each word piece of the text: queries (already divided by the root of the head's width), keys and
/// values, each `hidden` numbers. `out` gets `hidden` numbers for each.
pub(crate) fn attend(level: Level, shape: &Shape, qkv: &[f32], out: &mut [f32], room: &mut AttentionRoom) {
    let stride = 3 * shape.hidden;
    let tokens = qkv.len() / stride;
    let width = shape.hidden / shape.heads;
    let panel = level.narrow_columns();
    let padded = tokens.next_multiple_of(panel);
    room.keys.clear();
    room.keys.resize(padded * width, 0.0);
    room.scores.resize(QUERY_ROWS * padded, 0.0);
    room.inverse_sums.resize(QUERY_ROWS, 0.0);
    for head in 0..shape.heads {
        let column = head * width;
        pack_keys(
            &qkv[shape.hidden + column..],
            stride,
            width,
            &mut room.keys,
            panel,
        );
        for begin in (0..tokens).step_by(QUERY_ROWS) {
            let rows = QUERY_ROWS.min(tokens - begin);
            let scores = &mut room.scores[..rows * padded];
            for (place, keys) in room.keys.chunks_exact(panel * width).enumerate() {
                let job = Product {
                    left: Left {
                        numbers: &qkv[begin * stride + column..],
                        stride,
                        rows,
                    },
                    right: Right {
                        numbers: keys,
                        stride: panel,
                        columns: panel,
                    },
                    depth: width,
                    target: Target {
                        stride: padded,
                        add: false,
                        finish: Finish::Keep,
                    },
                };
                level.product(&job, &mut scores[place * panel..]);
            }
            let inverse_sums = &mut room.inverse_sums[..rows];
            level.exponentials(scores, padded, tokens, inverse_sums);
            for part in (0..width).step_by(panel) {
                let job = Product {
                    left: Left {
                        numbers: scores,
                        stride: padded,
                        rows,
                    },
                    right: Right {
                        numbers: &qkv[2 * shape.hidden + column + part..],
                        stride,
                        columns: panel,
                    },
                    depth: tokens,
                    target: Target {
                        stride: shape.hidden,
                        add: false,
                        finish: Finish::Scale(inverse_sums),
                    },
                };
                level.product(&job, &mut out[begin * shape.hidden + column + part..]);
            }
        }
    }
}

/// Writes the keys of a head as panels: a row for each of its numbers, a column for each word piece. The columns
/// after the last word piece stay as they are, 0.
fn pack_keys(keys: &[f32], stride: usize, width: usize, panels: &mut [f32], panel: usize) {
    for (token, key) in keys.chunks(stride).enumerate() {
        let begin = token / panel * panel * width + token % panel;
        let places = panels[begin..].iter_mut().step_by(panel);
        for (place, number) in places.zip(&key[..width]) {
            *place = *number;
        }
    }
}
