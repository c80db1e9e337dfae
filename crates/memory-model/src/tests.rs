use crate::*;

#[test]
fn a_span_is_counted_in_characters_of_any_script() {
    let text = "I like 통로 쪽 🛫!";
    assert_eq!(char_span(text, 7, 11), Some("통로 쪽"));
    assert_eq!(char_span(text, 12, 13), Some("🛫"));
    assert_eq!(char_span(text, 0, 0), Some(""));
    assert_eq!(char_span(text, 13, 14), Some("!"));
    assert_eq!(char_span(text, 13, 15), None);
    assert_eq!(char_span(text, 5, 4), None);
}

#[test]
fn cutting_never_splits_a_character() {
    assert_eq!(cut_chars("기억해 줘", 2), "기억");
    assert_eq!(cut_chars("abc", 9), "abc");
}

#[test]
fn decomposed_and_composed_hangul_have_one_content_hash() {
    let composed = content_hash("통로 쪽이 좋아요", "preference", "", &[]);
    let decomposed: String =
        unicode_normalization::UnicodeNormalization::nfd("통로 쪽이 좋아요\r\n").collect();
    let decomposed = content_hash(&decomposed, "preference", "", &[]);
    assert_eq!(composed, decomposed);
    assert_ne!(composed, content_hash("통로 쪽이 싫어요", "preference", "", &[]));
}

#[test]
fn parts_of_a_content_hash_cannot_run_into_each_other() {
    let a = content_hash("ab", "c", "", &[]);
    let b = content_hash("a", "bc", "", &[]);
    assert_ne!(a, b);
    let tags = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        content_hash("x", "k", "t", &tags(&["b", "a"])),
        content_hash("x", "k", "t", &tags(&["a", "b"]))
    );
    assert_ne!(
        content_hash("x", "k", "t", &tags(&["ab"])),
        content_hash("x", "k", "t", &tags(&["a", "b"]))
    );
}

#[test]
fn a_resumed_turn_gives_a_review_item_the_same_id() {
    let id = |start, key| ReviewId::of_candidate(&MessageId::new("m"), start, key);
    assert_eq!(id(1, "preference:통로"), id(1, "preference:통로"));
    assert_ne!(id(1, "preference:통로"), id(2, "preference:통로"));
    assert_ne!(id(1, "preference:통로"), id(1, "preference:창가"));
}
