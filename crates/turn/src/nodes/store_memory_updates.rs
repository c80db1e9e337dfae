//! Writes approved items under their deterministic namespace and key. A failure keeps the answer and is said.

use super::store_problem;
use crate::ports::TurnPorts;
use memory_model::{
    ApprovedUpdate, ChangeReason, Namespace, NewMemory, Node, Origin, Problem, ProblemCode, ReviewReason,
    SkipReason, Skipped, TurnMark, TurnState, UserId, Waiting, WriteBatch, WriteOp, WriteResult, WriteStatus,
};

/// Fills `memory_write_results` and `change_id`; what lost a race goes to `waiting` or `skipped_memory_updates`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    let (Some(owner), Some(thread_id)) = (turn.user_id.clone(), turn.thread_id.clone()) else {
        return;
    };
    let ops = turn
        .approved_memory_updates
        .iter()
        .map(|update| write_of(&owner, update))
        .collect();
    let batch = WriteBatch {
        owner,
        reason: ChangeReason::Turn,
        at: ports.clock.now(),
        turn: Some(TurnMark {
            turn_id: turn.turn_id.clone(),
            thread_id,
            cursor: turn.cursor,
        }),
        ops,
    };
    match ports.memory.apply(batch).await {
        Ok(written) => {
            turn.change_id = written.change_id;
            turn.memory_write_results = written.results;
            settle(turn);
        }
        Err(error) => {
            turn.problems.push(store_problem(
                Node::StoreMemoryUpdates,
                ProblemCode::StoreFailed,
                &error,
            ));
            // Nothing was written; the cursor stays, and trying again reads the same words.
            turn.cursor = 0;
        }
    }
}

fn write_of(owner: &UserId, update: &ApprovedUpdate) -> WriteOp {
    let memory = new_memory(owner, update);
    match &update.replaces {
        Some(old) => WriteOp::Supersede {
            old: old.id.clone(),
            expected_version: old.version,
            memory,
        },
        None => WriteOp::Create { memory },
    }
}

/// The memory that a candidate becomes.
pub fn new_memory(owner: &UserId, update: &ApprovedUpdate) -> NewMemory {
    let candidate = update.candidate.clone();
    let valid_from = extraction::holds_since(&candidate);
    NewMemory {
        owner: owner.clone(),
        namespace: Namespace::personal(owner, candidate.category),
        key: candidate.key,
        category: candidate.category,
        text: candidate.text,
        value: candidate.value,
        polarity: candidate.polarity,
        subject: candidate.subject,
        slot: candidate.slot,
        language: candidate.language,
        evidence: Some(candidate.evidence),
        source: Origin::User,
        source_id: None,
        trust: Origin::User,
        confidence: candidate.confidence,
        valid_from,
    }
}

/// What lost a race against another writer: the same words are already known, other words are a conflict that a
/// person decides. A write that failed by itself is a problem.
fn settle(turn: &mut TurnState) {
    for (update, result) in turn
        .approved_memory_updates
        .iter()
        .zip(&turn.memory_write_results)
    {
        match result.status {
            WriteStatus::AlreadyExists | WriteStatus::VersionConflict if says_the_same(update, result) => {
                let mut skipped = Skipped::new(&update.candidate.evidence.quote, SkipReason::AlreadyKnown);
                skipped.known_key = Some(result.key.clone());
                turn.skipped_memory_updates.push(skipped);
            }
            WriteStatus::AlreadyExists | WriteStatus::VersionConflict | WriteStatus::NotFound => {
                turn.waiting.push(Waiting {
                    reason: ReviewReason::Conflict,
                    candidate: Some(update.candidate.clone()),
                    existing: result.memory.clone(),
                    likeness: None,
                });
            }
            WriteStatus::Failed => turn.problems.push(Problem {
                code: ProblemCode::StoreFailed,
                node: Node::StoreMemoryUpdates,
                message: result
                    .error
                    .clone()
                    .unwrap_or_else(|| "A memory could not be written.".to_owned()),
            }),
            WriteStatus::Created
            | WriteStatus::Updated
            | WriteStatus::Superseded
            | WriteStatus::Confirmed => {}
        }
    }
}

fn says_the_same(update: &ApprovedUpdate, result: &WriteResult) -> bool {
    result.memory.as_ref().is_some_and(|memory| {
        memory.text == update.candidate.text && memory.polarity == update.candidate.polarity
    })
}
