//! Summarises the oldest messages when the thread is over budget. The newest message is never dropped.

use super::store_problem;
use crate::ports::TurnPorts;
use memory_model::{Message, Node, Problem, ProblemCode, Role, TurnState, cut_chars};
use ports::ChatModel;
use recall::budget::{cut_to_tokens, estimate_tokens};

/// Words of a summary that a model is asked for.
const SUMMARY_WORDS_MAX: usize = 200;

/// Messages that stay as they are at most. A turn looks at the last 200 of a thread: older ones must be in the summary
/// before they fall out of that window, also where all of them are short.
const MESSAGES_KEPT: usize = 150;

/// Share of the context budget that a summary may take, as a divisor.
const SUMMARY_SHARE: u32 = 8;

/// Characters kept of each message in a summary without a model.
const LINE_CHARS_MAX: usize = 160;

/// Leaves in `messages` what fits, and puts the rest into `short_term_summary`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    let (Some(owner), Some(thread)) = (turn.user_id.clone(), turn.thread_id.clone()) else {
        return;
    };
    let saved = match ports.conversations.summary(&owner, &thread).await {
        Ok(saved) => saved,
        Err(error) => {
            turn.problems.push(store_problem(
                Node::CompactShortTermMemory,
                ProblemCode::StoreFailed,
                &error,
            ));
            None
        }
    };
    // Only a model has seen earlier prompts.
    if ports.model.is_some() {
        match ports.conversations.memory_blocks(&owner, &thread).await {
            Ok(blocks) => turn.memory_blocks = blocks,
            Err(error) => turn.problems.push(store_problem(
                Node::CompactShortTermMemory,
                ProblemCode::StoreFailed,
                &error,
            )),
        }
    }
    let (summary, up_to) = saved.unwrap_or_default();
    turn.short_term_summary = summary;
    turn.messages.retain(|message| message.seq > up_to);
    let keep_from = first_that_fits(turn, ports.settings.context_tokens_max);
    if keep_from == 0 {
        return;
    }
    let oldest: Vec<Message> = turn.messages.drain(..keep_from).collect();
    let text = transcript(&turn.short_term_summary, &oldest);
    let tokens_max = ports.settings.context_tokens_max / SUMMARY_SHARE;
    turn.short_term_summary = summarise(turn, &text, tokens_max, ports.model).await;
    let Some(last) = oldest.last() else { return };
    if let Err(error) = ports
        .conversations
        .save_summary(&owner, &thread, &turn.short_term_summary, last.seq)
        .await
    {
        turn.problems.push(store_problem(
            Node::CompactShortTermMemory,
            ProblemCode::StoreFailed,
            &error,
        ));
    }
}

/// Index of the first message that stays: as many of the newest as fit, and always the last one.
fn first_that_fits(turn: &TurnState, tokens_max: u32) -> usize {
    let messages = &turn.messages;
    let mut tokens = 0_u32;
    let mut first = messages.len().saturating_sub(1);
    for (index, message) in messages.iter().enumerate().rev() {
        let block = turn.memory_blocks.get(&message.id).map_or("", String::as_str);
        tokens = tokens
            .saturating_add(estimate_tokens(&message.text))
            .saturating_add(estimate_tokens(block));
        if tokens > tokens_max || messages.len() - index > MESSAGES_KEPT {
            break;
        }
        first = index;
    }
    first
}

async fn summarise(
    turn: &mut TurnState,
    text: &str,
    tokens_max: u32,
    model: Option<&dyn ChatModel>,
) -> String {
    if let Some(model) = model {
        match model.summarise(text, SUMMARY_WORDS_MAX).await {
            Ok(summary) if !summary.trim().is_empty() => return cut_to_tokens(&summary, tokens_max),
            Ok(_) => {}
            Err(error) => turn.problems.push(Problem {
                code: ProblemCode::ModelFailed,
                node: Node::CompactShortTermMemory,
                message: error.to_string(),
            }),
        }
    }
    newest_lines(text, tokens_max)
}

/// Without a model a summary is the newest lines that fit: what was said last is asked about most.
fn newest_lines(text: &str, tokens_max: u32) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut tokens = 0;
    for line in text.lines().rev() {
        tokens += estimate_tokens(line) + 1;
        if tokens > tokens_max {
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}

fn transcript(summary: &str, messages: &[Message]) -> String {
    let mut lines: Vec<String> = summary.lines().map(str::to_owned).collect();
    for message in messages {
        let who = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let said = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(format!("{who}: {}", cut_chars(&said, LINE_CHARS_MAX)));
    }
    lines.join("\n")
}
