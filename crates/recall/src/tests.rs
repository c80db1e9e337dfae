use crate::{Query, budget, floor, fusion, query, terms};
use memory_model::MemoryId;
use ports::{KeywordHit, VectorHit};
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// A question finds a text when they share a token.
#[track_caller]
fn finds(question: &str, text: &str, expected: bool) {
    let kept: HashSet<String> = terms::index_terms(text).into_iter().collect();
    let asked = Query::of(question).terms();
    let found = asked.iter().any(|term| kept.contains(term));
    assert_eq!(
        found, expected,
        "{question:?} in {text:?}: asked {asked:?}, kept {kept:?}"
    );
}

#[test]
fn english_words_are_found_in_other_forms() {
    finds("flight", "Prefers morning flights", true);
    finds("Booking a seat?", "Booked seats at the front", true);
    finds("What is it?", "What a day", true);
    finds("boat", "Prefers morning flights", false);
}

#[test]
fn korean_words_are_found_behind_particles_and_endings() {
    finds("좌석", "통로 쪽 좌석이 좋아요", true);
    finds("통로 좌석 있어요?", "통로쪽좌석이 좋아요", true);
    finds("책", "저는 책을 자주 읽어요", true);
    finds("기억", "기억해 두세요", true);
    finds("비행기", "통로 쪽 좌석이 좋아요", false);
    finds("TypeScript를 쓰나요", "저는 typescript가 편해요", true);
}

#[test]
fn decomposed_korean_finds_composed_korean() {
    let decomposed: String = "좌석".nfd().collect();
    finds(&decomposed, "통로 쪽 좌석이 좋아요", true);
}

#[test]
fn identifiers_are_found_and_kept_apart() {
    finds("C++", "Writes C++ at work", true);
    finds("C#", "Writes C++ at work", true); // both hold the part `c`, the whole decides the rank
    finds(".NET", "Targets .NET 8", true);
    finds("node.js", "Runs Node.js v20.1.", true);
    finds("multi-agent", "A multi-agent system", true);
    finds("agents", "A multi-agent system", true);
    finds("eval()", "Never call eval() here", true);
    finds("🛫", "Morning 🛫 only", true);
}

#[test]
fn no_token_holds_query_syntax() {
    for text in [
        "\"x",
        "don't",
        "AND OR NOT",
        "*",
        "a*b (c) NEAR/2",
        "title:x ^y {z}",
        "'; drop table memories; --",
        "\u{0}x",
        "\u{202e}abc",
    ] {
        for term in terms::index_terms(text) {
            assert!(
                term.chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_')),
                "{term:?} from {text:?}"
            );
        }
    }
}

#[test]
fn matched_words_are_given_as_the_memory_writes_them() {
    let query = Query::of("Which seats on a Flight, and 통로?");
    let terms: HashSet<&str> = query.words.iter().flatten().map(String::as_str).collect();
    assert_eq!(
        terms::matched_words("Prefers an aisle seat (통로) on flights", &terms),
        ["seat", "통로", "flights"]
    );
}

#[test]
fn a_short_message_takes_the_last_user_turns_along() {
    assert_eq!(
        query::build("yes", &["older", "Find a flight to Denver", "In June"]),
        "yes\nIn June\nFind a flight to Denver"
    );
    assert_eq!(
        query::build("Find me a morning flight to Denver", &["In June"]),
        "Find me a morning flight to Denver"
    );
    let long = "가".repeat(5_000);
    assert!(query::build(&long, &["x"]).chars().count() <= query::QUERY_CHARS_MAX);
}

fn keyword(ids: &[&str]) -> Vec<KeywordHit> {
    ids.iter()
        .map(|id| KeywordHit {
            id: MemoryId::new(*id),
            bm25: 1.0,
        })
        .collect()
}

fn vector(ids: &[&str]) -> Vec<VectorHit> {
    ids.iter()
        .map(|id| VectorHit {
            id: MemoryId::new(*id),
            similarity: 0.5,
        })
        .collect()
}

#[test]
fn fusion_adds_the_reciprocal_ranks() {
    let fused = fusion::fuse(&keyword(&["a", "b"]), &vector(&["c", "a"]), 60);
    assert_eq!(
        fused.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(),
        ["a", "c", "b"]
    );
    let expected = 1.0 / 61.0 + 1.0 / 62.0;
    assert!((fused[0].score - expected).abs() < 1e-7);
    assert_eq!((fused[1].keyword_rank, fused[1].vector_rank), (None, Some(1)));
}

proptest::proptest! {
    #[test]
    fn fusion_keeps_every_memory_once_and_is_sorted(a in proptest::collection::hash_set("[a-h]", 0..8), b in proptest::collection::hash_set("[a-h]", 0..8), k in 0_u32..200) {
        let (a, b): (Vec<&str>, Vec<&str>) = (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
        let fused = fusion::fuse(&keyword(&a), &vector(&b), k);
        let ids: HashSet<&str> = fused.iter().map(|f| f.id.as_str()).collect();
        proptest::prop_assert_eq!(ids.len(), fused.len());
        proptest::prop_assert_eq!(ids, a.iter().chain(&b).copied().collect::<HashSet<_>>());
        proptest::prop_assert!(fused.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn no_text_makes_tokens_fail(text in ".{0,200}") {
        let _ = Query::of(&text).terms();
        let _ = terms::index_terms(&text);
    }
}

#[test]
fn the_floor_asks_for_meaning_or_for_enough_words() {
    let judge = |similarity, matched, asked| {
        floor::is_relevant(
            floor::Evidence {
                similarity,
                meaning_searched: true,
                matched,
                asked,
            },
            0.3,
        )
    };
    assert!(judge(Some(0.31), 0, 5));
    assert!(!judge(Some(0.29), 0, 5));
    assert!(judge(None, 1, 3));
    assert!(!judge(None, 1, 4));
    assert!(!judge(Some(0.1), 1, 7));
    assert!(judge(Some(0.16), 1, 7), "one word and a weak meaning together");
    assert!(judge(None, 2, 9));
    assert!(!judge(None, 0, 0));
    let words_only = floor::Evidence {
        similarity: None,
        meaning_searched: false,
        matched: 1,
        asked: 7,
    };
    assert!(floor::is_relevant(words_only, 0.3));
}

#[test]
fn tokens_are_estimated_on_the_safe_side_in_korean() {
    assert_eq!(budget::estimate_tokens("abcdefgh"), 2);
    assert_eq!(budget::estimate_tokens("통로쪽좌"), 5);
    let text = "첫 문장이에요. 둘째 문장이에요. 셋째 문장이에요.";
    let cut = budget::cut_to_tokens(text, 12);
    assert!(
        cut.starts_with("첫 문장이에요.") && !cut.contains("셋째"),
        "{cut}"
    );
    assert!(budget::estimate_tokens(&budget::cut_to_tokens(&"가나다 ".repeat(500), 100)) <= 100);
}
