//! `reverie new`, `rollback` and `sources`.

use crate::arguments::{New, Rollback};
use crate::words::Words;
use crate::{Ended, print};
use engine::{Engine, EngineResult, MemoryRow};
use memory_model::Memory;

pub(crate) async fn new(engine: &Engine, new: New, json: bool, words: Words) -> EngineResult<Ended> {
    let news = engine.news(new.limit).await?;
    if new.seen {
        engine.mark_seen(news.until).await?;
    }
    if json {
        print::json(&news);
        return Ok(Ended::Done);
    }
    print::line(&format!(
        "{} {}",
        words.pick("New since you last looked:", "지난번에 본 뒤로 새로운 기억:"),
        news.count
    ));
    show(&news.memories);
    if news.waiting > 0 {
        print::line(&format!(
            "{} {}",
            words.pick("Waiting for review:", "검토를 기다려요:"),
            news.waiting
        ));
    }
    Ok(Ended::Done)
}

pub(crate) async fn list(engine: &Engine, json: bool) -> EngineResult<Ended> {
    let sources = engine.list_sources().await?;
    if json {
        print::json(&sources);
        return Ok(Ended::Done);
    }
    for row in sources {
        print::line(&format!(
            "{:>6}  {}",
            row.memories,
            print::shown(&row.source.to_string())
        ));
    }
    Ok(Ended::Done)
}

pub(crate) async fn rollback(
    engine: &Engine,
    rollback: Rollback,
    json: bool,
    words: Words,
) -> EngineResult<Ended> {
    let since = rollback.since.map(|since| since.before(engine.now()));
    let preview = engine.preview_rollback(&rollback.source, since).await?;
    if !json {
        // The count comes first, also when it is all that happens.
        print::line(&format!(
            "{} {}  {} {}",
            words.pick("Memories to be put away:", "보관할 기억:"),
            preview.count,
            words.pick("review items to be rejected:", "거절할 검토 항목:"),
            preview.waiting
        ));
    }
    if rollback.dry_run {
        if json {
            print::json(&preview);
        } else {
            show(&preview.examples);
        }
        return Ok(Ended::Done);
    }
    if preview.count == 0 && preview.waiting == 0 {
        if json {
            print::json(&preview);
        }
        return Ok(Ended::NothingFound);
    }
    let expected = rollback.expect.unwrap_or(preview.count);
    let done = engine.rollback_source(&rollback.source, since, expected).await?;
    if json {
        print::json(&done);
        return Ok(Ended::Done);
    }
    if let Some(change) = &done.change_id {
        print::line(&format!(
            "{} reverie forget --undo {change}",
            words.pick("Done. To take it back:", "했어요. 되돌리려면:")
        ));
    }
    Ok(Ended::Done)
}

fn show(memories: &[Memory]) {
    for memory in memories {
        print::row(&MemoryRow {
            memory: memory.clone(),
            why: None,
        });
    }
}
