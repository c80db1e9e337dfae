//! Output: text for people, JSON for programs.

#![expect(clippy::print_stderr, reason = "the command line prints")]

use crate::words::Words;
use engine::{EngineError, EraseReceipt, ErasedCount, MemoryRow};
use memory_model::{FinalOutput, Memory, ReviewItem};
use std::io::Write;

/// One JSON value on a line of its own.
pub(crate) fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => line(&text),
        Err(error) => error_line(&error.to_string()),
    }
}

/// A line. A reader that went away ends the program quietly, as `| head` expects.
pub(crate) fn line(text: &str) {
    if writeln!(std::io::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// A part of a line, shown at once.
pub(crate) fn piece(text: &str) {
    let mut out = std::io::stdout();
    if write!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

pub(crate) fn error_line(text: &str) {
    eprintln!("{text}");
}

/// What happened and what to do next.
pub(crate) fn failure(error: &EngineError, as_json: bool, words: Words) {
    if as_json {
        json(&serde_json::json!({ "error": error }));
    }
    error_line(&format!("{} {}", error.message, words.next_step(error.code)));
}

/// One memory in a list.
pub(crate) fn row(row: &MemoryRow) {
    let memory = &row.memory;
    let pin = if memory.pinned { " *" } else { "" };
    line(&format!(
        "{}  {:<11} {}{pin}",
        short(memory.id.as_str()),
        memory.category.name(),
        shown(&memory.text)
    ));
}

/// The first characters of an id; enough to name it in a personal store, and `show` takes them.
pub(crate) fn short(id: &str) -> String {
    // The start of a UUIDv7 is its time; its random end tells ids of one moment apart.
    let end: String = id.chars().rev().take(8).collect();
    end.chars().rev().collect()
}

/// Text on one line, without control characters that would move the cursor.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

pub(crate) fn memory(memory: &Memory, words: Words) {
    line(&shown(&memory.text));
    line(&format!("  {}  {}", memory.id, memory.key));
    if let Some(evidence) = &memory.evidence {
        line(&format!(
            "  {} “{}”",
            words.pick("said:", "한 말:"),
            shown(&evidence.quote)
        ));
    }
}

/// What a turn kept, parked and left out.
pub(crate) fn outcome(output: &FinalOutput, words: Words) {
    for stored in &output.stored_updates {
        line(&format!(
            "✓ {} {}",
            words.pick("Saved:", "저장함:"),
            shown(&stored.text)
        ));
    }
    for review in &output.review_updates {
        line(&format!(
            "? {} {} ({})",
            words.pick("Waiting for review:", "검토를 기다려요:"),
            shown(&review.text),
            words.waits(review.reason)
        ));
    }
    for skipped in &output.skipped_updates {
        line(&format!(
            "- {} {} ({})",
            words.pick("Skipped:", "건너뜀:"),
            shown(&skipped.candidate),
            words.skipped(skipped.reason)
        ));
    }
    for error in &output.errors {
        error_line(&format!("! {error}"));
    }
}

pub(crate) fn review_item(item: &ReviewItem, words: Words) {
    let text = item
        .waiting
        .candidate
        .as_ref()
        .map(|candidate| shown(&candidate.text))
        .unwrap_or_default();
    line(&format!(
        "{}  {}  {text}",
        short(item.id.as_str()),
        words.waits(item.waiting.reason)
    ));
    if let Some(existing) = &item.waiting.existing {
        line(&format!(
            "          {} {}",
            words.pick("remembered now:", "지금 기억:"),
            shown(&existing.text)
        ));
    }
}

/// What was removed where, or would be.
pub(crate) fn receipt(receipt: &EraseReceipt, as_json: bool, words: Words) {
    if as_json {
        json(receipt);
        return;
    }
    line(if receipt.done {
        words.pick("Erased for good:", "완전히 지웠어요:")
    } else {
        words.pick("This would be erased for good:", "완전히 지워질 것:")
    });
    let places = |counts: &[ErasedCount]| {
        for held in counts.iter().filter(|held| held.count > 0) {
            line(&format!("  {:>5}  {}", held.count, words.place(held.place)));
        }
    };
    places(&receipt.removed);
    if receipt.remains.iter().any(|held| held.count > 0) {
        line(words.pick(
            "The words stay in conversations (--words blackens them):",
            "대화에는 말이 남아 있어요(--words를 쓰면 가려요):",
        ));
        places(&receipt.remains);
    }
}
