//! A first set of rules for keys, tokens and passwords. The value itself is never returned, logged or kept.
//!
//! Token prefixes and lengths are those that the vendors document. Boundaries are ASCII boundaries, because a
//! Korean particle may follow a token without a space.

use crate::rules::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A secret in a text: which rule found it and where. Never what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFound {
    /// The name of the rule.
    pub rule: &'static str,
    /// First character (Unicode scalar values).
    pub start: usize,
    /// The character after the last.
    pub end: usize,
}

/// Name and expression of each rule; the group `v` is the value.
const RULES: [(&str, &str); 15] = [
    (
        "github token",
        r"(?P<v>(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}))",
    ),
    ("gitlab token", r"(?P<v>glpat-[A-Za-z0-9_-]{20,})"),
    ("aws access key", r"(?P<v>(?:AKIA|ASIA)[A-Z0-9]{16})"),
    ("slack token", r"(?P<v>xox[abeoprs]-[A-Za-z0-9-]{10,})"),
    ("google api key", r"(?P<v>AIza[A-Za-z0-9_-]{35})"),
    (
        "model provider key",
        r"(?P<v>sk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{30,}|sk_(?:live|test)_[A-Za-z0-9]{16,})",
    ),
    ("private key", r"(?P<v>-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----)"),
    (
        "json web token",
        r"(?P<v>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    ),
    (
        "password in an address",
        r"[a-z][a-z0-9+.-]*://[^\s:/@]+:(?P<v>[^\s:/@]{3,})@",
    ),
    (
        "assignment",
        r#"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth)[a-z0-9_-]*["']?\s*(?:=|:=|:)\s*["']?(?P<v>[^\s"',;]{6,})"#,
    ),
    (
        "password in a sentence",
        r#"(?i)\b(?:password|passcode|passphrase|pin(?: code| number)?|recovery code|api key|secret key|access token)(?: (?:for|of|to) [^.!?\n]{1,40}?)? (?:is|was|are|=|:) ?["'`]?(?P<v>[^\s"'`]*(?:[0-9]|[^A-Za-z\s"'`.,])[^\s"'`]*)"#,
    ),
    (
        "word that is a password",
        r#"(?i)\bmy (?:[a-z]+ ){0,2}(?:password|passcode|passphrase)(?: (?:for|of|to) [^.!?\n]{1,40}?)? (?:is|was) (?:still |now )?["'`]?(?P<v>(?:[a-z]{7,}|[a-z]+(?:[- ][a-z]+){3,}))["'`]?(?:[.,!;]|$)"#,
    ),
    (
        "password in use",
        r#"(?i)\b(?:password|passcode|passphrase|pin) ["'`]?(?P<v>[^\s"'`]*[0-9][^\s"'`]*)"#,
    ),
    (
        "code of a lock",
        r#"(?i)\b(?:door|gate|alarm|entry|safe|locker|lock)(?:'s)? (?:code|combination|pin)(?: (?:for|of|to) [^.!?\n]{1,40}?)? (?:is|was|=|:) ?["'`]?(?P<v>[#*]?[0-9][0-9 #*-]{2,})"#,
    ),
    (
        "password in a Korean sentence",
        r#"(?:비밀번호|비번|패스워드|암호|핀 ?번호|인증 ?번호|복구 ?코드|api ?키|토큰|시크릿)(?:은|는|이|가)? ?[:=]? ?["'`]?(?P<v>[A-Za-z0-9!-/:-@\[-_{-~]{4,})"#,
    ),
];

static READY: LazyLock<Vec<(&'static str, Regex)>> =
    LazyLock::new(|| RULES.iter().map(|(name, rule)| (*name, pattern(rule))).collect());

/// The first secret in a text.
pub fn find_secret(text: &str) -> Option<SecretFound> {
    READY
        .iter()
        .filter_map(|(rule, regex)| {
            let value = regex.captures(text)?.name("v")?;
            let start = crate::rules::chars_before(text, value.start());
            Some(SecretFound {
                rule,
                start,
                end: start + value.as_str().chars().count(),
            })
        })
        .min_by_key(|found| found.start)
}

/// Where the secrets of a message are, in characters.
pub(crate) fn spans(chars: &[char]) -> Vec<Range<usize>> {
    let text: String = chars.iter().collect();
    let mut spans = Vec::new();
    for (_, regex) in READY.iter() {
        for found in regex.captures_iter(&text) {
            if let Some(value) = found.name("v") {
                let start = crate::rules::chars_before(&text, value.start());
                spans.push(start..start + value.as_str().chars().count());
            }
        }
    }
    spans
}
