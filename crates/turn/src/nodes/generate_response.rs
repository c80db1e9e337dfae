//! Streams the answer. What was streamed is kept at short intervals, so that a crash loses at most one of them.

use super::store_problem;
use crate::ports::{TurnPorts, TurnSettings};
use async_trait::async_trait;
use futures::future::{Either, select};
use memory_model::{
    AnsweredBy, Language, MessageId, MessageState, Node, Problem, ProblemCode, RetrievedMemory, Role,
    TokenUsage, TurnState,
};
use ports::{AnswerSink, ChatError, ChatModel, NewMessage, StoreError};
use std::time::{Duration, Instant};

/// How often a streaming answer is written to disk.
const SAVE_EVERY: Duration = Duration::from_millis(400);

/// Bytes of an answer that are kept. A model that does not stop is stopped here.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// Fills `response`, `answered_by` and the citations; the answer is final afterwards.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    let (Some(owner), Some(thread_id), Some(id)) =
        (&turn.user_id, &turn.thread_id, turn.answer_message.clone())
    else {
        return;
    };
    let message = NewMessage {
        id: id.clone(),
        thread_id: thread_id.clone(),
        owner: owner.clone(),
        role: Role::Assistant,
        text: String::new(),
        at: ports.clock.now(),
        state: MessageState::Streaming,
        turn_id: Some(turn.turn_id.clone()),
    };
    let mut saved = ports.conversations.append_message(message).await.map(|_| ());
    let Said {
        text,
        by,
        ended,
        save_error,
    } = match ports.model {
        Some(model) => ask(turn, ports, &id, model).await,
        None => say_what_is_known(turn, ports, &id).await,
    };
    if let Some(error) = save_error {
        saved = Err(error);
    }
    let state = match &ended {
        Ok(_) => MessageState::Complete,
        Err(ChatError::Stopped) => MessageState::Stopped,
        Err(_) => MessageState::Interrupted,
    };
    saved = ports
        .conversations
        .update_message(&id, &text, state, Some(&by))
        .await
        .and(saved);
    turn.answered_by = Some(by);
    cite(&text, &mut turn.retrieved_memories);
    turn.response = text;
    match ended {
        Ok(usage) => turn.usage = usage,
        Err(error) => turn.problems.push(Problem {
            code: problem_code(&error),
            node: Node::GenerateResponse,
            message: error.to_string(),
        }),
    }
    if let Err(error) = saved {
        turn.problems.push(store_problem(
            Node::GenerateResponse,
            ProblemCode::StoreFailed,
            &error,
        ));
    }
}

/// What became of an answer.
struct Said {
    text: String,
    by: AnsweredBy,
    ended: Result<TokenUsage, ChatError>,
    save_error: Option<StoreError>,
}

/// Asks the model. A prompt that turns out to be too long is shortened once to half of its messages.
async fn ask(turn: &mut TurnState, ports: &TurnPorts<'_>, id: &MessageId, model: &dyn ChatModel) -> Said {
    let first = ask_once(turn, ports, id, model).await;
    if !matches!(first.ended, Err(ChatError::ContextFull { .. })) || !first.text.is_empty() {
        return first;
    }
    let shorter = TurnSettings {
        context_tokens_max: turn.prompt_context.tokens / 2,
        ..ports.settings.clone()
    };
    let ports = TurnPorts {
        settings: &shorter,
        ..*ports
    };
    super::compact_short_term_memory::run(turn, &ports).await;
    super::build_prompt_context::run(turn, ports.settings);
    ask_once(turn, &ports, id, model).await
}

/// One call. A stop ends it at once, also while the model is silent.
async fn ask_once(turn: &TurnState, ports: &TurnPorts<'_>, id: &MessageId, model: &dyn ChatModel) -> Said {
    let mut answer = Answer::new(turn, ports, id);
    let ended = {
        let asked = model.answer(&turn.prompt_context, &mut answer);
        match select(asked, ports.observer.until_stopped()).await {
            Either::Left((ended, _)) => ended,
            Either::Right(((), _)) => Err(ChatError::Stopped),
        }
    };
    let by = AnsweredBy::Model {
        name: model.name().to_owned(),
    };
    answer.ended(by, ended)
}

/// Answers from memory, where there is no model.
async fn say_what_is_known(turn: &TurnState, ports: &TurnPorts<'_>, id: &MessageId) -> Said {
    let mut answer = Answer::new(turn, ports, id);
    let ended = answer_from_memory(turn, &mut answer).await;
    answer.ended(AnsweredBy::Memory, ended.map(|()| TokenUsage::default()))
}

