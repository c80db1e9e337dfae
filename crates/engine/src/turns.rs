//! Turns: send a message, stop an answer, try again, and take over what a dead process left.

use crate::observer::Observer;
use crate::open::{Answering, Remembering, lock, not_found};
use crate::{Engine, EngineError, EngineResult, ErrorCode, Event, Tag, TurnStarted};
use memory_model::{
    FinalOutput, Message, MessageId, MessageState, Node, Problem, ProblemCode, ThreadId, TurnId, TurnInput,
    TurnState, TurnStatus,
};
use ports::Conversations;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use turn::{OnRetrievalError, Stop, TurnPorts, TurnSettings};

/// Memories recalled for one message at most.
pub(crate) const RECALL_LIMIT: usize = 8;

/// Tokens of a thread in a prompt before its oldest part is summarised. Half of the smallest context that
/// current local models offer (8,192).
const CONTEXT_TOKENS_MAX: u32 = 4_096;

impl Engine {
    /// Keeps the message and answers it in the background; events tell how it goes.
    ///
    /// # Errors
    /// When the message cannot be kept: nothing was written then, and the caller still has the text.
    pub async fn send_message(&self, thread_id: ThreadId, text: String) -> EngineResult<TurnStarted> {
        let input = TurnInput {
            input: text,
            user_id: Some(self.user()),
            thread_id: Some(thread_id.clone()),
        };
        let mut turn = TurnState::new(input, self.inner.runner.id(), self.inner.clock.now());
        let stopped = self.begin_answering(&turn.turn_id, &thread_id)?;
        let next = self
            .advance(&mut turn, Node::PrepareTurn, Stop::AfterMessage, &stopped)
            .await;
        let (Some(next), Some(user_message)) = (next, own_message(&turn)) else {
            self.end_answering(&turn.turn_id);
            return Err(turn
                .problems
                .first()
                .map_or_else(|| not_found("message"), refusal));
        };
        self.changed(&[Tag::Threads, Tag::Messages]);
        let started = TurnStarted {
            turn_id: turn.turn_id.clone(),
            user_message,
        };
        let engine = self.clone();
        self.inner
            .tasks
            .spawn(async move { engine.finish(turn, next, stopped).await });
        Ok(started)
    }

    /// Runs a whole turn and returns its result, which is complete on every road.
    pub async fn run_turn(&self, input: TurnInput) -> FinalOutput {
        let turn = TurnState::new(input, self.inner.runner.id(), self.inner.clock.now());
        let thread_id = turn.thread_id.clone().unwrap_or_else(|| ThreadId::new(""));
        match self.begin_answering(&turn.turn_id, &thread_id) {
            Ok(stopped) => self.finish(turn, Node::PrepareTurn, stopped).await,
            Err(error) => FinalOutput {
                status: TurnStatus::Failed,
                errors: vec![error.to_string()],
                ..FinalOutput::default()
            },
        }
    }

    /// Stops an answer; what was written so far is kept.
    pub fn stop_answer(&self, turn_id: &TurnId) {
        if let Some(answering) = lock(&self.inner.answering).get(turn_id) {
            answering.stopped.cancel();
        }
    }

    /// Tries again what failed in a turn: the answer when it is missing or broken, otherwise what to keep.
    ///
    /// # Errors
    /// `NotFound` for an unknown turn, `TurnRunning` while it or another turn of its thread is being answered.
    pub async fn retry_turn(&self, turn_id: &TurnId) -> EngineResult<()> {
        let found = self.inner.store.turn(&self.user(), turn_id).await?;
        let (mut turn, next) = found.ok_or_else(|| not_found("turn"))?;
        let thread_id = turn.thread_id.clone().ok_or_else(|| not_found("thread"))?;
        let stopped = self.begin_answering(&turn.turn_id, &thread_id)?;
        let from = retry_from(&turn, next);
        turn.runner = self.inner.runner.id().to_owned();
        turn.problems.clear();
        turn.trace.retain(|step| step.node < from);
        turn.status = TurnStatus::Ok;
        let engine = self.clone();
        self.inner
            .tasks
            .spawn(async move { engine.finish(turn, from, stopped).await });
        Ok(())
    }

    /// Takes over turns whose process is gone. Extraction, validation and storing go on by themselves, exactly
    /// once; an answer that was cut off is marked and waits for a person to try again.
    pub(crate) async fn resume_turns(&self) -> EngineResult<()> {
        for unfinished in self.inner.store.unfinished_turns(&self.user()).await? {
            // One turn that cannot go on keeps nobody from the others.
            if let Err(error) = self.resume_turn(&unfinished.state).await {
                tracing::warn!(turn = %unfinished.state.turn_id, %error, "turn not taken over; trying again later");
            }
        }
        Ok(())
    }

