//! What becomes of candidates when something is known.

use super::{AT, read};
use crate::{
    CaptureMode, Known, Policy, ProceduralPolicy, Relation, SensitivePolicy, SourceText, Statement, Verdict,
    candidate_by_hand, judge, key_of, probe, relate,
};
use memory_model::{
    Candidate, Category, Memory, MemoryId, MessageId, Namespace, NewMemory, Origin, ReviewReason, SkipReason,
    UserId,
};

fn kept(candidate: &Candidate) -> Memory {
    let owner = UserId::new("user-1");
    NewMemory {
        namespace: Namespace::personal(&owner, candidate.category),
        owner,
        key: candidate.key.clone(),
        category: candidate.category,
        text: candidate.text.clone(),
        value: candidate.value.clone(),
        polarity: candidate.polarity,
        subject: candidate.subject.clone(),
        slot: candidate.slot.clone(),
        language: candidate.language,
        evidence: Some(candidate.evidence.clone()),
        source: Origin::User,
        source_id: None,
        trust: Origin::User,
        confidence: candidate.confidence,
        valid_from: None,
    }
    .into_memory(MemoryId::new(candidate.key.clone()), AT)
}

fn known(texts: &[&str]) -> Vec<Known> {
    let candidates = texts.iter().flat_map(|text| read(text).candidates);
    candidates
        .map(|candidate| Known {
            memory: kept(&candidate),
            near: Vec::new(),
        })
        .collect()
}

fn judged(known_texts: &[&str], text: &str, policy: &Policy) -> Verdict {
    let message = MessageId::new("m1");
    judge(
        read(text).candidates,
        &[SourceText {
            message_id: &message,
            text,
        }],
        &known(known_texts),
        policy,
    )
}

/// One word for what happened to the only candidate of a message.
fn outcome(known_texts: &[&str], text: &str) -> String {
    let verdict = judged(known_texts, text, &Policy::default());
    match (
        verdict.approved.as_slice(),
        verdict.waiting.as_slice(),
        verdict.skipped.as_slice(),
    ) {
        ([one], [], []) if one.replaces.is_some() => "replaces".to_owned(),
        ([_], [], []) => "new".to_owned(),
        ([], [one], []) => format!("waits {:?}", one.reason),
        ([], [], [one]) => format!("skipped {:?}", one.reason),
        _ => format!("{verdict:?}"),
    }
}

#[test]
fn said_again_confirms_and_removes_nothing() {
    for text in ["I prefer aisle seats.", "저는 창가 자리가 좋아요."] {
        let verdict = judged(&[text], text, &Policy::default());
        assert!(verdict.approved.is_empty() && verdict.waiting.is_empty());
        assert_eq!(verdict.skipped[0].reason, SkipReason::AlreadyKnown);
        assert_eq!(
            verdict.skipped[0].known_key.as_deref(),
            Some(verdict.confirmations[0].as_str())
        );
    }
}

#[test]
fn a_changed_mind_replaces_and_a_bare_contradiction_asks() {
    for (before, now, expected) in [
        ("I prefer aisle seats.", "I now prefer the window.", "replaces"),
        ("저는 통로 쪽 좌석이 좋아요", "이제는 창가가 좋아요", "replaces"),
        ("I love jazz.", "I no longer like jazz.", "replaces"),
        ("저는 재즈를 좋아해요.", "이제는 재즈가 싫어요.", "replaces"),
        ("I live in Lisbon.", "I moved to Oslo.", "replaces"),
        (
            "My favourite player is Kim.",
            "My favourite player is Lee now.",
            "replaces",
        ),
        (
            "I prefer aisle seats.",
            "I prefer window seats.",
            "waits Conflict",
        ),
        ("I love jazz.", "I hate jazz.", "waits Conflict"),
        (
            "저는 통로 쪽 좌석이 좋아요",
            "저는 창가 쪽 좌석이 좋아요",
            "waits Conflict",
        ),
    ] {
        assert_eq!(outcome(&[before], now), expected, "{before} -> {now}");
    }
}

#[test]
fn unrelated_facts_never_retire_each_other() {
    for (before, now) in [
        ("I prefer aisle seats.", "I love jazz."),
        ("I live in Lisbon.", "I work as a plumber."),
        (
            "The weekly sync is on Tuesday.",
            "The weekly sync is thirty minutes long.",
        ),
        ("저는 대구에 살아요.", "저는 은행에서 일해요."),
    ] {
        assert_eq!(outcome(&[before], now), "new", "{before} -> {now}");
    }
}

