//! `reverie review`.

use super::memory::matches;
use crate::arguments::Review;
use crate::words::Words;
use crate::{Ended, print};
use engine::{Engine, EngineError, EngineResult, ErrorCode};
use memory_model::{Decision, ReviewId, ReviewStatus};

pub(crate) async fn run(engine: &Engine, review: Review, json: bool, words: Words) -> EngineResult<Ended> {
    let Some(text) = &review.id else {
        let status = if review.decided {
            ReviewStatus::Decided
        } else {
            ReviewStatus::Pending
        };
        let items = engine.list_review(status).await?;
        if json {
            print::json(&items);
        } else if items.is_empty() {
            print::line(words.pick("Nothing to review.", "검토할 것이 없어요."));
        } else {
            items.iter().for_each(|item| print::review_item(item, words));
        }
        return Ok(Ended::Done);
    };
    let id = named(engine, text).await?;
    if review.undo {
        engine.undo_review(&id).await?;
        return Ok(said(
            json,
            words.pick("It waits again.", "다시 검토를 기다려요."),
            &serde_json::Value::Null,
        ));
    }
    let Some(decision) = decision(&review) else {
        let items = engine.list_review(ReviewStatus::Pending).await?;
        let item = items
            .into_iter()
            .chain(engine.list_review(ReviewStatus::Decided).await?)
            .find(|item| item.id == id);
        let item = item.ok_or_else(|| EngineError::new(ErrorCode::NotFound, "No item has this id."))?;
        if json {
            print::json(&item)
        } else {
            print::review_item(&item, words)
        }
        return Ok(Ended::Done);
    };
    match engine.decide_review(&id, &decision).await {
        Ok(written) => Ok(said(json, words.pick("Decided.", "결정했어요."), &written)),
        Err(error) if error.code == ErrorCode::Conflict => {
            print::failure(&error, json, words);
            Ok(Ended::Refused)
        }
        Err(error) => Err(error),
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
    match (&review.edit, review.approve, review.reject, review.keep_both) {
        (Some(text), ..) => Some(Decision::Edit { text: text.clone() }),
        (None, true, ..) => Some(Decision::Approve),
        (None, _, true, _) => Some(Decision::Reject),
        (None, _, _, true) => Some(Decision::KeepBoth),
        _ => None,
    }
}

async fn named(engine: &Engine, text: &str) -> EngineResult<ReviewId> {
    let mut items = engine.list_review(ReviewStatus::Pending).await?;
    items.extend(engine.list_review(ReviewStatus::Decided).await?);
    let mut found = items
        .into_iter()
        .map(|item| item.id)
        .filter(|id| matches(id.as_str(), text));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(EngineError::new(ErrorCode::NotFound, "No item has this id.")),
        (Some(_), Some(_)) => Err(EngineError::invalid(
            "id",
            "id: several items match; give more of it.",
        )),
    }
}
