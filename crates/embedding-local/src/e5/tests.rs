//! Reader and tokenizer against the real file. It comes from the models folder that `cargo xtask models` fills.

use super::file::{E5File, FormatError};
use super::q4;
use super::tokenizer::Unigram;
use crate::local::LocalModel;
use crate::locations;
use ports::EmbedError;
use std::path::{Path, PathBuf};
use tokenizers::models::unigram::Unigram as OracleModel;
use tokenizers::normalizers::replace::ReplacePattern;
use tokenizers::normalizers::{NormalizerWrapper, Precompiled, Replace, Sequence};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::{Model as _, Tokenizer};

pub(super) fn model_file() -> PathBuf {
    let nowhere = Path::new("/nowhere");
    let folders = locations::models_folders(nowhere, nowhere);
    match locations::find_in(folders, &LocalModel::MULTILINGUAL_E5_SMALL) {
        Some(dir) => dir.join("e5-small-q4.bin"),
        None => panic!("the embedding model is missing; run `cargo xtask models`"),
    }
}

#[test]
fn blocks_of_four_bit_become_weights() {
    let mut block = half::f16::from_f32(0.5).to_le_bytes().to_vec();
    block.extend((0..16).map(|place: u8| place | ((15 - place) << 4)));
    let mut weights = Vec::new();
    q4::append(&block, &mut weights);
    assert_eq!(weights.len(), 32);
    assert_eq!((weights[0], weights[15]), (-4.0, 3.5));
    assert_eq!((weights[16], weights[31]), (3.5, -4.0));
}

#[test]
fn the_header_is_read_as_it_is_written() {
    let file = E5File::open(&model_file()).unwrap();
    assert_eq!(
        (file.shape.hidden, file.shape.layers, file.shape.heads),
        (384, 12, 12)
    );
    assert_eq!(file.vocabulary.scores.len(), 250_002);
    assert_eq!(
        (file.vocabulary.bos, file.vocabulary.eos, file.vocabulary.unk),
        (0, 2, 3)
    );
    assert_eq!(file.replacements.len(), 4_837);
    assert!(file.place("l11.fo.w", 384 * 1536).is_ok());
    assert!(matches!(
        file.place("l11.fo.w", 384),
        Err(FormatError::Inconsistent(_))
    ));
    assert!(file.place("l12.fo.w", 384 * 1536).is_err());
}

#[test]
fn a_file_that_is_cut_or_changed_is_refused_and_never_followed_out_of_its_bounds() {
    let bytes = std::fs::read(model_file()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("part.bin");
    let opened = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        E5File::open(&path).map(|_| ())
    };
    for length in [
        0, 3, 7, 30, 63, 71, 1_000, 1_500_000, 4_500_000, 4_638_200, 4_638_248,
    ] {
        let outcome = opened(&bytes[..length]);
        assert!(
            matches!(outcome, Err(FormatError::Truncated(_))),
            "{length}: {outcome:?}"
        );
    }
    let header = &bytes[..5_000_000];
    let with = |place: usize, value: u32| {
        let mut changed = header.to_vec();
        changed[place..place + 4].copy_from_slice(&value.to_le_bytes());
        opened(&changed)
    };
    assert!(matches!(with(0, 1), Err(FormatError::WrongMagic)));
    assert!(matches!(with(4, 2), Err(FormatError::WrongVersion(2))));
    // Every count of the header, too small, too large and enormous.
    for place in [8, 16, 24, 40, 44, 48, 60, 64, 72, 76] {
        for value in [0, 7_777_777, u32::MAX] {
            // What is still possible is refused by the tensors' sizes; here only nothing may break.
            let outcome = with(place, value);
            if value == u32::MAX && place != 24 {
                assert!(outcome.is_err(), "{value} at {place}");
            }
        }
    }
}

#[test]
fn a_damaged_file_is_named_with_the_command_that_mends_it() {
    let dir = tempfile::tempdir().unwrap();
    let says = |expected: &[&str]| match LocalModel::MULTILINGUAL_E5_SMALL.load_from(dir.path()) {
        Err(EmbedError::ModelLoadFailed { reason }) => {
            for part in expected.iter().chain(&["cargo xtask models", "e5-small-q4.bin"]) {
                assert!(reason.contains(part), "`{part}` is not in: {reason}");
            }
        }
        other => panic!("{other:?}"),
    };
    says(&["is missing"]);
    let mut bytes = std::fs::read(model_file()).unwrap();
    let path = dir.path().join("e5-small-q4.bin");
    std::fs::write(&path, &bytes[..1_000]).unwrap();
    says(&["1000 bytes instead of 71622400", "cut short"]);
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    says(&["damaged", "SHA-256"]);
}

