//! Which kernels this processor can run, and the way to them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "a kernel may only be called on a processor that has its instructions"
    )
)]

use super::job::{Norm, Product};
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// A set of instructions that this processor has. A value exists only where that was found out, which is what
/// makes the kernels safe to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Calls the kernel of a level.
macro_rules! kernel {
    ($level:expr, $name:ident($($argument:expr),*)) => {
        match $level.0 {
            Kind::Portable => portable::$name($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => {
                // SAFETY: this level was made by `available`, which found AVX2 and FMA on this processor.
                unsafe { avx2::$name($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => {
                // SAFETY: this level was made by `available`, which found AVX-512 F, BW and VL on this processor.
                unsafe { avx512::$name($($argument),*) }
            }
        }
    };
}

impl Level {
    /// What this processor can run, the quickest first.
    pub(crate) fn available() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                levels.push(Self(Kind::Avx512));
            }
            if avx2 {
                levels.push(Self(Kind::Avx2));
            }
        }
        levels.push(Self(Kind::Portable));
        levels
    }

    /// The quickest that this processor can run.
    pub(crate) fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self(Kind::Portable))
    }

    /// Whether it is written for this processor, not only compiled for it.
    pub(crate) fn is_fast(self) -> bool {
        self != Self(Kind::Portable)
    }

    /// Its name in logs and measurements.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    /// Columns of the narrow panel: what attention works with.
    pub(crate) fn narrow_columns(self) -> usize {
        match self.0 {
            Kind::Portable => portable::NARROW,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => avx2::NARROW,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => avx512::NARROW,
        }
    }

    /// Columns of the panels of a weight matrix with `columns` columns; `None` where they do not go in.
    pub(crate) fn panel_columns(self, columns: usize) -> Option<usize> {
        let wide = match self.0 {
            Kind::Portable => portable::WIDE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => avx2::WIDE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => avx512::WIDE,
        };
        [wide, self.narrow_columns()]
            .into_iter()
            .find(|panel| columns > 0 && columns.is_multiple_of(*panel))
    }

    /// Multiplies one panel.
    pub(crate) fn product(self, job: &Product<'_>, out: &mut [f32]) {
        kernel!(self, product(job, out));
    }

    /// Turns each row of `width` numbers, `stride` apart, into e^(x - its largest); `inverse_sums` gets 1 / (the sum of
    /// each). What follows in a row up to `stride` becomes 0.
    pub(crate) fn exponentials(
        self,
        rows: &mut [f32],
        stride: usize,
        width: usize,
        inverse_sums: &mut [f32],
    ) {
        kernel!(self, exponentials(rows, stride, width, inverse_sums));
    }

    /// Normalises each row of `norm.weight.len()` numbers.
    pub(crate) fn normalise(self, rows: &mut [f32], norm: &Norm<'_>) {
        kernel!(self, normalise(rows, norm));
    }
}
