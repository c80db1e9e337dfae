//! Cuts a text into the pieces of the model's vocabulary so that the product of their probabilities is the
//! largest (a unigram model). The same pieces as the tokenizers crate in a thirtieth of its memory: the
//! vocabulary stays one text, and a table of numbers finds a piece in it.

use super::file::{FormatError, Vocabulary};
use super::normalise::Normaliser;
use std::ops::Range;

/// How much less likely an unknown character is than the least likely piece (sentencepiece, `kUnkPenalty`).
const UNKNOWN_PENALTY: f64 = 10.0;

/// Stands for a space, and at the beginning of a text.
const SPACE_MARK: char = '▁';

/// A place of the table without a piece.
const EMPTY: u32 = u32::MAX;

/// The tokenizer of the model.
pub(crate) struct Unigram {
    vocabulary: Vocabulary,
    normaliser: Normaliser,
    table: Table,
    /// Bytes of the longest piece.
    piece_bytes_max: usize,
    unknown_score: f64,
}

/// Where the best way to a place in a word comes from.
#[derive(Clone, Copy, Default)]
struct Best {
    score: f64,
    from: Option<usize>,
    id: u32,
}

/// A piece of a marked word, and its bytes there.
struct Piece {
    id: u32,
    start: usize,
    end: usize,
}

impl Unigram {
    pub(super) fn new(
        vocabulary: Vocabulary,
        replacements: Vec<(char, String)>,
    ) -> Result<Self, FormatError> {
        let table = Table::of(&vocabulary);
        let piece_bytes_max = pieces(&vocabulary).map(str::len).max().unwrap_or_default();
        let lowest = vocabulary.scores.iter().copied().fold(f32::INFINITY, f32::min);
        if !lowest.is_finite() {
            return Err(FormatError::Inconsistent("there are no pieces".to_owned()));
        }
        Ok(Self {
            vocabulary,
            normaliser: Normaliser::new(replacements),
            table,
            piece_bytes_max,
            unknown_score: f64::from(lowest) - UNKNOWN_PENALTY,
        })
    }

    /// The piece that marks the beginning.
    pub(super) fn bos(&self) -> u32 {
        self.vocabulary.bos
    }

    /// The piece that marks the end.
    pub(super) fn eos(&self) -> u32 {
        self.vocabulary.eos
    }

    /// The pieces of a text, without those that mark beginning and end.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.each_piece(&self.normaliser.normalise(text), |piece, _| ids.push(piece.id));
        ids
    }

    /// The same of a text in NFC, each piece with the bytes of the text that it stands for.
    pub(super) fn encode_with_places(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let (normalised, places) = self.normaliser.normalise_with_places(text);
        let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
        let mut found = Vec::new();
        self.each_piece(&normalised, |piece, word| {
            // The mark of a word stands for no byte of it.
            let of_word = |at: usize| place(word + at.saturating_sub(SPACE_MARK.len_utf8()));
            found.push((piece.id, of_word(piece.start)..of_word(piece.end)));
        });
        found
    }

    /// Tells each piece of a normalised text, with the byte at which its word begins there.
    fn each_piece(&self, normalised: &str, mut tell: impl FnMut(&Piece, usize)) {
        if normalised.is_empty() {
            return;
        }
        // A text begins with a mark whether it begins with a space or not.
        let text = normalised.strip_prefix(' ').unwrap_or(normalised);
        let mut at = normalised.len() - text.len();
        let mut marked = String::new();
        let (mut best, mut pieces) = (Vec::new(), Vec::new());
        for word in text.split(' ') {
            marked.clear();
            marked.push(SPACE_MARK);
            marked.push_str(word);
            pieces.clear();
            self.encode_word(&marked, &mut best, &mut pieces);
            pieces.iter().for_each(|piece| tell(piece, at));
            at += word.len() + 1;
        }
    }

    /// Finds the best pieces of one word. Sums are f64: in f32 two ways that differ by a little become equal.
    fn encode_word(&self, word: &str, best: &mut Vec<Best>, pieces: &mut Vec<Piece>) {
        best.clear();
        best.resize(word.len() + 1, Best::default());
        for (start, first) in word.char_indices() {
            let till_here = best.get(start).map_or(0.0, |best| best.score);
            let after_first = start + first.len_utf8();
            let mut first_is_piece = false;
            let mut hash = Hash::default();
            for (offset, c) in word.get(start..).unwrap_or_default().char_indices() {
                let end = start + offset + c.len_utf8();
                if end - start > self.piece_bytes_max {
                    break;
                }
                let text = word.get(start..end).unwrap_or_default();
                hash.add(word.as_bytes().get(start + offset..end).unwrap_or_default());
                let Some(id) = self.table.find(hash, text, &self.vocabulary) else {
                    continue;
                };
                let score = self
                    .vocabulary
                    .scores
                    .get(id as usize)
                    .copied()
                    .unwrap_or_default();
                improve(best, end, start, id, till_here + f64::from(score));
                first_is_piece |= end == after_first;
            }
            if !first_is_piece {
                let score = till_here + self.unknown_score;
                improve(best, after_first, start, self.vocabulary.unk, score);
            }
        }
        self.walk_back(word.len(), best, pieces);
    }

    /// Collects the pieces from the end to the beginning. Unknown characters side by side are one unknown piece.
    fn walk_back(&self, end: usize, best: &[Best], pieces: &mut Vec<Piece>) {
        let mut end = end;
        while let Some(Best {
            from: Some(start),
            id,
            ..
        }) = best.get(end).copied()
        {
            match pieces.last_mut() {
                Some(last) if id == self.vocabulary.unk && last.id == id => last.start = start,
                _ => pieces.push(Piece { id, start, end }),
            }
            end = start;
        }
        pieces.reverse();
    }
}