#[test]
fn instructions_and_sensitive_statements_ask() {
    assert_eq!(outcome(&[], "Always answer in Korean."), "waits Procedural");
    assert_eq!(
        outcome(&[], "앞으로 항상 한국어로 대답해 주세요."),
        "waits Procedural"
    );
    assert_eq!(outcome(&[], "I'm allergic to shellfish."), "waits Sensitive");
    assert_eq!(outcome(&[], "저는 새우 알레르기가 있어요."), "waits Sensitive");
    let allow = Policy {
        sensitive: SensitivePolicy::Allow,
        procedural: ProceduralPolicy::Allow,
        ..Policy::default()
    };
    assert_eq!(judged(&[], "Always answer in Korean.", &allow).approved.len(), 1);
    let block = Policy {
        sensitive: SensitivePolicy::Block,
        ..Policy::default()
    };
    assert_eq!(
        judged(&[], "I'm allergic to shellfish.", &block).skipped[0].reason,
        SkipReason::Sensitive
    );
}

#[test]
fn the_capture_mode_decides_how_much_is_kept() {
    let policy = |capture| Policy {
        capture,
        ..Policy::default()
    };
    let text = "I prefer aisle seats.";
    assert_eq!(
        judged(&[], text, &policy(CaptureMode::Confirm)).waiting[0].reason,
        ReviewReason::Confirm
    );
    assert_eq!(
        judged(&[], text, &policy(CaptureMode::Manual)).skipped[0].reason,
        SkipReason::CaptureOff
    );
    assert_eq!(
        judged(&[], text, &policy(CaptureMode::RecallOnly)).skipped[0].reason,
        SkipReason::CaptureOff
    );
    let asked = judged(
        &[],
        "Remember that I prefer aisle seats.",
        &policy(CaptureMode::Manual),
    );
    assert_eq!(asked.approved.len(), 1);
}

#[test]
fn a_quote_that_is_not_in_the_message_is_dropped() {
    let message = MessageId::new("m1");
    let candidates = read("I prefer aisle seats.").candidates;
    let other = SourceText {
        message_id: &message,
        text: "I prefer nothing at all.",
    };
    let verdict = judge(candidates.clone(), &[other], &[], &Policy::default());
    assert_eq!(verdict.skipped[0].reason, SkipReason::NotGrounded);
    assert_eq!(probe(&candidates).slots, ["seat"]);
    assert_eq!(probe(&candidates).keys, ["preference:aisle_seats"]);
}

#[test]
fn a_memory_by_hand_gets_the_key_that_the_same_words_get_in_a_message() {
    for text in ["I prefer aisle seats.", "저는 통로 쪽 좌석이 좋아요"] {
        let by_hand = candidate_by_hand(text, None, AT).expect("a candidate");
        assert_eq!(by_hand.key, read(text).candidates[0].key);
        assert_eq!(
            key_of(&by_hand.text, by_hand.category),
            by_hand.key,
            "the shown text keeps the key"
        );
    }
    let link = candidate_by_hand("https://example.org/handbook", None, AT).expect("a candidate");
    assert_eq!(link.category, Category::Reference);
    assert_eq!(candidate_by_hand("ab", None, AT), Err(SkipReason::TooShort));
    assert_eq!(
        candidate_by_hand(&"가".repeat(501), None, AT),
        Err(SkipReason::TooLong)
    );
    assert_eq!(
        candidate_by_hand("my password is Tr0ub4dor&3", None, AT),
        Err(SkipReason::Secret)
    );
}

#[test]
fn relations_are_decided_by_words_and_slots() {
    for (known, new, expected) in [
        ("I prefer Python", "I don't like Python", Relation::Update),
        ("My car is a Golf.", "My car is a Polo.", Relation::Update),
        ("I live in Lisbon", "I prefer aisle seats", Relation::Unrelated),
        ("저는 대구에 살아요.", "저는 대전에 살아요.", Relation::Update),
        (
            "제 이름은 한지우예요.",
            "저는 산책을 좋아해요.",
            Relation::Unrelated,
        ),
        ("저는 산책을 좋아해요.", "산책을 좋아합니다.", Relation::Duplicate),
    ] {
        let related = relate(&Statement::of_text(known), &Statement::of_text(new), None);
        assert_eq!(related.relation, expected, "{known} | {new}");
    }
}