#[test]
fn texts_are_cut_into_the_pieces_of_the_tokenizers_crate() {
    let file = E5File::open(&model_file()).unwrap();
    let oracle = oracle(&file);
    let ours = Unigram::new(file.vocabulary, file.replacements).unwrap();
    let texts = texts();
    assert!(texts.len() >= 500, "{}", texts.len());
    let different: Vec<&String> = texts
        .iter()
        .filter(|text| {
            let nfc = memory_model::nfc(text);
            oracle.encode(nfc, false).unwrap().get_ids() != ours.encode(text)
        })
        .collect();
    assert!(
        different.len() * 100 <= texts.len(),
        "{} of {} differ: {different:?}",
        different.len(),
        texts.len()
    );
}

#[test]
fn one_text_has_one_list_of_pieces_however_it_was_typed() {
    let file = E5File::open(&model_file()).unwrap();
    let ours = Unigram::new(file.vocabulary, file.replacements).unwrap();
    assert_eq!(
        ours.encode("통로 쪽"),
        ours.encode("\u{1110}\u{1169}\u{11BC}\u{1105}\u{1169} 쪽")
    );
    assert_eq!(ours.encode("café"), ours.encode("cafe\u{301}"));
    assert_eq!(ours.encode("a  \t b"), ours.encode("a b"));
    assert!(ours.encode("").is_empty());
    // Unknown characters side by side are one unknown piece.
    assert_eq!(
        ours.encode("\u{1F9FF}\u{E000}\u{E001}\u{E002}")
            .iter()
            .filter(|&&id| id == 3)
            .count(),
        1
    );
    // Special pieces that somebody types do not end the text.
    assert!(ours.encode("a </s> b").len() >= 3);
}

/// The tokenizers crate with the same vocabulary and the same map.
fn oracle(file: &E5File) -> Tokenizer {
    let vocabulary = &file.vocabulary;
    let pieces: Vec<(String, f64)> = vocabulary
        .offsets
        .windows(2)
        .zip(&vocabulary.scores)
        .map(|(ends, &score)| {
            let piece = &vocabulary.blob.as_bytes()[ends[0] as usize..ends[1] as usize];
            (String::from_utf8(piece.to_vec()).unwrap(), f64::from(score))
        })
        .collect();
    let model = OracleModel::from(pieces, Some(3), false).unwrap();
    assert_eq!(model.get_vocab_size(), 250_002);
    let mut tokenizer = Tokenizer::new(model);
    let spaces = Replace::new(ReplacePattern::Regex(" {2,}".to_owned()), " ").unwrap();
    let map = Precompiled::from(&characters_map(&file.replacements)).unwrap();
    tokenizer
        .with_normalizer(Some(Sequence::new(vec![
            NormalizerWrapper::Precompiled(map),
            NormalizerWrapper::Replace(spaces),
        ])))
        .unwrap()
        .with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, true)));
    tokenizer
}

/// The map as sentencepiece stores it: a double array over the bytes of each character, then the replacements,
/// each with a NUL behind it. Every inner node has 256 places of its own, every end one of its own.
fn characters_map(replacements: &[(char, String)]) -> Vec<u8> {
    const BLOCK: usize = 256;
    let mut strings = Vec::new();
    // The first bytes of a character; the root is the empty one.
    let mut inner: std::collections::BTreeMap<Vec<u8>, usize> = std::collections::BTreeMap::new();
    let encoded: Vec<Vec<u8>> = replacements
        .iter()
        .map(|(from, _)| from.to_string().into_bytes())
        .collect();
    for bytes in &encoded {
        for length in 0..bytes.len() {
            let next = (inner.len() + 1) * BLOCK;
            inner.entry(bytes[..length].to_vec()).or_insert(next);
        }
    }
    let ends = (inner.len() + 1) * BLOCK;
    let size = (ends + replacements.len()).next_multiple_of(BLOCK);
    let mut units = vec![0_u32; size];
    let unit = |position: usize, base: usize, label: u8, leaf: bool| {
        u32::from(label) | u32::from(leaf) << 8 | ((position ^ base) as u32) << 10
    };
    units[0] = unit(0, inner[&Vec::new()], 0, false);
    for (prefix, &base) in &inner {
        if let Some((&label, parent)) = prefix.split_last() {
            let position = inner[parent] ^ usize::from(label);
            units[position] = unit(position, base, label, false);
        }
    }
    for (place, (bytes, (_, to))) in encoded.iter().zip(replacements).enumerate() {
        let (&label, parent) = bytes.split_last().unwrap();
        let (position, base) = (inner[parent] ^ usize::from(label), ends + place);
        units[position] = unit(position, base, label, true);
        units[base] = strings.len() as u32 | 1 << 31;
        strings.extend(to.bytes());
        strings.push(0);
    }
    let mut map = ((units.len() * 4) as u32).to_le_bytes().to_vec();
    map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    map.extend(strings);
    map
}

