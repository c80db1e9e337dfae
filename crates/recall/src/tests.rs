use crate::rank::{self, Asked, Field, Weights};
use crate::{Query, budget, floor, fusion, query, terms};
use memory_model::{MemoryId, ThreadId};
use ports::{Beside, KeywordHit, TermCounts, VectorHit};
use std::collections::{HashMap, HashSet};
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

#[test]
fn the_rarest_words_are_asked_and_pairs_of_syllables_count_half() {
    let terms = |list: &[&str]| list.iter().map(|term| (*term).to_owned()).collect::<Vec<_>>();
    let counts = |holding: &[u32]| TermCounts {
        texts: 100,
        holding: holding.to_vec(),
    };
    let asked = Asked::rarest(terms(&["day", "kayak", "unheard"]), &counts(&[60, 2, 0]));
    assert_eq!(asked.terms, ["kayak", "day", "unheard"]);
    assert!(asked.weights[0] > asked.weights[1] && asked.weights[2] == 0.0);
    let english: Vec<String> = (0..20).map(|number| format!("word{number}")).collect();
    assert_eq!(
        Asked::rarest(english, &counts(&[1; 20])).terms.len(),
        rank::RAREST_WORDS_MAX
    );
    let korean =
        terms::index_terms("제주도에서 지난여름에 친구들이랑 자전거를 빌려서 해안도로를 달렸던 이야기");
    assert!(korean.len() > 2 * rank::RAREST_WORDS_MAX, "{korean:?}");
    let asked = Asked::rarest(korean, &counts(&[1; 64]));
    assert_eq!(asked.terms.len(), 2 * rank::RAREST_WORDS_MAX);
}

#[test]
fn a_word_of_nearly_every_text_is_not_searched_for_beside_a_telling_one() {
    let terms: Vec<String> = ["좋아", "kayak", "unheard"].map(str::to_owned).to_vec();
    let telling = |texts: u32, holding: [u32; 3]| {
        let counts = TermCounts {
            texts,
            holding: holding.to_vec(),
        };
        rank::telling(&terms, &Asked::rarest(terms.clone(), &counts), &counts)
    };
    assert_eq!(telling(9_000, [8_000, 3, 0]), ["kayak", "unheard"]);
    // Nothing else is held by any text, or the list is short anyway.
    assert_eq!(telling(9_000, [8_000, 0, 0]).len(), 3);
    assert_eq!(telling(900, [800, 3, 0]).len(), 3);
}

/// What was said in one conversation, a line a text, as a store would tell it.
fn conversation(thread: &str, lines: &[(&str, &str)]) -> Vec<Beside> {
    let mut found = Vec::new();
    for here in 0..lines.len() {
        let first = here.saturating_sub(2);
        for (place, (subject, text)) in lines.iter().enumerate().take(here + 3).skip(first) {
            found.push(Beside {
                of: MemoryId::new(format!("{thread}{here}")),
                id: MemoryId::new(format!("{thread}{place}")),
                distance: i32::try_from(place).unwrap() - i32::try_from(here).unwrap(),
                text: (*text).to_owned(),
                subject: (*subject).to_owned(),
                thread: Some(ThreadId::new(thread)),
            });
        }
    }
    found
}

/// The texts by their rank for a question, when meaning says nothing.
fn ranked(question: &str, texts: &[Beside]) -> Vec<String> {
    let query = Query::of(question);
    let terms = query.terms();
    let own: Vec<Vec<String>> = (texts.iter().filter(|text| text.distance == 0))
        .map(|text| terms::index_terms(&text.text))
        .collect();
    let holding =
        |term: &String| u32::try_from(own.iter().filter(|text| text.contains(term)).count()).unwrap();
    let counts = TermCounts {
        texts: u32::try_from(own.len()).unwrap(),
        holding: terms.iter().map(holding).collect(),
    };
    let of_question: HashSet<&str> = terms.iter().map(String::as_str).collect();
    let asked = Asked::rarest(terms.clone(), &counts);
    let field = Field::read(texts, &asked, &of_question, &HashMap::new());
    let mut places: Vec<(f32, String)> = (field.scores(&Weights::DEFAULT).into_iter())
        .zip(field.places.iter().map(|place| place.id.to_string()))
        .collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    places.into_iter().map(|(_, id)| id).collect()
}

#[test]
fn an_answer_is_found_by_the_question_that_stands_before_it() {
    let texts = conversation(
        "t",
        &[
            ("Mina", "Good morning to you"),
            ("Jun", "Which lake did the kayak club choose?"),
            ("Mina", "They went up to Soyang"),
            ("Jun", "Nice"),
            ("Mina", "The bakery was shut today"),
            ("Jun", "I bought bread elsewhere"),
        ],
    );
    let order = ranked("the lake of the kayak club", &texts);
    assert_eq!(order[0], "t1");
    assert!(
        order.iter().position(|id| id == "t2") < order.iter().position(|id| id == "t4"),
        "{order:?}"
    );
    let texts = conversation(
        "t",
        &[
            ("민아", "좋은 아침이에요"),
            ("준", "카약 동호회는 어느 호수로 갔어요?"),
            ("민아", "소양강 쪽으로 올라갔대요"),
            ("준", "부럽네요"),
            ("민아", "빵집은 오늘 쉬더라고요"),
        ],
    );
    let order = ranked("카약 동호회 호수", &texts);
    assert_eq!(order[0], "t1");
    assert!(
        order.iter().position(|id| id == "t2") < order.iter().position(|id| id == "t4"),
        "{order:?}"
    );
}

#[test]
fn who_is_asked_about_comes_first_and_nobody_is_left_out() {
    let mut texts = conversation("a", &[("Jun", "Plays the cello on Sundays")]);
    texts.extend(conversation("b", &[("Mina", "Plays the cello on Sundays")]));
    assert_eq!(ranked("What does Mina play on Sundays?", &texts), ["b0", "a0"]);
    assert_eq!(ranked("What does Jun play on Sundays?", &texts), ["a0", "b0"]);
    assert_eq!(ranked("Do Jun and Mina play on Sundays?", &texts), ["a0", "b0"]);
}

#[test]
fn behind_the_front_other_conversations_come_first_and_nothing_is_lost() {
    let kayak = |thread: &str, count: usize| -> Vec<Beside> {
        let lines: Vec<(&str, &str)> = vec![("Mina", "카약 동호회 이야기를 했어요"); count];
        conversation(thread, &lines)
    };
    let mut texts = kayak("a", 12);
    texts.extend(kayak("b", 3));
    texts.extend(kayak("c", 1));
    let terms: HashSet<&str> = HashSet::new();
    let field = Field::read(&texts, &Asked::default(), &terms, &HashMap::new());
    assert_eq!(field.places.len(), 16);
    let ranked: Vec<usize> = (0..16).collect();
    let scores: Vec<f32> = (0_u8..16).map(|place| 1.0 - f32::from(place) / 100.0).collect();
    let shown = field.spread(&ranked, &scores);
    assert_eq!(shown[..10], ranked[..10], "the front stays");
    assert_eq!(
        shown[10..],
        [12, 15, 10, 11, 13, 14],
        "b and c before more of a and b"
    );
    let short = field.spread(&ranked[..4], &scores);
    assert_eq!(short, [0, 1, 2, 3]);
}
