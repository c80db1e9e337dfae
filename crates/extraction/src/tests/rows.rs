//! Every row of every table does what its own sentence says.

use crate::{english, gates, injection, keys, korean, secret, sensitive};
use memory_model::Language;

fn folded(text: &str) -> String {
    text.to_lowercase().trim_end_matches(['.', '!']).to_owned()
}

#[test]
fn each_rule_matches_its_own_sentence_and_no_earlier_rule_does() {
    let mut wrong = Vec::new();
    for rule in english::tables().chain(korean::tables()) {
        let found = keys::read(&folded(rule.says)).map(|found| (found.rule.name, found.rule.polarity));
        if found != Some((rule.name, rule.polarity)) {
            wrong.push(format!("{} ({}): {found:?}", rule.says, rule.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_gate_turns_its_own_sentence_away() {
    let mut wrong = Vec::new();
    for (language, table) in [
        (Language::En, english::gates::ENGLISH_GATES),
        (Language::Ko, korean::gates::KOREAN_GATES),
    ] {
        for gate in table {
            let found = gates::turned_away(&gate.says.to_lowercase(), language).map(|gate| gate.reason);
            if found != Some(gate.reason) {
                wrong.push(format!("{}: {found:?} instead of {:?}", gate.says, gate.reason));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_sign_of_injection_and_each_sensitive_kind_is_seen() {
    for (sign, says) in injection::SIGNS {
        assert!(injection::suspected(&says.to_lowercase()), "{sign}");
    }
    for (kind, _, says) in sensitive::KINDS {
        assert!(sensitive::kinds(says).any(|found| found == kind), "{says}");
    }
    for harmless in [
        "I prefer aisle seats.",
        "우리 팀은 아침에 회의해요.",
        "Ignore case when sorting, please.",
    ] {
        assert!(!injection::suspected(&harmless.to_lowercase()), "{harmless}");
        assert_eq!(sensitive::kinds(harmless).next(), None, "{harmless}");
    }
}

#[test]
fn secrets_are_found_where_they_stand_also_with_a_particle_glued_on() {
    let token = format!("gh{}_{}", 'p', "a1B2c3D4e5".repeat(3));
    for text in [format!("use {token} for it"), format!("토큰은 {token}입니다")] {
        let found = secret::find_secret(&text).expect("a token");
        let chars: Vec<char> = text.chars().collect();
        let value: String = chars[found.start..found.end].iter().collect();
        assert!(value.starts_with(&token), "{}: {value}", found.rule);
    }
    let key = format!("{}IA{}", "AK", "Q2W3E4R5T6Y7U8I9");
    for text in [
        format!("export AWS_ACCESS_KEY_ID={key}"),
        "my password is Tr0ub4dor&3".to_owned(),
        "와이파이 비밀번호는 moonlight77이에요".to_owned(),
        "postgres://kim:s3cretpw@db.example/app".to_owned(),
    ] {
        assert!(secret::find_secret(&text).is_some(), "{text}");
    }
    for text in [
        "I forgot my password again",
        "비밀번호를 잊어버렸어요",
        "The token budget is large",
    ] {
        assert_eq!(secret::find_secret(text), None, "{text}");
    }
}
