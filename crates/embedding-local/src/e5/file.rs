//! The file `e5-small-q4.bin`: a header, the vocabulary, the normalisation map, a directory of tensors and the
//! tensors. Every length is checked against the file before anything of that length is read.

use super::q4;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The first four bytes of the file.
const MAGIC: [u8; 4] = *b"E5S1";

/// The only version of the format that exists.
const VERSION: u32 = 1;

/// More of anything than a model of this family has. Keeps a damaged count from asking for the whole memory.
const COUNT_MAX: u32 = 1 << 20;

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormatError {
    /// It ends too early.
    #[error("the file ends inside {0}")]
    Truncated(&'static str),
    /// It is something else.
    #[error("the file does not begin with the letters E5S1")]
    WrongMagic,
    /// It is of another version.
    #[error("the file has the format version {0} instead of 1")]
    WrongVersion(u32),
    /// Its parts contradict each other.
    #[error("the file contradicts itself: {0}")]
    Inconsistent(String),
    /// The disk does not give it.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
}

/// The shape of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) feed_forward: usize,
    /// Rows of the word table; more than there are pieces.
    pub(crate) word_rows: usize,
    pub(crate) positions: usize,
    pub(crate) layer_norm_eps: f32,
}

/// The pieces of words that the model knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Vocabulary {
    pub(crate) bos: u32,
    pub(crate) eos: u32,
    pub(crate) unk: u32,
    /// Where each piece begins in `blob`, and the end of the last one.
    pub(crate) offsets: Vec<u32>,
    /// The logarithm of each piece's probability.
    pub(crate) scores: Vec<f32>,
    /// All pieces, one after the other; `▁` stands for a space.
    pub(crate) blob: String,
}

/// How the numbers of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    F32,
    Q4,
}

/// Where a tensor lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) storage: Storage,
    pub(crate) elements: usize,
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
}

/// Everything before the tensors, and the way to them.
pub(crate) struct E5File {
    pub(crate) shape: Shape,
    pub(crate) vocabulary: Vocabulary,
    /// What replaces a character.
    pub(crate) replacements: Vec<(char, String)>,
    tensors: HashMap<String, Place>,
    source: Source,
}

impl E5File {
    /// Reads what lies before the tensors.
    pub(crate) fn open(path: &Path) -> Result<Self, FormatError> {
        let mut source = Source::open(path)?;
        if source.array::<4>("the header")? != MAGIC {
            return Err(FormatError::WrongMagic);
        }
        match source.u32("the header")? {
            VERSION => {}
            other => return Err(FormatError::WrongVersion(other)),
        }
        let shape = shape(&mut source)?;
        let vocabulary = vocabulary(&mut source)?;
        if vocabulary.scores.len() > shape.word_rows {
            return Err(inconsistent("it has more pieces than rows for them"));
        }
        let replacements = replacements(&mut source)?;
        let tensors = directory(&mut source)?;
        Ok(Self {
            shape,
            vocabulary,
            replacements,
            tensors,
            source,
        })
    }

    /// Where a tensor lies, if it has as many numbers as it must.
    pub(crate) fn place(&self, name: &str, elements: usize) -> Result<Place, FormatError> {
        let place = self
            .tensors
            .get(name)
            .ok_or_else(|| inconsistent(format!("the tensor {name} is missing")))?;
        if place.elements != elements {
            return Err(inconsistent(format!(
                "the tensor {name} has {} numbers instead of {elements}",
                place.elements
            )));
        }
        Ok(*place)
    }