    async fn resume_turn(&self, seen: &TurnState) -> EngineResult<()> {
        let Some(lease) = self.inner.runner.take_over(&seen.runner)? else {
            return Ok(());
        };
        // Read again under the lease: another program may have finished it since.
        let current = self.inner.store.turn(&self.user(), &seen.turn_id).await?;
        if let Some((mut turn, Some(next))) = current
            && turn.runner == seen.runner
        {
            turn.runner = self.inner.runner.id().to_owned();
            let stopped = self.inner.closing.child_token();
            if next < Node::ExtractMemoryCandidates {
                // A message that was not yet in its thread is put there; one that was stays there once.
                let next = match next {
                    Node::PrepareTurn => self
                        .advance(&mut turn, next, Stop::AfterMessage, &stopped)
                        .await
                        .unwrap_or(next),
                    next => next,
                };
                self.mark_interrupted(&mut turn, next).await?;
            } else {
                self.remember(&mut turn, next, &stopped).await;
            }
        }
        drop(lease);
        Ok(())
    }

    async fn mark_interrupted(&self, turn: &mut TurnState, next: Node) -> EngineResult<()> {
        if turn.problems.iter().any(|problem| problem.code.is_of_the_model()) {
            return Ok(());
        }
        let (Some(owner), Some(thread_id)) = (turn.user_id.clone(), turn.thread_id.clone()) else {
            return Ok(());
        };
        let messages = self
            .inner
            .store
            .messages(&owner, &thread_id, u32::MAX >> 1)
            .await?;
        if let Some(answer) = messages
            .iter()
            .find(|message| Some(&message.id) == turn.answer_message.as_ref())
        {
            turn.response = answer.text.clone();
            self.inner
                .store
                .update_message(&answer.id, &answer.text, MessageState::Interrupted, None)
                .await?;
        }
        turn.problems.push(Problem {
            code: ProblemCode::ModelFailed,
            node: next,
            message: "The program ended before the answer did.".to_owned(),
        });
        turn.final_output = turn::nodes::finalize::output(turn);
        self.inner.store.checkpoint(turn, next).await?;
        self.changed(&[Tag::Threads, Tag::Messages]);
        Ok(())
    }

    /// The answer first, then what to keep, one turn of a user at a time.
    async fn finish(&self, mut turn: TurnState, from: Node, stopped: CancellationToken) -> FinalOutput {
        let next = match from < Node::ExtractMemoryCandidates {
            true => self.advance(&mut turn, from, Stop::AfterAnswer, &stopped).await,
            false => Some(from),
        };
        self.end_answering(&turn.turn_id);
        if let (Some(_), Some(thread_id)) = (next, turn.thread_id.clone()) {
            let output = turn::nodes::finalize::output(&turn);
            self.publish(Event::Answered {
                thread_id,
                turn_id: turn.turn_id.clone(),
                output,
            });
        }
        match next {
            Some(next) => self.remember(&mut turn, next, &stopped).await,
            None => self.announce_end(&turn),
        }
        turn.final_output
    }

    async fn remember(&self, turn: &mut TurnState, from: Node, stopped: &CancellationToken) {
        let Some(owner) = turn.user_id.clone() else { return };
        let remembering = Arc::clone(lock(&self.inner.remembering).entry(owner).or_default());
        let extracts = from == Node::ExtractMemoryCandidates;
        if extracts {
            lock(&remembering.waiting).push(turn.clone());
        }
        let _turn_of_mine = remembering.one_at_a_time.lock().await;
        let ended = lock(&remembering.ended).remove(&turn.turn_id);
        match ended {
            // A turn that waited with this one ran for both.
            Some(ended) => *turn = ended,
            None if extracts => self.remember_together(turn, &remembering, stopped).await,
            None => {
                self.advance(turn, from, Stop::AtEnd, stopped).await;
            }
        }
        self.announce_end(turn);
    }

    /// One trailing run for every turn of the thread that waits: the newest one reads and judges what all of them
    /// said, and each of them then writes its own part, oldest first, under its own mark. A run that is cut off loses
    /// nothing: each turn still has its checkpoint, and what is written is not read again.
    async fn remember_together(
        &self,
        turn: &mut TurnState,
        remembering: &Remembering,
        stopped: &CancellationToken,
    ) {
        let mut group = remembering.take_group(turn);
        let Some(mut newest) = group.pop() else {
            self.advance(turn, Node::ExtractMemoryCandidates, Stop::AtEnd, stopped)
                .await;
            return;
        };
        if group.is_empty() {
            self.advance(turn, Node::ExtractMemoryCandidates, Stop::AtEnd, stopped)
                .await;
            return;
        }
        self.advance(
            &mut newest,
            Node::ExtractMemoryCandidates,
            Stop::AfterValidation,
            stopped,
        )
        .await;
        if !turn::hand_out(&mut newest, &mut group) {
            // It could not read for the others: everybody reads for themselves.
            self.advance(turn, Node::ExtractMemoryCandidates, Stop::AtEnd, stopped)
                .await;
            return;
        }
        group.push(newest);
        for mut member in group {
            let next = turn::after_validation(&member);
            self.advance(&mut member, next, Stop::AtEnd, stopped).await;
            if member.turn_id == turn.turn_id {
                *turn = member;
            } else {
                lock(&remembering.ended).insert(member.turn_id.clone(), member);
            }
        }
    }

