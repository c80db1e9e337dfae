//! Weights of 4 bit: blocks of 32 with one scale.

use half::f16;

/// Weights in a block.
pub(super) const BLOCK_WEIGHTS: usize = 32;

/// Bytes of a block: the scale as f16, then two weights a byte.
pub(super) const BLOCK_BYTES: usize = 18;

/// What is added to a weight so that it is stored without a sign.
const ZERO: i8 = 8;

/// The weights of whole blocks, appended to `out`. Bytes after the last whole block are left alone.
pub(super) fn append(blocks: &[u8], out: &mut Vec<f32>) {
    for block in blocks.chunks_exact(BLOCK_BYTES) {
        let [low, high, pairs @ ..] = block else { continue };
        let scale = f16::from_le_bytes([*low, *high]).to_f32();
        let weight = |nibble: u8| f32::from(nibble as i8 - ZERO) * scale;
        // The first half of a block lies in the low nibbles, the second in the high ones.
        out.extend(pairs.iter().map(|pair| weight(pair & 0x0F)));
        out.extend(pairs.iter().map(|pair| weight(pair >> 4)));
    }
}