/// What a screen says about a call that failed.
fn problem_code(error: &ChatError) -> ProblemCode {
    match error {
        ChatError::Stopped => ProblemCode::Stopped,
        ChatError::KeyMissing { .. } | ChatError::KeyRefused { .. } => ProblemCode::ModelKey,
        ChatError::RateLimited { .. } | ChatError::Overloaded { .. } => ProblemCode::ModelBusy,
        ChatError::Unreachable { .. } | ChatError::TimedOut { .. } => ProblemCode::ModelUnreachable,
        ChatError::ContextFull { .. } => ProblemCode::ModelContextFull,
        ChatError::ModelUnknown { .. }
        | ChatError::BrokeOff { .. }
        | ChatError::Empty { .. }
        | ChatError::BadAnswer { .. }
        | ChatError::Failed { .. } => ProblemCode::ModelFailed,
    }
}

/// An answer that is being written.
struct Answer<'a> {
    turn: &'a TurnState,
    ports: &'a TurnPorts<'a>,
    id: &'a MessageId,
    text: String,
    saved_at: Instant,
    save_error: Option<StoreError>,
}

impl<'a> Answer<'a> {
    fn new(turn: &'a TurnState, ports: &'a TurnPorts<'a>, id: &'a MessageId) -> Self {
        Self {
            turn,
            ports,
            id,
            text: String::new(),
            saved_at: Instant::now(),
            save_error: None,
        }
    }

    fn ended(self, by: AnsweredBy, ended: Result<TokenUsage, ChatError>) -> Said {
        Said {
            text: self.text,
            by,
            ended,
            save_error: self.save_error,
        }
    }
}

#[async_trait]
impl AnswerSink for Answer<'_> {
    async fn push(&mut self, piece: &str) -> bool {
        if self.ports.observer.stopped() || self.text.len() + piece.len() > ANSWER_BYTES_MAX {
            return false;
        }
        self.text.push_str(piece);
        self.ports.observer.piece(self.turn, self.id, piece);
        if self.saved_at.elapsed() >= SAVE_EVERY {
            let saved = self
                .ports
                .conversations
                .update_message(self.id, &self.text, MessageState::Streaming, None)
                .await;
            self.save_error = saved.err();
            self.saved_at = Instant::now();
        }
        true
    }
}

/// Without a model the memory answers: what is known about the message, each with its number.
async fn answer_from_memory(turn: &TurnState, sink: &mut dyn AnswerSink) -> Result<(), ChatError> {
    for piece in offline_answer(turn) {
        if !sink.push(&piece).await {
            return Err(ChatError::Stopped);
        }
    }
    Ok(())
}

fn offline_answer(turn: &TurnState) -> Vec<String> {
    let used: Vec<&RetrievedMemory> = turn
        .retrieved_memories
        .iter()
        .filter(|recalled| recalled.in_prompt)
        .collect();
    let searched = !turn
        .problems
        .iter()
        .any(|problem| problem.code == ProblemCode::RetrievalFailed);
    let opening = match (turn.language, used.is_empty(), searched) {
        (Language::En, false, _) => "Here is what I know about this:\n",
        (Language::Ko, false, _) => "이것과 관련해 기억하는 내용이에요:\n",
        (Language::En, true, true) => "Nothing I remember fits this yet.",
        (Language::Ko, true, true) => "아직 이 이야기와 맞는 기억이 없어요.",
        (Language::En, true, false) => "Memories could not be searched, so this answer does not use them.",
        (Language::Ko, true, false) => "기억을 찾지 못해서 이번 답변에는 쓰지 않았어요.",
    };
    let mut pieces = vec![opening.to_owned()];
    pieces.extend(used.iter().filter_map(|recalled| {
        let number = recalled.number?;
        Some(format!("\n- {} [{number}]", as_plain(&recalled.hit.memory.text)))
    }));
    pieces
}

/// Memory text as Markdown that shows it as it is: data is never markup.
fn as_plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '!') {
            plain.push('\\');
        }
        plain.push(if c.is_control() { ' ' } else { c });
    }
    plain
}

/// Says of each memory in the prompt whether the answer names its number, as in `[1]`.
fn cite(answer: &str, memories: &mut [RetrievedMemory]) {
    for recalled in memories {
        recalled.cited = recalled
            .number
            .filter(|number| answer.contains(&format!("[{number}]")));
    }
}
