//! The table of word pieces, left in its file: half of a small model, of which a text needs a few rows.
#![expect(unsafe_code, reason = "the operating system maps a file into memory")]

use super::weights::WordRows;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;

/// Bytes of a number.
const NUMBER_BYTES: usize = 4;

/// Maps a file of a model.
///
/// # Errors
/// When the operating system cannot.
pub(crate) fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: what is read through the map is plain bytes, valid whatever they are. The file is a verified one in the
    // app's models folder, where a new version is written beside it and renamed, so the mapped one keeps its content;
    // a program that cuts it off in place ends ours, as it would for a library of the app.
    unsafe { Mmap::map(file) }
}

/// A table of f32 (little endian) rows in a mapped file.
pub(crate) struct MappedWords {
    map: Mmap,
    width: usize,
}

impl MappedWords {
    /// Maps `rows` rows of `width` numbers that begin at byte `offset` of the file.
    ///
    /// # Errors
    /// When the file is shorter, or the operating system cannot map it.
    pub(crate) fn new(file: &File, offset: u64, rows: usize, width: usize) -> std::io::Result<Self> {
        let bytes = rows * width * NUMBER_BYTES;
        let end = u64::try_from(bytes)
            .ok()
            .and_then(|bytes| offset.checked_add(bytes));
        if end.is_none_or(|end| end > file.metadata().map_or(0, |found| found.len())) {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof));
        }
        // SAFETY: as in `map`; the range lies inside the file.
        let map = unsafe { MmapOptions::new().offset(offset).len(bytes).map(file)? };
        Ok(Self { map, width })
    }
}

impl WordRows for MappedWords {
    fn rows(&self) -> usize {
        self.map.len() / (self.width * NUMBER_BYTES)
    }

    fn read(&self, id: usize, row: &mut [f32]) {
        let bytes = self.width * NUMBER_BYTES;
        let (numbers, _) = self.map[id * bytes..][..bytes].as_chunks::<NUMBER_BYTES>();
        for (place, number) in row.iter_mut().zip(numbers) {
            *place = f32::from_le_bytes(*number);
        }
    }
}