    /// The numbers of a tensor.
    pub(crate) fn tensor(&mut self, name: &str, elements: usize) -> Result<Vec<f32>, FormatError> {
        let place = self.place(name, elements)?;
        self.source.go_to(place.offset)?;
        let bytes = self.source.bytes(place.bytes, "a tensor")?;
        let mut numbers = Vec::with_capacity(elements);
        match place.storage {
            Storage::F32 => numbers.extend(
                bytes
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|number| f32::from_le_bytes(*number)),
            ),
            Storage::Q4 => q4::append(&bytes, &mut numbers),
        }
        Ok(numbers)
    }

    /// The file itself, for the tensors that stay in it.
    pub(crate) fn file(&self) -> Result<File, FormatError> {
        Ok(self.source.reader.get_ref().try_clone()?)
    }
}

fn shape(source: &mut Source) -> Result<Shape, FormatError> {
    let mut count = || {
        let count = source.u32("the header")?;
        match count {
            1..=COUNT_MAX => Ok(count as usize),
            _ => Err(inconsistent(format!("a size of {count}"))),
        }
    };
    let [
        hidden,
        layers,
        heads,
        feed_forward,
        word_rows,
        positions,
        _token_types,
    ] = [
        count()?,
        count()?,
        count()?,
        count()?,
        count()?,
        count()?,
        count()?,
    ];
    let layer_norm_eps = source.f32("the header")?;
    let block = source.u32("the header")?;
    if block as usize != q4::BLOCK_WEIGHTS || hidden % q4::BLOCK_WEIGHTS != 0 || hidden % heads != 0 {
        return Err(inconsistent(format!(
            "blocks of {block}, a width of {hidden} and {heads} heads"
        )));
    }
    Ok(Shape {
        hidden,
        layers,
        heads,
        feed_forward,
        word_rows,
        positions,
        layer_norm_eps,
    })
}

fn vocabulary(source: &mut Source) -> Result<Vocabulary, FormatError> {
    const PART: &str = "the vocabulary";
    let pieces = source.u32(PART)?;
    if !(1..=COUNT_MAX).contains(&pieces) {
        return Err(inconsistent(format!("{pieces} pieces")));
    }
    let [bos, eos, _pad, unk] = [
        source.u32(PART)?,
        source.u32(PART)?,
        source.u32(PART)?,
        source.u32(PART)?,
    ];
    if [bos, eos, unk].iter().any(|&id| id >= pieces) {
        return Err(inconsistent("a special piece is outside the vocabulary"));
    }
    let blob_bytes = source.u64(PART)?;
    let pieces = pieces as usize;
    let offsets: Vec<u32> = source.numbers(pieces + 1, PART, u32::from_le_bytes)?;
    let scores: Vec<f32> = source.numbers(pieces, PART, f32::from_le_bytes)?;
    let blob = source.bytes(usize::try_from(blob_bytes).unwrap_or(usize::MAX), PART)?;
    let blob = String::from_utf8(blob).map_err(|_| inconsistent("the pieces are no UTF-8"))?;
    let ordered = offsets.is_sorted() && offsets.first() == Some(&0);
    let whole = offsets.iter().all(|&at| blob.is_char_boundary(at as usize))
        && offsets.last().map(|&end| end as usize) == Some(blob.len());
    if !ordered || !whole || scores.iter().any(|score| !score.is_finite()) {
        return Err(inconsistent("the pieces do not fill the vocabulary"));
    }
    Ok(Vocabulary {
        bos,
        eos,
        unk,
        offsets,
        scores,
        blob,
    })
}

fn replacements(source: &mut Source) -> Result<Vec<(char, String)>, FormatError> {
    const PART: &str = "the normalisation map";
    let count = source.u32(PART)?;
    let bytes = source.u32(PART)?;
    let part = source.bytes(bytes as usize, PART)?;
    let mut rest = part.as_slice();
    let mut replacements = Vec::new();
    let character = |rest: &mut &[u8]| {
        let code = take::<4>(rest).ok_or(FormatError::Truncated(PART))?;
        char::from_u32(u32::from_le_bytes(code)).ok_or_else(|| inconsistent("a code point that is none"))
    };
    for _ in 0..count {
        let from = character(&mut rest)?;
        let [length] = take::<1>(&mut rest).ok_or(FormatError::Truncated(PART))?;
        let to: Result<String, FormatError> = (0..length).map(|_| character(&mut rest)).collect();
        replacements.push((from, to?));
    }
    match rest.is_empty() {
        true => Ok(replacements),
        false => Err(inconsistent("the normalisation map is longer than its entries")),
    }
}