const SENTENCES: [&str; 24] = [
    "I take the aisle seat on every flight, never the window.",
    "통로 쪽 좌석을 주로 예약하고 창가는 피합니다.",
    "Marta mends the large saw on Fridays, not before noon.",
    "목공소는 금요일 오후에만 큰 톱을 고칩니다.",
    "배포는 화요일 오전 10:30에 하고 Zoom으로 알립니다.",
    "My e-mail signature says «Kind regards — M.» and nothing else…",
    "ㅋㅋㅋㅋ 진짜요? ㅠㅠ 그럼 내일 봬요~",
    "C++ and .NET and node.js, multi-agent; x_1 = y² ± ½",
    "fn main() { println!(\"{}\", 1 + 1); } // why?",
    "https://example.org/a/very/long/path?with=query&and=more#fragment",
    "Ich wohne seit zwei Jahren in Köln und trinke gern Tee.",
    "J'aime le thé vert, pas le café au lait d'hier.",
    "東京の冬は寒いですか。はい、少し。",
    "我住在一个很小的城市里。",
    "Она живёт в Минске и пьёт чай.",
    "مرحبا بالعالم and שלום עולם",
    "ＦＵＬＬ ｗｉｄｔｈ ① ② ③ ㈜ ﬁne ﬂow ™ ℃",
    "Great job 🎉👏 see you at the 🏖️ tomorrow",
    "👨‍👩‍👧‍👦 가족이 모두 모여요 ❤️",
    "A\u{a0}non-breaking\u{2003}space and a\u{200b}zero width one",
    "line one\nline two\r\nline three\tafter a tab",
    "한글과 漢字 그리고 ひらがな가 섞인 문장 😀",
    "١٢٣ ४५६ 123 １２３ 一二三",
    "ALL CAPITALS, MANY!!! MARKS??? 12,345.67 %",
];

const WORDS: [&str; 40] = [
    "the",
    "pump",
    "valve",
    "Tuesday",
    "re-read",
    "don't",
    "naïve",
    "42",
    "3.14",
    "v2.0",
    "(draft)",
    "\"quoted\"",
    "회의록",
    "김치찌개를",
    "서울에서",
    "안녕하세요",
    "못했습니다",
    "뛰어다니던",
    "값",
    "ㄱㄴㄷ",
    "읽었었다",
    "Zoom으로",
    "🌙",
    "🧪",
    "∑",
    "→",
    "…",
    "—",
    "東京",
    "テスト",
    "数据",
    "Ελλάδα",
    "тест",
    "ñandú",
    "Ⅷ",
    "½",
    "x²",
    "ﬀ",
    "꙳",
    "𝔘𝔫𝔦",
];

/// Sentences as they are, in pairs, cut at odd places, and words in a random row with odd spaces.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = SENTENCES.iter().map(|&text| text.to_owned()).collect();
    let mut state = 20_240_607_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for first in SENTENCES {
        for _ in 0..6 {
            let second = SENTENCES[random(SENTENCES.len())];
            let between = [" ", "", "\n", "  ", " — "][random(5)];
            texts.push(format!("{first}{between}{second}"));
            let kept = 1 + random(first.chars().count());
            texts.push(first.chars().take(kept).collect());
        }
    }
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..1 + random(12) {
            text.push_str(WORDS[random(WORDS.len())]);
            text.push_str([" ", " ", " ", "  ", "", "\t", ", ", ". "][random(8)]);
        }
        texts.push(text);
    }
    texts
}
