//! `reverie remember`, `recall`, `list`, `show`, `forget`.

use super::standard_input;
use crate::arguments::{Forget, List, Recall, Remember};
use crate::words::Words;
use crate::{Ended, open, print};
use engine::{
    Brought, EmbeddingHealth, Engine, EngineError, EngineResult, ErrorCode, Kept, MemoryQuery, NewMemoryInput,
};
use memory_model::{ChangeId, MemoryId, Origin, Status};

pub(crate) async fn remember(
    engine: &Engine,
    remember: Remember,
    json: bool,
    words: Words,
) -> EngineResult<Ended> {
    let text = if remember.text.is_empty() {
        standard_input().await
    } else {
        remember.text.join(" ")
    };
    let category = remember.category.map(Into::into);
    let written = match remember.source.filter(|source| source.kind != Origin::User) {
        None => engine.add_memory(&NewMemoryInput { text, category }).await?,
        Some(source) => {
            let brought = Brought {
                text,
                category,
                source,
                replaces: None,
            };
            match engine.remember_from(brought, None).await? {
                Kept::Written { written } => written,
                waits @ Kept::Waiting { .. } => return Ok(parked(&waits, json, words)),
            }
        }
    };
    engine.wait_for_model().await;
    open::catch_up(engine).await;
    if json {
        print::json(&written);
        return Ok(Ended::Done);
    }
    for memory in written.results.iter().filter_map(|result| result.memory.as_ref()) {
        print::line(&format!(
            "✓ {} {}",
            words.pick("Saved:", "저장함:"),
            print::shown(&memory.text)
        ));
        print::line(&format!("  {}  {}", memory.id, memory.key));
    }
    Ok(Ended::Done)
}

/// Says that something waits for a person.
fn parked(waits: &Kept, json: bool, words: Words) -> Ended {
    if json {
        print::json(waits);
    } else if let Kept::Waiting { review_id, reason } = waits {
        print::line(&format!(
            "? {} {} ({})",
            words.pick("Waiting for review:", "검토를 기다려요:"),
            print::short(review_id.as_str()),
            words.waits(*reason)
        ));
    }
    Ended::Done
}

pub(crate) async fn recall(engine: &Engine, recall: Recall, json: bool, words: Words) -> EngineResult<Ended> {
    let words_asked = recall.query.join(" ");
    if words_asked.trim().is_empty() {
        return Err(EngineError::invalid(
            "query",
            "query: say what to look for; `reverie list` lists everything.",
        ));
    }
    engine.wait_for_model().await;
    let query = MemoryQuery {
        text: words_asked,
        limit: recall.limit,
        with_irrelevant: recall.all,
        ..MemoryQuery::default()
    };
    let found = engine.list_memories(&query).await?;
    if json {
        print::json(&found);
    } else {
        found.rows.iter().for_each(print::row);
        if !found.meaning_searched {
            print::error_line(words.pick(
                "Meaning search is off: words only.",
                "뜻 검색이 꺼져 있어 낱말로만 찾았어요.",
            ));
            if let EmbeddingHealth::Failed { reason, .. } = engine.health().await.embedding {
                print::error_line(&reason);
            }
        }
        if found.rows.is_empty() {
            print::error_line(words.pick("Nothing relevant is remembered.", "관련된 기억이 없어요."));
        }
    }
    Ok(if found.rows.is_empty() {
        Ended::NothingFound
    } else {
        Ended::Done
    })
}

pub(crate) async fn list(engine: &Engine, list: List, json: bool) -> EngineResult<Ended> {
    let query = MemoryQuery {
        categories: list.category.map(Into::into).into_iter().collect(),
        statuses: vec![list.status.into()],
        pinned: list.pinned,
        limit: list.limit,
        offset: list.offset,
        ..MemoryQuery::default()
    };
    let found = engine.list_memories(&query).await?;
    if json {
        print::json(&found);
    } else {
        found.rows.iter().for_each(print::row);
    }
    Ok(Ended::Done)
}

pub(crate) async fn show(engine: &Engine, id: &str, json: bool, words: Words) -> EngineResult<Ended> {
    let detail = engine.open_memory(&named(engine, id).await?).await?;
    if json {
        print::json(&detail);
        return Ok(Ended::Done);
    }
    print::memory(&detail.memory, words);
    for version in detail.history.iter().rev() {
        print::line(&format!(
            "  v{}  {}",
            version.memory.version,
            print::shown(&version.memory.text)
        ));
    }
    Ok(Ended::Done)
}

pub(crate) async fn forget(engine: &Engine, forget: Forget, json: bool, words: Words) -> EngineResult<Ended> {
    if let Some(change) = forget.undo {
        let written = engine.undo_change(&ChangeId::new(change)).await?;
        if json {
            print::json(&written);
        } else {
            print::line(words.pick("Taken back.", "되돌렸어요."));
        }
        return Ok(Ended::Done);
    }
    let id = named(engine, &forget.id.unwrap_or_default()).await?;
    if forget.erase {
        let receipt = engine.erase_memory(&id, forget.words, !forget.dry_run).await?;
        print::receipt(&receipt, json, words);
        return Ok(Ended::Done);
    }
    let detail = engine.open_memory(&id).await?;
    let written = engine.delete_memory(&id, detail.memory.version).await?;
    if json {
        print::json(&written);
        return Ok(Ended::Done);
    }
    print::line(&format!(
        "{} {}",
        words.pick("Forgotten:", "잊음:"),
        print::shown(&detail.memory.text)
    ));
    if let Some(change) = &written.change_id {
        let within = words.pick(
            "Within 30 seconds it can be taken back:",
            "30초 안에 되돌릴 수 있어요:",
        );
        print::line(&format!("  {within} reverie forget --undo {change}"));
    }
    Ok(Ended::Done)
}

/// The memory that an id, or a part of one that only one memory has, names.
async fn named(engine: &Engine, text: &str) -> EngineResult<MemoryId> {
    let whole = MemoryId::new(text);
    if engine.open_memory(&whole).await.is_ok() {
        return Ok(whole);
    }
    let mut found: Vec<MemoryId> = Vec::new();
    let query = |offset| MemoryQuery {
        statuses: vec![Status::Active, Status::Superseded, Status::Archived],
        limit: 1_000,
        offset,
        ..MemoryQuery::default()
    };
    let mut offset = 0;
    loop {
        let page = engine.list_memories(&query(offset)).await?;
        let rows = u32::try_from(page.rows.len()).unwrap_or(u32::MAX);
        found.extend(
            page.rows
                .into_iter()
                .map(|row| row.memory.id)
                .filter(|id| matches(id.as_str(), text)),
        );
        offset = offset.saturating_add(rows);
        if rows == 0 || offset >= page.total {
            break;
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(EngineError::new(ErrorCode::NotFound, "No memory has this id.")),
        _ => Err(EngineError::invalid(
            "id",
            "id: several memories match; give more of it.",
        )),
    }
}

/// `list` prints the end of an id; its beginning is accepted as well.
pub(super) fn matches(id: &str, text: &str) -> bool {
    !text.is_empty() && (id.starts_with(text) || id.ends_with(text))
}
