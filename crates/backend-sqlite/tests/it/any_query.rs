//! Whatever a person types is a query: ten thousand odd strings, names with signs, and words that are still typed.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{MemoryFilter, Strategy};
use ports::MemoryBackend;
use recall::search::Places;
use recall::{Query, query};
use test_support::sample::{at, minji, new_memory};

/// Strings in the corpus.
const STRINGS: usize = 10_000;

/// Pieces that strings are made of: the query language of FTS5, quotes, control characters, emoji, scripts that run
/// from right to left, decomposed Korean, identifiers.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "*",
    "^",
    "(",
    ")",
    "{",
    "}",
    ":",
    "+",
    "-",
    "NEAR(a b, 2)",
    " AND ",
    " OR ",
    " NOT ",
    "terms:",
    "memories_fts",
    "rowid",
    ";--",
    "%",
    "_",
    "\\",
    "/",
    "\u{0}",
    "\u{1}",
    "\u{7f}",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "\u{200b}",
    "\u{200d}",
    "\u{202e}",
    "\u{2066}",
    "\u{fffd}",
    "\u{10ffff}",
    "😀",
    "👩‍👩‍👧‍👦",
    "🇰🇷",
    "👍🏽",
    "☂️",
    "שלום",
    "مرحبا",
    "العربية",
    "नमस्ते",
    "ไทย",
    "日本語",
    "カタカナ",
    "漢字",
    "Ω",
    "İ",
    "ß",
    "ﬀ",
    "naïve",
    "e\u{301}\u{301}\u{301}",
    "한글",
    "좌석이",
    "ㅋㅋㅋ",
    "ㅏ",
    "값",
    "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
    "\u{1107}\u{1161}",
    "\u{11ab}",
    "C++",
    "C#",
    ".NET",
    "node.js",
    "multi-agent",
    "don't",
    "eval()",
    "std::vec",
    "snake_case",
    "kebab-case",
    "a.b.c.d",
    "...",
    "--",
    "+++",
    "1e309",
    "-0",
    "0x1F",
    "3.14",
    "NULL",
    "true",
    "select",
    "drop table memories",
    "the",
    "what",
    "나는",
    "어디",
    "type:fact",
    "is:pinned",
    "https://example.org/?q=\"a\"&b=c#d",
    "me@example.org",
    "abc",
    "z",
];

