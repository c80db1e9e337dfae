//! Writes the result and the audit record. The result is complete on every road.

use super::store_problem;
use crate::ports::TurnPorts;
use memory_model::{
    ChangeReason, FinalOutput, MemoryId, Node, ProblemCode, ReviewUpdate, StoredUpdate, TurnState,
    TurnStatus, WriteBatch, WriteOp, WriteStatus,
};

/// Counts what was recalled and what was said again, off the hot path.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    let Some(owner) = turn.user_id.clone() else { return };
    let at = ports.clock.now();
    let recalled: Vec<MemoryId> = turn
        .retrieved_memories
        .iter()
        .filter(|recalled| recalled.in_prompt)
        .map(|recalled| recalled.hit.memory.id.clone())
        .collect();
    if !recalled.is_empty()
        && let Err(error) = ports.memory.count_recalls(&owner, &recalled, at).await
    {
        tracing::warn!(%error, "recalls not counted");
    }
    if turn.confirmed.is_empty() {
        return;
    }
    let ops = turn
        .confirmed
        .iter()
        .map(|id| WriteOp::Confirm {
            id: id.clone(),
            evidence: None,
        })
        .collect();
    let batch = WriteBatch {
        owner,
        reason: ChangeReason::Turn,
        at,
        turn: None,
        ops,
    };
    if let Err(error) = ports.memory.apply(batch).await {
        tracing::warn!(%error, "confirmations not counted");
    }
}

/// Ends the turn: the result is made and kept, whatever happened before.
pub async fn finish(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    turn.final_output = output(turn);
    // A turn that was refused at the border has no thread to be kept in.
    if turn.user_message.is_none() {
        return;
    }
    let output = turn.final_output.clone();
    if let Err(error) = ports.conversations.finish_turn(turn, &output).await {
        turn.problems
            .push(store_problem(Node::Finalize, ProblemCode::StoreFailed, &error));
        turn.final_output = self::output(turn);
    }
}

/// The result as it stands.
pub fn output(turn: &TurnState) -> FinalOutput {
    FinalOutput {
        status: status(turn),
        response: turn.response.clone(),
        retrieved_memories: turn.retrieved_memories.clone(),
        stored_updates: stored(turn),
        skipped_updates: turn.skipped_memory_updates.clone(),
        errors: turn
            .problems
            .iter()
            .map(|problem| problem.message.clone())
            .collect(),
        problems: turn.problems.clone(),
        review_updates: reviews(turn),
        left_out: turn.left_out.clone(),
        answered_by: turn.answered_by.clone(),
        usage: turn.usage,
        change_id: turn.change_id.clone(),
        trace: turn.trace.clone(),
        mode: turn.mode,
    }
}

fn status(turn: &TurnState) -> TurnStatus {
    let nothing_happened =
        turn.response.is_empty() && turn.problems.iter().any(|problem| problem.code.is_of_the_model());
    if nothing_happened {
        TurnStatus::Failed
    } else {
        turn.status
    }
}

fn stored(turn: &TurnState) -> Vec<StoredUpdate> {
    let written = |status| {
        matches!(
            status,
            WriteStatus::Created | WriteStatus::Updated | WriteStatus::Superseded
        )
    };
    turn.memory_write_results
        .iter()
        .zip(&turn.approved_memory_updates)
        .filter(|(result, _)| written(result.status))
        .filter_map(|(result, update)| {
            let memory = result.memory.as_ref()?;
            Some(StoredUpdate {
                namespace: memory.namespace.clone(),
                key: memory.key.clone(),
                value: memory.value.clone(),
                memory_id: memory.id.clone(),
                text: memory.text.clone(),
                category: memory.category,
                polarity: memory.polarity,
                slot: memory.slot.clone(),
                start: update.candidate.evidence.start,
                end: update.candidate.evidence.end,
                replaces: result.replaced.as_ref().map(|old| old.text.clone()),
            })
        })
        .collect()
}

fn reviews(turn: &TurnState) -> Vec<ReviewUpdate> {
    turn.review_ids
        .iter()
        .zip(&turn.waiting)
        .map(|(id, waiting)| ReviewUpdate {
            review_id: id.clone(),
            reason: waiting.reason,
            text: waiting
                .candidate
                .as_ref()
                .map(|candidate| candidate.text.clone())
                .unwrap_or_default(),
        })
        .collect()
}
