//! `reverie review`.

use super::memory::matches;
use crate::arguments::Review;
use crate::words::Words;
use crate::{Ended, print};
use engine::{Engine, EngineError, EngineResult, ErrorCode, ReviewOutcome, ReviewOutcomeStatus};
use memory_model::{Decision, ReviewDecision, ReviewId, ReviewItem, ReviewQuery, ReviewReason, ReviewStatus};

/// Items read in one go.
const PAGE_ITEMS: u32 = 500;

pub(crate) async fn run(engine: &Engine, review: Review, json: bool, words: Words) -> EngineResult<Ended> {
    let reason = review.reason.as_deref().map(reason).transpose()?;
    let decision = decision(&review);
    if review.ids.is_empty() && !review.all {
        if review.undo || decision.is_some() {
            return Err(EngineError::invalid("ids", "ids: name items, or all with --all."));
        }
        return list(engine, &review, reason, json, words).await;
    }
    let ids = match review.all {
        true => {
            let waiting = all(engine, ReviewStatus::Pending, reason).await?;
            waiting.into_iter().map(|item| item.id).collect()
        }
        false => named(engine, &review.ids).await?,
    };
    if review.undo {
        if let [id] = ids.as_slice() {
            // One item: what is in the way is an error of its own.
            engine.undo_review(id).await?;
            return Ok(said(
                json,
                words.pick("It waits again.", "다시 검토를 기다려요."),
                &serde_json::Value::Null,
            ));
        }
        let outcomes = engine.undo_reviews(&ids).await?;
        return Ok(report(&outcomes, json, words));
    }
    let Some(decision) = decision else {
        for id in &ids {
            let item = engine.review_item(id).await?;
            if json {
                print::json(&item)
            } else {
                print::review_item(&item, words)
            }
        }
        return Ok(Ended::Done);
    };
    let decisions: Vec<ReviewDecision> = ids
        .into_iter()
        .map(|id| ReviewDecision {
            id,
            decision: decision.clone(),
        })
        .collect();
    let outcomes = engine.decide_reviews(&decisions).await?;
    Ok(report(&outcomes, json, words))
}

async fn list(
    engine: &Engine,
    review: &Review,
    reason: Option<ReviewReason>,
    json: bool,
    words: Words,
) -> EngineResult<Ended> {
    let status = if review.decided {
        ReviewStatus::Decided
    } else {
        ReviewStatus::Pending
    };
    let items = all(engine, status, reason).await?;
    if json {
        print::json(&items);
    } else if items.is_empty() {
        print::line(words.pick("Nothing to review.", "검토할 것이 없어요."));
    } else {
        items.iter().for_each(|item| print::review_item(item, words));
    }
    Ok(Ended::Done)
}

/// Says what became of each decision. Whoever came second sees the decision that stands and what it wrote.
fn report(outcomes: &[ReviewOutcome], json: bool, words: Words) -> Ended {
    let fine = |outcome: &&ReviewOutcome| outcome.status == ReviewOutcomeStatus::Decided;
    let decided = outcomes.iter().filter(fine).count();
    if json {
        print::json(&outcomes);
    } else {
        for outcome in outcomes.iter().filter(|outcome| !fine(outcome)) {
            let why = match (outcome.status, &outcome.error) {
                (ReviewOutcomeStatus::DecidedBefore, _) => {
                    words.pick("was decided before", "이미 결정되었어요").to_owned()
                }
                (_, Some(error)) => error.message.clone(),
                _ => words.pick("does not exist", "없어요").to_owned(),
            };
            print::error_line(&format!("{}  {why}", print::short(outcome.id.as_str())));
            for memory in &outcome.memory_ids {
                print::error_line(&format!("  → {memory}"));
            }
        }
        if decided > 0 {
            let done = words.pick("Decided.", "결정했어요.");
            match outcomes.len() {
                1 => print::line(done),
                _ => print::line(&format!("{done} ({decided})")),
            }
        }
    }
    if decided == outcomes.len() {
        Ended::Done
    } else {
        Ended::Refused
    }
}

fn said(json: bool, text: &str, value: &impl serde::Serialize) -> Ended {
    if json {
        print::json(value)
    } else {
        print::line(text)
    }
    Ended::Done
}

fn decision(review: &Review) -> Option<Decision> {
    if let Some(text) = &review.edit {
        return Some(Decision::Edit { text: text.clone() });
    }
    [
        (review.approve, Decision::Approve),
        (review.reject, Decision::Reject),
        (review.keep_both, Decision::KeepBoth),
        (review.newer_wins, Decision::NewerWins),
    ]
    .into_iter()
    .find_map(|(asked, decision)| asked.then_some(decision))
}

fn reason(text: &str) -> EngineResult<ReviewReason> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|_| {
        let names: Vec<String> = ReviewReason::ALL
            .iter()
            .filter_map(|reason| Some(serde_json::to_value(reason).ok()?.as_str()?.to_owned()))
            .collect();
        EngineError::invalid("reason", format!("reason: one of {}.", names.join(", ")))
    })
}

/// Every item in a state, page by page.
async fn all(
    engine: &Engine,
    status: ReviewStatus,
    reason: Option<ReviewReason>,
) -> EngineResult<Vec<ReviewItem>> {
    let mut query = ReviewQuery {
        reason,
        limit: PAGE_ITEMS,
        ..ReviewQuery::of(status)
    };
    let mut items = Vec::new();
    loop {
        let page = engine.review_page(&query).await?;
        items.extend(page.items);
        if page.next.is_none() {
            return Ok(items);
        }
        query.cursor = page.next;
    }
}

async fn named(engine: &Engine, texts: &[String]) -> EngineResult<Vec<ReviewId>> {
    let mut items = all(engine, ReviewStatus::Pending, None).await?;
    items.extend(all(engine, ReviewStatus::Decided, None).await?);
    texts
        .iter()
        .map(|text| {
            let mut found = items
                .iter()
                .map(|item| &item.id)
                .filter(|id| matches(id.as_str(), text));
            match (found.next(), found.next()) {
                (Some(one), None) => Ok(one.clone()),
                (None, _) => Err(EngineError::new(ErrorCode::NotFound, "No item has this id.")),
                (Some(_), Some(_)) => Err(EngineError::invalid(
                    "id",
                    "id: several items match; give more of it.",
                )),
            }
        })
        .collect()
}