/// SplitMix64, after Steele, Lea and Flood, «Fast Splittable Pseudorandom Number Generators», OOPSLA 2014.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    /// A string: mostly a few pieces, now and then any characters at all, rarely a very long one.
    fn string(&mut self, number: usize) -> String {
        let mut text = String::new();
        let pieces = match number % 500 {
            499 => 3_000,
            _ => 1 + self.below(7),
        };
        for _ in 0..pieces {
            match self.below(5) {
                0 => text.extend(char::from_u32(u32::try_from(self.below(0x11_0000)).unwrap())),
                1 => text.push(' '),
                _ => text.push_str(PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}

async fn filled(texts: &[&str]) -> (tempfile::TempDir, SqliteStore) {
    let (folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    for (index, text) in texts.iter().enumerate() {
        create(&store, new_memory(&minji(), &format!("fact:{index}"), text)).await;
    }
    (folder, store)
}

async fn found(store: &SqliteStore, query: &Query) -> Vec<String> {
    let places = Places {
        memory: store,
        vectors: store,
        embedder: None,
    };
    let params = recall::Params {
        strategy: Strategy::Hybrid,
        rrf_k: 60,
        limit: 5,
        similarity_min: 0.3,
        with_irrelevant: false,
        now: at(9),
    };
    let recalled = recall::search(query, &MemoryFilter::active(minji()), places, params).await;
    let hits = recalled
        .unwrap_or_else(|error| panic!("{query:?}: {error}"))
        .found
        .hits;
    hits.into_iter().map(|hit| hit.memory.text).collect()
}

const NAMES: [(&str, &str); 8] = [
    ("C++", "Writes C++ at work and nothing else"),
    (".NET", "Targets .NET 8 since spring"),
    ("node.js", "Runs node.js on the old server"),
    ("multi-agent", "Reads about multi-agent systems"),
    ("don't", "Asks people: please don't call"),
    ("eval()", "Never uses eval() in templates"),
    ("좌석", "통로 쪽 좌석이 편해요"),
    ("🎻", "연습은 🎻 하나로 충분해요"),
];

#[tokio::test]
async fn ten_thousand_odd_strings_are_queries_and_none_is_an_error() {
    let texts: Vec<&str> = NAMES.iter().map(|(_, text)| *text).collect();
    let (_folder, store) = filled(&texts).await;
    let filter = MemoryFilter::active(minji());
    let mut random = Random(20_261_201);
    let (mut with_terms, mut with_hits) = (0, 0);
    for number in 0..STRINGS {
        let text = random.string(number);
        let built = query::build(&text, &[&text, "좌석"]);
        assert!(built.chars().count() <= query::QUERY_CHARS_MAX);
        let terms = Query::of(&text).terms();
        // As the terms are made, and as nobody would make them: the text itself as a term.
        for terms in [terms.clone(), vec![text.clone()]] {
            let hits = store.search_keywords(&filter, &terms, 5).await;
            assert!(hits.is_ok(), "{text:?}: {hits:?}");
        }
        let counts = store.term_counts(&terms).await.unwrap();
        assert_eq!(counts.holding.len(), terms.len());
        // Whole searches take ten times as long: every fourth, typed and finished in turn.
        if number % 4 == 0 {
            let query = if number % 8 == 0 {
                Query::of(&text)
            } else {
                Query::typed(&text)
            };
            with_hits += usize::from(!found(&store, &query).await.is_empty());
        }
        with_terms += usize::from(!terms.is_empty());
    }
    assert!(
        with_terms > STRINGS / 2,
        "only {with_terms} strings have words in them"
    );
    assert!(with_hits > 100, "only {with_hits} strings find something");
    for (name, text) in NAMES {
        assert_eq!(found(&store, &Query::of(name)).await[0], text, "{name}");
        let quoted = format!("\"{name}\" AND (*)");
        assert_eq!(found(&store, &Query::of(&quoted)).await[0], text, "{quoted}");
    }
}

#[tokio::test]
async fn a_word_is_found_while_it_is_typed() {
    let (_folder, store) = filled(&[
        "Prefers morning flights",
        "Happiness is a warm kettle",
        "통로 쪽 좌석이 편해요",
        "간장보다 된장을 좋아해요",
        "가나 초콜릿을 사 모아요",
        "앉아서 일하는 책상을 골랐어요",
    ])
    .await;
    for (typed, expected) in [
        ("fl", "Prefers morning flights"),
        ("morning fligh", "Prefers morning flights"),
        ("FLIGHTS", "Prefers morning flights"),
        ("happines", "Happiness is a warm kettle"),
        ("좌", "통로 쪽 좌석이 편해요"),
        ("통로 좌ㅅ", "통로 쪽 좌석이 편해요"),
        ("좟", "통로 쪽 좌석이 편해요"),
        ("좌서", "통로 쪽 좌석이 편해요"),
        ("좌석", "통로 쪽 좌석이 편해요"),
        ("좌석ㅇ", "통로 쪽 좌석이 편해요"),
        ("된자", "간장보다 된장을 좋아해요"),
        ("간", "간장보다 된장을 좋아해요"),
        ("초콜릿을 사", "가나 초콜릿을 사 모아요"),
        ("앉ㅇ", "앉아서 일하는 책상을 골랐어요"),
        ("책사", "앉아서 일하는 책상을 골랐어요"),
    ] {
        let hits = found(&store, &Query::typed(typed)).await;
        assert!(hits.contains(&expected.to_owned()), "{typed}: {hits:?}");
        let decomposed: String = unicode_normalization::UnicodeNormalization::nfd(typed).collect();
        assert_eq!(
            found(&store, &Query::typed(&decomposed)).await,
            hits,
            "{typed}, decomposed"
        );
    }
    // "가나" is written with the keys of "간" and one more.
    let hits = found(&store, &Query::typed("간")).await;
    assert!(hits.contains(&"가나 초콜릿을 사 모아요".to_owned()), "{hits:?}");
    for (ended, text) in [
        ("fl ", "a space ends the word"),
        ("f", "one letter is too little"),
        ("ㅈ", "and one consonant"),
    ] {
        assert!(found(&store, &Query::typed(ended)).await.is_empty(), "{text}");
    }
    assert!(
        found(&store, &Query::of("fl")).await.is_empty(),
        "a finished question has whole words"
    );
}

#[tokio::test]
async fn the_last_word_of_three_thousand_finds_a_note() {
    let words: Vec<String> = (0..3_000).map(|index| format!("낱말{index}")).collect();
    let note = format!("{} 백두산천지", words.join(" "));
    let english = format!(
        "{} zugzwang",
        "Notes on many evenings of chess with friends. ".repeat(375)
    );
    assert!(english.split_whitespace().count() >= 3_000);
    let (_folder, store) = filled(&[&note, &english, "산에 자주 가요", "Plays chess"]).await;
    assert_eq!(found(&store, &Query::of("백두산천지")).await, [note]);
    assert_eq!(
        found(&store, &Query::of("What was that about zugzwang?")).await,
        [english]
    );
}

#[tokio::test]
async fn memories_in_no_index_are_found_by_their_words_the_rarest_first() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let texts = [
        "주말마다 한강에서 자전거를 타요",
        "주말마다 늦잠을 자요",
        "Rode a bicycle to work",
        "주말에는 산에 가요",
    ];
    let mut past = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        past.push(create(&store, new_memory(&minji(), &format!("fact:{index}"), text)).await);
    }
    let found = |question: &str| -> Vec<String> {
        recall::by_words(&Query::of(question), past.clone(), at(9))
            .into_iter()
            .map(|hit| hit.memory.text)
            .collect()
    };
    let weekend = found("주말 자전거");
    assert_eq!(weekend[0], texts[0]);
    assert_eq!(weekend.len(), 3, "{weekend:?}");
    assert_eq!(found("Which bicycle?"), [texts[2]]);
    assert_eq!(found("submarine"), [""; 0]);
}