fn improve(best: &mut [Best], end: usize, from: usize, id: u32, score: f64) {
    if let Some(known) = best.get_mut(end)
        && (known.from.is_none() || score > known.score)
    {
        *known = Best {
            score,
            from: Some(from),
            id,
        };
    }
}

fn pieces(vocabulary: &Vocabulary) -> impl Iterator<Item = &str> {
    vocabulary.offsets.windows(2).map(|pair| match pair {
        [start, end] => vocabulary
            .blob
            .get(*start as usize..*end as usize)
            .unwrap_or_default(),
        _ => "",
    })
}

impl Vocabulary {
    fn piece(&self, id: u32) -> Option<&str> {
        let start = *self.offsets.get(id as usize)? as usize;
        let end = *self.offsets.get(id as usize + 1)? as usize;
        self.blob.get(start..end)
    }
}

/// FNV-1a over the bytes of a piece; it grows byte by byte with the text that is looked at.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Finds the number of a piece: open addressing, at most half full.
struct Table {
    places: Vec<u32>,
}

impl Table {
    fn of(vocabulary: &Vocabulary) -> Self {
        let size = (vocabulary.scores.len() * 2).next_power_of_two();
        let mut table = Self {
            places: vec![EMPTY; size],
        };
        for (id, piece) in (0_u32..).zip(pieces(vocabulary)) {
            let mut hash = Hash::default();
            hash.add(piece.as_bytes());
            // The later of two equal pieces wins, as in the tokenizers crate.
            let place = table.place(hash, piece, vocabulary);
            if let Some(place) = table.places.get_mut(place) {
                *place = id;
            }
        }
        table
    }

    fn find(&self, hash: Hash, piece: &str, vocabulary: &Vocabulary) -> Option<u32> {
        let place = self.place(hash, piece, vocabulary);
        self.places.get(place).copied().filter(|&id| id != EMPTY)
    }

    /// Where a piece stands or would stand.
    fn place(&self, hash: Hash, piece: &str, vocabulary: &Vocabulary) -> usize {
        let mask = self.places.len() - 1;
        // The low bits of FNV are the weaker ones.
        let mut place = (hash.0 ^ (hash.0 >> 32)) as usize & mask;
        loop {
            match self.places.get(place) {
                Some(&id) if id != EMPTY && vocabulary.piece(id) != Some(piece) => {
                    place = (place + 1) & mask;
                }
                _ => return place,
            }
        }
    }
}
