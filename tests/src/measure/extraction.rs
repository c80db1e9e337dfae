//! `extraction`: what would be stored or sent to review for each message, and what is skipped.

use super::{Arguments, Measured, cases};
use anyhow::Result;
use extraction::{Policy, SourceMessage, SourceText, extract, judge};
use memory_model::{Candidate, MessageId, Role, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Row {
    id: String,
    lang: String,
    role: String,
    text: String,
    expect: Vec<Value>,
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let rows: Vec<Row> = cases::lines(arguments, "extraction.jsonl")?;
    let mut lines = Vec::new();
    let mut tally = std::collections::BTreeMap::<String, [u32; 4]>::new();
    for row in &rows {
        let (kept, skipped) = read(row);
        let tally = tally.entry(row.lang.clone()).or_default();
        match (row.expect.is_empty(), kept.is_empty()) {
            (false, false) => tally[0] += 1,
            (false, true) => tally[1] += 1,
            (true, false) => tally[2] += 1,
            (true, true) => tally[3] += 1,
        }
        lines.push(json!({ "id": row.id, "candidates": kept, "skipped": skipped }));
    }
    let figures = tally
        .into_iter()
        .map(|(lang, [both, missed, extra, neither])| {
            let counts = json!({
                "expected_and_kept": both,
                "expected_and_missed": missed,
                "unexpected_and_kept": extra,
                "unexpected_and_left": neither,
            });
            (lang, counts)
        })
        .collect();
    Ok(Measured {
        lines,
        figures: Value::Object(figures),
    })
}

fn read(row: &Row) -> (Vec<Value>, Vec<Value>) {
    let id = MessageId::new("m");
    let role = if row.role == "assistant" {
        Role::Assistant
    } else {
        Role::User
    };
    let extracted = extract(&SourceMessage {
        thread_id: None,
        message_id: Some(&id),
        role,
        text: &row.text,
        said_at: Timestamp::from_millis(1_781_000_000_000),
        utc_offset_minutes: 0,
    });
    let sources = [SourceText {
        message_id: &id,
        text: &row.text,
    }];
    let verdict = judge(extracted.candidates, &sources, &[], &Policy::default());
    let stored = verdict.approved.into_iter().map(|update| update.candidate);
    let waiting = verdict
        .waiting
        .into_iter()
        .filter_map(|waiting| waiting.candidate);
    let kept = stored.chain(waiting).map(|candidate| shown(&candidate)).collect();
    let skipped = extracted
        .skipped
        .iter()
        .chain(&verdict.skipped)
        .map(|skipped| json!({ "reason": skipped.reason }));
    (kept, skipped.collect())
}

fn shown(candidate: &Candidate) -> Value {
    json!({
        "category": candidate.category,
        "text": candidate.text,
        "quote": candidate.evidence.quote,
        "polarity": candidate.polarity,
        "key": candidate.key,
    })
}
