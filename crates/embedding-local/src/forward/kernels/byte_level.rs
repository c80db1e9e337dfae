//! Which kernels for whole numbers of 8 bits this processor can run, and the way to them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "a kernel may only be called on a processor that has its instructions"
    )
)]

use super::job::{ByteProduct, Codes};
use super::level::Level;
#[cfg(target_arch = "x86_64")]
use super::{avx2_bytes, avx512_bytes};

/// As [`Level`], for bytes. A value exists only where its instructions were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteLevel(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

impl ByteLevel {
    /// The byte kernels that go with a level; `None` where it has none. Panels are as wide as the level's own.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn beside(level: Level) -> Option<Self> {
        match level.name() {
            // Without VNNI, a processor with AVX-512 is run as one with AVX2: see `Level::available`.
            "avx512" if is_x86_feature_detected!("avx512vnni") => Some(Self(Kind::Vnni)),
            "avx2" => Some(Self(Kind::Avx2)),
            _ => None,
        }
    }

    /// The byte kernels that go with a level; none on this kind of processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn beside(_level: Level) -> Option<Self> {
        None
    }

    /// Weights of a column that stay together in a panel.
    pub(crate) fn group(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => avx2_bytes::GROUP,
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni => avx512_bytes::GROUP,
        }
    }

    /// Multiplies one panel.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_variables, reason = "there is no value to call it on")
    )]
    pub(crate) fn product(self, job: &ByteProduct<'_>, out: &mut [f32]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => {
                // SAFETY: `beside` made this value for a level that was made where AVX2 and FMA were found.
                unsafe { avx2_bytes::product(job, out) }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni => {
                // SAFETY: as above for AVX-512 F, BW and VL, and `beside` found VNNI.
                unsafe { avx512_bytes::product(job, out) }
            }
        }
    }

    /// Turns rows of `depth` numbers into codes from 0 to 255, each row from its smallest to its largest number.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_variables, reason = "there is no value to call it on")
    )]
    pub(crate) fn quantise(self, rows: &[f32], depth: usize, codes: &mut Codes) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => {
                // SAFETY: `beside` made this value for a level that was made where AVX2 and FMA were found.
                unsafe { avx2_bytes::quantise(rows, depth, codes) }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni => {
                // SAFETY: as above for AVX-512 F, BW and VL, and `beside` found VNNI.
                unsafe { avx512_bytes::quantise(rows, depth, codes) }
            }
        }
    }
}
