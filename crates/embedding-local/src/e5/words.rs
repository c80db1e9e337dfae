//! The word table, which stays in the file: 54 MB of which a text needs a few kilobytes. The system keeps the
//! parts that are used in its own cache. Read at a place, not mapped: a file that another program cuts
//! short is then an error and not the end of the process, and a row costs a microsecond.

use super::file::{E5File, FormatError, Place, Storage};
use super::q4;
use std::fs::File;

/// The rows of the word table.
pub(super) struct WordRows {
    file: File,
    offset: u64,
    rows: usize,
    row_bytes: usize,
}

impl WordRows {
    /// Where the word table lies; [`Self::new`] takes the file over once nothing else is read from it.
    pub(super) fn place(file: &E5File) -> Result<Place, FormatError> {
        let place = file.place("emb.word", file.shape.word_rows * file.shape.hidden)?;
        match place.storage {
            Storage::Q4 => Ok(place),
            Storage::F32 => Err(FormatError::Inconsistent(
                "the word table is not in 4 bit".to_owned(),
            )),
        }
    }

    /// The rows at a place of a file.
    pub(super) fn new(file: File, place: Place, rows: usize) -> Self {
        Self {
            file,
            offset: place.offset,
            rows,
            row_bytes: place.bytes / rows.max(1),
        }
    }

    /// The row of a word piece, appended to `out`.
    pub(super) fn append(&self, id: u32, out: &mut Vec<f32>) -> std::io::Result<()> {
        let row = id as usize;
        if row >= self.rows {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                format!("there is no word piece {id}"),
            ));
        }
        let mut bytes = vec![0; self.row_bytes];
        read_at(
            &self.file,
            &mut bytes,
            self.offset + (row * self.row_bytes) as u64,
        )?;
        q4::append(&bytes, out);
        Ok(())
    }
}

impl crate::forward::weights::WordRows for WordRows {
    fn rows(&self) -> usize {
        self.rows
    }

    fn read(&self, id: usize, row: &mut [f32]) {
        let mut numbers = Vec::with_capacity(row.len());
        let read = u32::try_from(id).is_ok_and(|id| self.append(id, &mut numbers).is_ok());
        if read && numbers.len() == row.len() {
            row.copy_from_slice(&numbers);
        } else {
            // The vector that comes of it is refused, and the text stays without one.
            row.fill(f32::NAN);
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match std::os::windows::fs::FileExt::seek_read(file, rest, offset + done as u64)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}
