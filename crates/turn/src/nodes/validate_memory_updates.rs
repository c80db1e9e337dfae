//! Judges the candidates: fetches what is known about all of them at once, then lets a pure function decide.

use super::extract_memory_candidates::new_messages;
use super::store_problem;
use crate::ports::TurnPorts;
use extraction::{Closeness, Known, Near, SourceText};
use memory_model::{Candidate, MemoryFilter, MemoryId, Node, ProblemCode, TurnState, UserId};
use ports::{EmbedPurpose, StoreResult};
use std::collections::HashMap;

/// Near neighbours that are looked at for each candidate.
const NEIGHBOURS: u32 = 4;

/// Fills `approved_memory_updates`, `waiting`, `confirmed`, and adds to `skipped_memory_updates`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    turn.approved_memory_updates.clear();
    turn.waiting.clear();
    turn.confirmed.clear();
    let Some(owner) = turn.user_id.clone() else { return };
    if turn.memory_candidates.is_empty() {
        return;
    }
    let gathered = async {
        Ok((
            new_messages(turn, ports).await?,
            known(&owner, &turn.memory_candidates, ports).await?,
        ))
    };
    let (messages, known) = match gathered.await {
        Ok(gathered) => gathered,
        Err(error) => {
            turn.problems.push(store_problem(
                Node::ValidateMemoryUpdates,
                ProblemCode::ValidationFailed,
                &error,
            ));
            // The cursor stays where it is: the same words are read again when the turn is tried again.
            turn.cursor = 0;
            return;
        }
    };
    let sources: Vec<SourceText<'_>> = messages
        .iter()
        .map(|message| SourceText {
            message_id: &message.id,
            text: &message.text,
        })
        .collect();
    let verdict = extraction::judge(
        turn.memory_candidates.clone(),
        &sources,
        &known,
        &ports.settings.policy,
    );
    turn.approved_memory_updates = verdict.approved;
    turn.waiting = verdict.waiting;
    turn.confirmed = verdict.confirmations;
    turn.skipped_memory_updates.extend(verdict.skipped);
}

/// Active memories with the same key or slot, and the near neighbours, each with its likeness where it is known.
pub(crate) async fn known(
    owner: &UserId,
    candidates: &[Candidate],
    ports: &TurnPorts<'_>,
) -> StoreResult<Vec<Known>> {
    let probe = extraction::probe(candidates);
    let mut likeness = near_neighbours(owner, candidates, ports).await?;
    let same = ports.memory.known(owner, &probe.keys, &probe.slots).await?;
    let mut known: Vec<Known> = same
        .into_iter()
        .map(|memory| Known {
            near: likeness.remove(&memory.id).unwrap_or_default(),
            memory,
        })
        .collect();
    let near: Vec<MemoryId> = likeness.keys().cloned().collect();
    if !near.is_empty() {
        let near = ports.memory.get_many(owner, &near).await?;
        known.extend(near.into_iter().map(|memory| Known {
            near: likeness.remove(&memory.id).unwrap_or_default(),
            memory,
        }));
    }
    Ok(known)
}

/// Near neighbours of the candidates, each with its cosines. Without a model there are none: keys and slots decide.
async fn near_neighbours(
    owner: &UserId,
    candidates: &[Candidate],
    ports: &TurnPorts<'_>,
) -> StoreResult<HashMap<MemoryId, Vec<Near>>> {
    let mut near: HashMap<MemoryId, Vec<Near>> = HashMap::new();
    let Some(embedder) = ports.embedder else {
        return Ok(near);
    };
    let texts: Vec<String> = candidates
        .iter()
        .map(|candidate| candidate.text.clone())
        .collect();
    // A model that fails here has said so at retrieval; keys and slots still decide.
    let Ok(vectors) = embedder.embed(&texts, EmbedPurpose::Passage).await else {
        return Ok(near);
    };
    let filter = MemoryFilter::active(owner.clone());
    let settings = &ports.settings;
    for (candidate, vector) in vectors.iter().enumerate() {
        for hit in ports
            .vectors
            .search(embedder.space(), &filter, vector, NEIGHBOURS)
            .await?
        {
            if hit.similarity >= settings.neighbour_min {
                near.entry(hit.id).or_default().push(Near {
                    candidate,
                    likeness: hit.similarity,
                    closeness: Closeness::of(hit.similarity, settings.neighbour_min, settings.duplicate_min),
                });
            }
        }
    }
    Ok(near)
}
