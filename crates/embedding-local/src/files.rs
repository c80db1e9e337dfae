//! The model's files: all there, of the right length, and byte for byte the ones we know.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Remembers in the model's folder that its files were checked, so that a start does not read them twice.
/// It guards against damage, not against somebody who can write to the folder.
const STAMP_FILE: &str = ".verified";

/// Bytes that are read at once while a file is hashed.
const READ_BYTES: usize = 1 << 20;

/// What is wrong with a model's files. One variant for each thing a person can do about it.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A file is not there.
    #[error("`{file}` is missing in `{}`", dir.display())]
    Missing {
        /// The model's folder.
        dir: PathBuf,
        /// The file.
        file: &'static str,
    },
    /// A file is shorter or longer than it should be, most often after a broken download.
    #[error("`{file}` in `{}` has {found} bytes instead of {expected}: it was cut short or is another file", dir.display())]
    WrongLength {
        /// The model's folder.
        dir: PathBuf,
        /// The file.
        file: &'static str,
        /// Its length, in bytes.
        found: u64,
        /// What it should be, in bytes.
        expected: u64,
    },
    /// A file has the right length and another content.
    #[error("`{file}` in `{}` is damaged or another version (SHA-256 {found}, expected {expected})", dir.display())]
    WrongHash {
        /// The model's folder.
        dir: PathBuf,
        /// The file.
        file: &'static str,
        /// Its SHA-256 in hexadecimal.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A file is there and cannot be read.
    #[error("`{file}` in `{}` cannot be read", dir.display())]
    Unreadable {
        /// The model's folder.
        dir: PathBuf,
        /// The file.
        file: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

/// One file of a model as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelFile {
    pub(crate) sha256: &'static str,
    pub(crate) bytes: u64,
    pub(crate) name: &'static str,
}

/// Reads a `.files` list. Lines that are not a file (comments) are passed over; a test reads every list.
pub(crate) fn parse_list(list: &'static str) -> Vec<ModelFile> {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (sha256, bytes, name) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
            Some(ModelFile { sha256, bytes, name })
        })
        .collect()
}

/// Whether every file is there with its length. Costs one look-up a file and reads nothing.
pub(crate) fn look_whole(dir: &Path, files: &[ModelFile]) -> bool {
    files
        .iter()
        .all(|file| std::fs::metadata(dir.join(file.name)).is_ok_and(|found| found.len() == file.bytes))
}

/// Lengths and times of the files as a text that changes whenever one of them does.
pub(crate) fn fingerprint(dir: &Path, files: &[ModelFile]) -> String {
    let mut text = String::new();
    for file in files {
        let path = dir.join(file.name);
        let (bytes, modified) = match std::fs::metadata(&path) {
            Ok(found) => (found.len(), modified_nanos(&found)),
            Err(_) => (0, 0),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} {bytes} {modified} {}", file.sha256, file.name);
    }
    text
}

/// Checks every file. The result is kept beside the files while their lengths and times stay the same; in
/// a folder that cannot be written, they are hashed at every start.
pub(crate) fn verify(dir: &Path, files: &[ModelFile]) -> Result<(), FilesError> {
    for file in files {
        check_length(dir, file)?;
    }
    let current = fingerprint(dir, files);
    let stamp = dir.join(STAMP_FILE);
    if std::fs::read_to_string(&stamp).is_ok_and(|known| known == current) {
        return Ok(());
    }
    for file in files {
        check_hash(dir, file)?;
    }
    if let Err(error) = std::fs::write(&stamp, current) {
        tracing::debug!(%error, "the model's folder cannot be written; its files are checked at every start");
    }
    Ok(())
}

/// Reads a file of the model.
pub(crate) fn read(dir: &Path, file: &'static str) -> Result<Vec<u8>, FilesError> {
    std::fs::read(dir.join(file)).map_err(|source| unreadable(dir, file, source))
}

/// Opens a file of the model.
pub(crate) fn open(dir: &Path, file: &'static str) -> Result<std::fs::File, FilesError> {
    std::fs::File::open(dir.join(file)).map_err(|source| unreadable(dir, file, source))
}

fn check_length(dir: &Path, file: &ModelFile) -> Result<(), FilesError> {
    let found =
        std::fs::metadata(dir.join(file.name)).map_err(|source| unreadable(dir, file.name, source))?;
    if !found.is_file() {
        return Err(FilesError::Missing {
            dir: dir.to_owned(),
            file: file.name,
        });
    }
    if found.len() != file.bytes {
        return Err(FilesError::WrongLength {
            dir: dir.to_owned(),
            file: file.name,
            found: found.len(),
            expected: file.bytes,
        });
    }
    Ok(())
}

fn check_hash(dir: &Path, file: &ModelFile) -> Result<(), FilesError> {
    let found = sha256_of(&dir.join(file.name)).map_err(|source| unreadable(dir, file.name, source))?;
    if found != file.sha256 {
        return Err(FilesError::WrongHash {
            dir: dir.to_owned(),
            file: file.name,
            found,
            expected: file.sha256,
        });
    }
    Ok(())
}

fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut reader = std::fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(format!("{:x}", hasher.finalize()));
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
}

fn unreadable(dir: &Path, file: &'static str, source: std::io::Error) -> FilesError {
    let dir = dir.to_owned();
    if source.kind() == std::io::ErrorKind::NotFound {
        FilesError::Missing { dir, file }
    } else {
        FilesError::Unreadable { dir, file, source }
    }
}

fn modified_nanos(metadata: &std::fs::Metadata) -> u128 {
    metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos())
}
