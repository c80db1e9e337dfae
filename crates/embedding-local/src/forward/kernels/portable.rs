//! Four numbers at once in plain Rust, which the compiler turns into whatever the processor is sure to have (SSE2,
//! NEON).

use super::body::kernels;

type Register = [f32; LANES];

/// Numbers in a register.
const LANES: usize = 4;
/// Columns of a narrow panel.
pub(super) const NARROW: usize = 2 * LANES;
/// Columns of a wide panel; here the same.
pub(super) const WIDE: usize = 2 * LANES;
/// Rows of a tile.
const ROWS: usize = 4;

kernels!(doc = "In plain Rust.", [1, 2, 3, 4], [2]);

#[inline]
fn load(numbers: &[f32], at: usize) -> Register {
    let mut register = [0.0; LANES];
    register.copy_from_slice(&numbers[at..at + LANES]);
    register
}

#[inline]
fn store(numbers: &mut [f32], at: usize, value: Register) {
    numbers[at..at + LANES].copy_from_slice(&value);
}

#[inline]
fn splat(value: f32) -> Register {
    [value; LANES]
}

/// a * b + c. Rounded twice: a fused one is a function call where the processor is not sure to have it.
#[inline]
fn multiply_add(a: Register, b: Register, c: Register) -> Register {
    add(multiply(a, b), c)
}

#[inline]
fn each(a: Register, b: Register, of: impl Fn(f32, f32) -> f32) -> Register {
    std::array::from_fn(|lane| of(a[lane], b[lane]))
}

#[inline]
fn add(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a + b)
}

#[inline]
fn subtract(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a - b)
}

#[inline]
fn multiply(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a * b)
}

#[inline]
fn divide(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a / b)
}

/// The larger of two; `b` where `a` is not a number.
#[inline]
fn larger(a: Register, b: Register) -> Register {
    each(a, b, |a, b| if a > b { a } else { b })
}

/// The smaller of two; `b` where `a` is not a number.
#[inline]
fn smaller(a: Register, b: Register) -> Register {
    each(a, b, |a, b| if a < b { a } else { b })
}

/// To the nearest whole number, for numbers below 2^22: what is added pushes the fraction out of the float.
#[inline]
fn round(a: Register) -> Register {
    const PUSH: f32 = 12_582_912.0;
    each(a, [PUSH; LANES], |a, push| (a + push) - push)
}

/// 2^n for whole n between -126 and 127: n goes where a float keeps its exponent.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "n + 127 is between 1 and 254"
)]
fn power_of_two(n: Register) -> Register {
    n.map(|n| f32::from_bits(((n as i32 + 127) as u32) << 23))
}