fn directory(source: &mut Source) -> Result<HashMap<String, Place>, FormatError> {
    const PART: &str = "the list of tensors";
    let count = source.u32(PART)?;
    if count > COUNT_MAX {
        return Err(inconsistent(format!("{count} tensors")));
    }
    let mut tensors = HashMap::new();
    for _ in 0..count {
        let name_bytes = u16::from_le_bytes(source.array(PART)?);
        let name = String::from_utf8(source.bytes(usize::from(name_bytes), PART)?)
            .map_err(|_| inconsistent("the name of a tensor is no UTF-8"))?;
        let [storage] = source.array(PART)?;
        let elements = source.u32(PART)? as usize;
        let (offset, bytes) = (source.u64(PART)?, source.u64(PART)?);
        let (storage, expected) = match storage {
            0 => (Storage::F32, elements * size_of::<f32>()),
            1 if elements.is_multiple_of(q4::BLOCK_WEIGHTS) => {
                (Storage::Q4, elements / q4::BLOCK_WEIGHTS * q4::BLOCK_BYTES)
            }
            other => return Err(inconsistent(format!("the tensor {name} has the kind {other}"))),
        };
        if bytes != expected as u64 {
            return Err(inconsistent(format!("the tensor {name} has {bytes} bytes")));
        }
        if offset.checked_add(bytes).is_none_or(|end| end > source.length) {
            return Err(FormatError::Truncated("a tensor"));
        }
        let place = Place {
            storage,
            elements,
            offset,
            bytes: expected,
        };
        tensors.insert(name, place);
    }
    Ok(tensors)
}

/// The file with its length: asking for more than is left is an error before any memory is taken.
struct Source {
    reader: BufReader<File>,
    length: u64,
    position: u64,
}

impl Source {
    fn open(path: &Path) -> Result<Self, FormatError> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            reader: BufReader::new(file),
            length,
            position: 0,
        })
    }

    fn go_to(&mut self, position: u64) -> Result<(), FormatError> {
        self.reader.seek(SeekFrom::Start(position))?;
        self.position = position;
        Ok(())
    }

    fn bytes(&mut self, count: usize, part: &'static str) -> Result<Vec<u8>, FormatError> {
        if count as u64 > self.length.saturating_sub(self.position) {
            return Err(FormatError::Truncated(part));
        }
        let mut bytes = vec![0; count];
        self.reader.read_exact(&mut bytes)?;
        self.position += count as u64;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], FormatError> {
        let bytes = self.bytes(N, part)?;
        take::<N>(&mut bytes.as_slice()).ok_or(FormatError::Truncated(part))
    }

    fn numbers<T>(
        &mut self,
        count: usize,
        part: &'static str,
        number: fn([u8; 4]) -> T,
    ) -> Result<Vec<T>, FormatError> {
        let bytes = self.bytes(count.saturating_mul(4), part)?;
        Ok(bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|four| number(*four))
            .collect())
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, FormatError> {
        Ok(u32::from_le_bytes(self.array(part)?))
    }

    fn u64(&mut self, part: &'static str) -> Result<u64, FormatError> {
        Ok(u64::from_le_bytes(self.array(part)?))
    }

    fn f32(&mut self, part: &'static str) -> Result<f32, FormatError> {
        Ok(f32::from_le_bytes(self.array(part)?))
    }
}

/// The first bytes of a slice, which moves on behind them.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*first)
}

fn inconsistent(what: impl Into<String>) -> FormatError {
    FormatError::Inconsistent(what.into())
}
