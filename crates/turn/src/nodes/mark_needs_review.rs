//! Parks what a person must decide in the review queue, with the reason and both sides of a conflict.

use super::{finalize, store_problem};
use crate::ports::TurnPorts;
use memory_model::{Node, ProblemCode, ReviewId, ReviewItem, ReviewStatus, TurnMark, TurnState, TurnStatus};

/// Fills `review_ids` and ends the turn.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    let (Some(owner), Some(thread_id)) = (turn.user_id.clone(), turn.thread_id.clone()) else {
        return;
    };
    let now = ports.clock.now();
    let Some(user_message) = turn.user_message.clone() else {
        return;
    };
    let items: Vec<ReviewItem> = turn
        .waiting
        .iter()
        .map(|waiting| {
            let evidence = waiting.candidate.as_ref().map(|candidate| &candidate.evidence);
            let message = evidence
                .and_then(|evidence| evidence.message_id.clone())
                .unwrap_or_else(|| user_message.clone());
            let key = waiting
                .candidate
                .as_ref()
                .map_or("", |candidate| candidate.key.as_str());
            ReviewItem {
                id: ReviewId::of_candidate(&message, evidence.map_or(0, |evidence| evidence.start), key),
                owner: owner.clone(),
                waiting: waiting.clone(),
                source: None,
                turn_id: Some(turn.turn_id.clone()),
                thread_id: Some(thread_id.clone()),
                message_id: Some(message),
                created_at: now,
                status: ReviewStatus::Pending,
                decision: None,
                decided_at: None,
                change_id: None,
            }
        })
        .collect();
    let ids = items.iter().map(|item| item.id.clone()).collect();
    let mark = TurnMark {
        turn_id: turn.turn_id.clone(),
        thread_id,
        cursor: turn.cursor,
    };
    match ports.reviews.park(items, Some(&mark)).await {
        Ok(()) => {
            turn.review_ids = ids;
            turn.status = TurnStatus::NeedsReview;
        }
        Err(error) => {
            turn.problems.push(store_problem(
                Node::MarkNeedsReview,
                ProblemCode::StoreFailed,
                &error,
            ));
            turn.cursor = 0;
        }
    }
    finalize::run(turn, ports).await;
}