    fn announce_end(&self, turn: &TurnState) {
        let Some(thread_id) = turn.thread_id.clone() else {
            return;
        };
        let output = turn.final_output.clone();
        self.note_problems(&output.problems);
        let mut tags = vec![Tag::Threads, Tag::Messages];
        if !output.stored_updates.is_empty() || !turn.confirmed.is_empty() {
            tags.extend([Tag::Memories, Tag::Health]);
        }
        if !output.review_updates.is_empty() {
            tags.push(Tag::Review);
        }
        self.publish(Event::TurnEnded {
            thread_id,
            turn_id: turn.turn_id.clone(),
            output,
        });
        self.changed(&tags);
    }

    async fn advance(
        &self,
        turn: &mut TurnState,
        from: Node,
        stop: Stop,
        stopped: &CancellationToken,
    ) -> Option<Node> {
        let embedder = self.embedder();
        let settings = self.turn_settings(turn).await;
        let model = self.chat_model();
        let observer = Observer {
            engine: self.clone(),
            stopped: stopped.clone(),
        };
        let ports = TurnPorts {
            conversations: &self.inner.store,
            memory: &self.inner.store,
            vectors: &self.inner.store,
            reviews: &self.inner.store,
            embedder: embedder.as_deref(),
            model: model.as_deref(),
            observer: &observer,
            clock: &*self.inner.clock,
            settings: &settings,
        };
        turn::run(turn, from, stop, &ports).await
    }

    async fn turn_settings(&self, turn: &TurnState) -> TurnSettings {
        let settings = self.settings();
        // What a cosine means depends on the language: this model's Korean vectors are all alike.
        let thresholds = self.thresholds_for(&turn.input);
        let mode = match (&turn.user_id, &turn.thread_id) {
            (Some(owner), Some(thread)) => {
                let thread = self.inner.store.thread(owner, thread).await;
                self.turn_mode(thread.as_ref().map(Option::as_ref).map_err(|_| ()))
            }
            _ => self.turn_mode(Err(())),
        };
        let (recall_off, capture_off) = self.switched_off();
        let mut policy = settings.policy();
        policy.capture = mode.capture;
        TurnSettings {
            mode,
            capture_off,
            recall_off,
            policy,
            on_retrieval_error: if settings.review_on_retrieval_error() {
                OnRetrievalError::Review
            } else {
                OnRetrievalError::Continue
            },
            memory_tokens_max: settings.memory_max_tokens,
            context_tokens_max: CONTEXT_TOKENS_MAX,
            strategy: settings.strategy(),
            rrf_k: settings.rrf_k,
            recall_limit: RECALL_LIMIT,
            similarity_min: thresholds.relevance_floor,
            neighbour_min: thresholds.neighbour,
            duplicate_min: thresholds.duplicate,
        }
    }

    fn begin_answering(&self, turn_id: &TurnId, thread_id: &ThreadId) -> EngineResult<CancellationToken> {
        let mut answering = lock(&self.inner.answering);
        if answering.values().any(|other| other.thread_id == *thread_id) {
            return Err(EngineError::new(
                ErrorCode::TurnRunning,
                "The last message of this thread is still being answered.",
            ));
        }
        let stopped = self.inner.closing.child_token();
        answering.insert(
            turn_id.clone(),
            Answering {
                thread_id: thread_id.clone(),
                stopped: stopped.clone(),
            },
        );
        Ok(stopped)
    }

    fn end_answering(&self, turn_id: &TurnId) {
        lock(&self.inner.answering).remove(turn_id);
    }
}

fn own_message(turn: &TurnState) -> Option<Message> {
    let id: &MessageId = turn.user_message.as_ref()?;
    turn.messages.iter().find(|message| message.id == *id).cloned()
}

/// Where trying again begins. An ended turn starts over at the first node that had a problem; one whose answer
/// failed starts at the search, because memories may have changed.
fn retry_from(turn: &TurnState, next: Option<Node>) -> Node {
    let answer_failed = turn.problems.iter().any(|problem| {
        problem.code.is_of_the_model()
            || matches!(problem.code, ProblemCode::Stopped | ProblemCode::RetrievalFailed)
    });
    match next {
        _ if answer_failed => Node::BuildRetrievalQuery,
        Some(next) if next < Node::ExtractMemoryCandidates => Node::BuildRetrievalQuery,
        _ => Node::ExtractMemoryCandidates,
    }
}

/// The refusal of a message as an error of the use case.
fn refusal(problem: &Problem) -> EngineError {
    let field = |name: &str| EngineError::invalid(name, problem.message.clone());
    match problem.code {
        ProblemCode::InputEmpty | ProblemCode::InputTooLong => field("input"),
        ProblemCode::UserIdMissing => field("user_id"),
        ProblemCode::ThreadIdMissing => field("thread_id"),
        ProblemCode::DiskFull => EngineError::new(ErrorCode::DiskFull, problem.message.clone()),
        ProblemCode::ReadOnly => EngineError::new(ErrorCode::ReadOnly, problem.message.clone()),
        _ => EngineError::new(ErrorCode::Internal, problem.message.clone()),
    }
}
