//! Table `memories`: the state of each memory now.

use crate::SourceCount;
use crate::error::Doing;
use crate::tables::BINDS_MAX;
use crate::words::{from_json, from_name, name_of, to_json};
use memory_model::{
    Category, Evidence, Memory, MemoryFilter, MemoryId, MemoryOrder, MessageId, Narrow, Slot, Source, Status,
    ThreadId, Timestamp, UserId,
};
use ports::{StoreError, StoreResult};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use std::collections::BTreeMap;

const READING: &str = "reading memories";
const WRITING: &str = "writing memories";

/// A memory and the number of its row, by which the other tables know it.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRow {
    pub(crate) row: i64,
    pub(crate) memory: Memory,
}

/// One memory of an owner, in any state.
pub(crate) async fn by_id(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &MemoryId,
) -> StoreResult<Option<MemoryRow>> {
    let row = sqlx::query("SELECT * FROM memories WHERE id = ? AND owner = ?")
        .bind(id.as_str())
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    row.as_ref().map(parse).transpose()
}

/// The memory with a row number, in any state.
pub(crate) async fn by_row(connection: &mut SqliteConnection, row: i64) -> StoreResult<Option<MemoryRow>> {
    let row = sqlx::query("SELECT * FROM memories WHERE row = ?")
        .bind(row)
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    row.as_ref().map(parse).transpose()
}

/// The active memory under a key.
pub(crate) async fn active_by_key(
    connection: &mut SqliteConnection,
    owner: &UserId,
    key: &str,
) -> StoreResult<Option<MemoryRow>> {
    let row = sqlx::query("SELECT * FROM memories WHERE owner = ? AND key = ? AND status = 'active'")
        .bind(owner.as_str())
        .bind(key)
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    row.as_ref().map(parse).transpose()
}

/// Several memories by id, in the order of the ids; unknown ids are left out.
pub(crate) async fn many(
    connection: &mut SqliteConnection,
    owner: &UserId,
    ids: &[MemoryId],
) -> StoreResult<Vec<Memory>> {
    let mut found = std::collections::HashMap::new();
    for part in ids.chunks(BINDS_MAX) {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM memories WHERE owner = ");
        query.push_bind(owner.as_str()).push(" AND id IN ");
        push_list(&mut query, part.iter().map(MemoryId::as_str));
        for row in query.build().fetch_all(&mut *connection).await.doing(READING)? {
            let memory = parse(&row)?.memory;
            found.insert(memory.id.clone(), memory);
        }
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

/// Active memories under one of the keys or in one of the slots, oldest first.
pub(crate) async fn known(
    connection: &mut SqliteConnection,
    owner: &UserId,
    keys: &[String],
    slots: &[String],
) -> StoreResult<Vec<Memory>> {
    let mut found: BTreeMap<i64, Memory> = BTreeMap::new();
    for (column, values) in [("key", keys), ("slot_name", slots)] {
        for part in values.chunks(BINDS_MAX) {
            let mut query =
                QueryBuilder::<Sqlite>::new("SELECT * FROM memories WHERE status = 'active' AND owner = ");
            query
                .push_bind(owner.as_str())
                .push(" AND ")
                .push(column)
                .push(" IN ");
            push_list(&mut query, part.iter().map(String::as_str));
            for row in query.build().fetch_all(&mut *connection).await.doing(READING)? {
                let MemoryRow { row, memory } = parse(&row)?;
                found.insert(row, memory);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// A part of a list.
pub(crate) async fn page(
    connection: &mut SqliteConnection,
    filter: &MemoryFilter,
    order: MemoryOrder,
    offset: u32,
    limit: u32,
) -> StoreResult<Vec<Memory>> {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM memories WHERE ");
    push_filter(&mut query, filter, "memories");
    query.push(match order {
        MemoryOrder::Updated => " ORDER BY updated_at DESC, id DESC",
        MemoryOrder::Created => " ORDER BY created_at DESC, id DESC",
        MemoryOrder::Recalled => " ORDER BY last_recalled_at DESC NULLS LAST, updated_at DESC, id DESC",
        MemoryOrder::Text => " ORDER BY text, id",
    });
    query
        .push(" LIMIT ")
        .push_bind(limit)
        .push(" OFFSET ")
        .push_bind(offset);
    let rows = query.build().fetch_all(connection).await.doing(READING)?;
    rows.iter().map(|row| Ok(parse(row)?.memory)).collect()
}

/// How many memories of each category a filter lets through.
pub(crate) async fn count_by_category(
    connection: &mut SqliteConnection,
    filter: &MemoryFilter,
) -> StoreResult<BTreeMap<Category, u32>> {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT category, count(*) FROM memories WHERE ");
    push_filter(&mut query, filter, "memories");
    query.push(" GROUP BY category");
    let rows: Vec<(String, u32)> = query
        .build_query_as()
        .fetch_all(connection)
        .await
        .doing(READING)?;
    rows.into_iter()
        .map(|(category, count)| Ok((from_name(&category)?, count)))
        .collect()
}

/// How many memories of an owner are active.
pub(crate) async fn count_active(connection: &mut SqliteConnection, owner: &UserId) -> StoreResult<u32> {
    sqlx::query_scalar("SELECT count(*) FROM memories WHERE owner = ? AND status = 'active'")
        .bind(owner.as_str())
        .fetch_one(connection)
        .await
        .doing(READING)
}

/// Who wrote an owner's memories, most first. What the user said counts for the conversation it was said in.
pub(crate) async fn sources(
    connection: &mut SqliteConnection,
    owner: &UserId,
) -> StoreResult<Vec<SourceCount>> {
    let rows: Vec<(String, Option<String>, u32, i64)> = sqlx::query_as(
        "SELECT source, coalesce(source_id, evidence_thread) AS who, count(*) AS memories, max(created_at) AS last \
         FROM memories WHERE owner = ? AND status IN ('active', 'superseded') \
         GROUP BY source, who ORDER BY memories DESC, last DESC, source, who",
    )
    .bind(owner.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter()
        .map(|(kind, id, memories, last_at)| {
            Ok(SourceCount {
                source: Source {
                    kind: from_name(&kind)?,
                    id,
                },
                memories,
                last_at: Timestamp::from_millis(last_at),
            })
        })
        .collect()
}

/// Memories that held at a time, as far as it is known now: those that hold, and those that were replaced later.
pub(crate) async fn valid_at(
    connection: &mut SqliteConnection,
    filter: &MemoryFilter,
    at: Timestamp,
    (offset, limit): (u32, u32),
) -> StoreResult<(Vec<Memory>, u32)> {
    let filter = MemoryFilter {
        statuses: vec![Status::Active, Status::Superseded],
        ..filter.clone()
    };
    let conditions = |query: &mut QueryBuilder<Sqlite>| {
        push_filter(query, &filter, "memories");
        query
            .push(" AND valid_from <= ")
            .push_bind(at.as_millis())
            .push(" AND (valid_to IS NULL OR valid_to > ")
            .push_bind(at.as_millis())
            .push(")");
    };
    let mut count = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM memories WHERE ");
    conditions(&mut count);
    let total: u32 = count
        .build_query_scalar()
        .fetch_one(&mut *connection)
        .await
        .doing(READING)?;
    let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM memories WHERE ");
    conditions(&mut query);
    query
        .push(" ORDER BY valid_from DESC, id DESC LIMIT ")
        .push_bind(limit)
        .push(" OFFSET ")
        .push_bind(offset);
    let rows = query.build().fetch_all(connection).await.doing(READING)?;
    let page = rows.iter().map(|row| Ok(parse(row)?.memory));
    Ok((page.collect::<StoreResult<_>>()?, total))
}

/// Active memories that nobody pinned, changed, said again or recalled since a time, oldest first.
pub(crate) async fn expired(
    connection: &mut SqliteConnection,
    owner: &UserId,
    before: Timestamp,
    limit: u32,
) -> StoreResult<Vec<Memory>> {
    let rows = sqlx::query(
        "SELECT * FROM memories WHERE owner = ?1 AND status = 'active' AND updated_at < ?2 AND pinned = 0 \
         AND last_confirmed_at < ?2 AND coalesce(last_recalled_at, 0) < ?2 ORDER BY updated_at, id LIMIT ?3",
    )
    .bind(owner.as_str())
    .bind(before.as_millis())
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.iter().map(|row| Ok(parse(row)?.memory)).collect()
}

/// Memories that were deleted before a time, with the numbers of their rows.
pub(crate) async fn deleted_before(
    connection: &mut SqliteConnection,
    before: Timestamp,
) -> StoreResult<Vec<(i64, Memory)>> {
    let rows = sqlx::query("SELECT * FROM memories WHERE status = 'deleted' AND updated_at < ?")
        .bind(before.as_millis())
        .fetch_all(connection)
        .await
        .doing(READING)?;
    rows.iter()
        .map(|row| parse(row).map(|found| (found.row, found.memory)))
        .collect()
}

/// Erases a row; its versions and vectors go with it.
pub(crate) async fn erase(connection: &mut SqliteConnection, row: i64) -> StoreResult<()> {
    sqlx::query("DELETE FROM memories WHERE row = ?")
        .bind(row)
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// Counts a recall of each memory.
pub(crate) async fn count_recalls(
    connection: &mut SqliteConnection,
    owner: &UserId,
    ids: &[MemoryId],
    at: Timestamp,
) -> StoreResult<()> {
    for part in ids.chunks(BINDS_MAX) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = max(coalesce(last_recalled_at, ",
        );
        query
            .push_bind(at.as_millis())
            .push("), ")
            .push_bind(at.as_millis())
            .push(") WHERE owner = ");
        query.push_bind(owner.as_str()).push(" AND id IN ");
        push_list(&mut query, part.iter().map(MemoryId::as_str));
        query.build().execute(&mut *connection).await.doing(WRITING)?;
    }
    Ok(())
}

/// Writes a memory, new or known, and returns the number of its row. Counters of recalls are written only
/// with a new memory: `count_recalls` owns them.
pub(crate) async fn save(connection: &mut SqliteConnection, memory: &Memory) -> StoreResult<i64> {
    const SAVE: &str = "INSERT INTO memories (id, owner, namespace, key, memory_type, category, text, value, \
        polarity, subject, slot_name, slot_value, topic, tags, language, evidence_thread, evidence_message, \
        evidence_start, evidence_end, evidence_quote, evidence_said_at, source, source_id, trust, confidence, \
        valid_from, valid_to, status, pinned, content_hash, version, supersedes, superseded_by, created_at, updated_at, \
        last_confirmed_at, confirmations, recall_count, last_recalled_at) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
        ?, ?, ?, ?, ?, ?, ?) \
        ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, namespace = excluded.namespace, \
        key = excluded.key, memory_type = excluded.memory_type, category = excluded.category, \
        text = excluded.text, value = excluded.value, polarity = excluded.polarity, \
        subject = excluded.subject, slot_name = excluded.slot_name, slot_value = excluded.slot_value, \
        topic = excluded.topic, tags = excluded.tags, language = excluded.language, \
        evidence_thread = excluded.evidence_thread, evidence_message = excluded.evidence_message, \
        evidence_start = excluded.evidence_start, evidence_end = excluded.evidence_end, \
        evidence_quote = excluded.evidence_quote, evidence_said_at = excluded.evidence_said_at, \
        source = excluded.source, source_id = excluded.source_id, trust = excluded.trust, confidence = excluded.confidence, \
        valid_from = excluded.valid_from, valid_to = excluded.valid_to, status = excluded.status, \
        pinned = excluded.pinned, content_hash = excluded.content_hash, version = excluded.version, \
        supersedes = excluded.supersedes, superseded_by = excluded.superseded_by, \
        created_at = excluded.created_at, updated_at = excluded.updated_at, \
        last_confirmed_at = excluded.last_confirmed_at, confirmations = excluded.confirmations \
        RETURNING row";
    let evidence = memory.evidence.as_ref();
    sqlx::query_scalar(SAVE)
        .bind(memory.id.as_str())
        .bind(memory.owner.as_str())
        .bind(to_json(&memory.namespace)?)
        .bind(&memory.key)
        .bind(name_of(memory.memory_type))
        .bind(memory.category.name())
        .bind(&memory.text)
        .bind(to_json(&memory.value)?)
        .bind(name_of(memory.polarity))
        .bind(&memory.subject)
        .bind(memory.slot.as_ref().map(|slot| &slot.name))
        .bind(memory.slot.as_ref().map(|slot| &slot.value))
        .bind(&memory.topic)
        .bind(to_json(&memory.tags)?)
        .bind(name_of(memory.language))
        .bind(
            evidence
                .and_then(|evidence| evidence.thread_id.as_ref())
                .map(ThreadId::as_str),
        )
        .bind(
            evidence
                .and_then(|evidence| evidence.message_id.as_ref())
                .map(MessageId::as_str),
        )
        .bind(evidence.map(|evidence| evidence.start))
        .bind(evidence.map(|evidence| evidence.end))
        .bind(evidence.map(|evidence| &evidence.quote))
        .bind(evidence.map(|evidence| evidence.said_at.as_millis()))
        .bind(name_of(memory.source))
        .bind(memory.source_id.as_deref())
        .bind(name_of(memory.trust))
        .bind(f64::from(memory.confidence))
        .bind(memory.valid_from.as_millis())
        .bind(memory.valid_to.map(Timestamp::as_millis))
        .bind(name_of(memory.status))
        .bind(memory.pinned)
        .bind(&memory.content_hash)
        .bind(memory.version)
        .bind(memory.supersedes.as_ref().map(MemoryId::as_str))
        .bind(memory.superseded_by.as_ref().map(MemoryId::as_str))
        .bind(memory.created_at.as_millis())
        .bind(memory.updated_at.as_millis())
        .bind(memory.last_confirmed_at.as_millis())
        .bind(memory.confirmations)
        .bind(memory.recall_count)
        .bind(memory.last_recalled_at.map(Timestamp::as_millis))
        .fetch_one(connection)
        .await
        .doing(WRITING)
}

/// Adds the conditions of a filter, for a query that knows the table by the name `table`.
pub(crate) fn push_filter(query: &mut QueryBuilder<Sqlite>, filter: &MemoryFilter, table: &'static str) {
    query
        .push(format_args!("{table}.owner = "))
        .push_bind(filter.owner.as_str());
    query.push(format_args!(" AND {table}.status IN "));
    push_list(query, statuses(filter).into_iter().map(name_of));
    if !filter.categories.is_empty() {
        query.push(format_args!(" AND {table}.category IN "));
        push_list(query, filter.categories.iter().map(|category| category.name()));
    }
    if filter.pinned {
        query.push(format_args!(" AND {table}.pinned = 1"));
    }
    if let Some(thread) = &filter.thread {
        query
            .push(format_args!(" AND {table}.evidence_thread = "))
            .push_bind(thread.as_str());
    }
    push_narrow(query, &filter.narrow, table);
}

fn push_narrow(query: &mut QueryBuilder<Sqlite>, narrow: &Narrow, table: &'static str) {
    if !narrow.trusts.is_empty() {
        query.push(format_args!(" AND {table}.trust IN "));
        push_list(query, narrow.trusts.iter().map(|trust| trust.name()));
    }
    if let Some(source) = &narrow.source {
        query
            .push(format_args!(" AND {table}.source = "))
            .push_bind(source.kind.name());
        if let Some(id) = &source.id {
            query
                .push(format_args!(" AND ({table}.source_id = "))
                .push_bind(id.clone())
                .push(format_args!(" OR {table}.evidence_thread = "))
                .push_bind(id.clone())
                .push(")");
        }
    }
    if !narrow.languages.is_empty() {
        query.push(format_args!(" AND {table}.language IN "));
        push_list(query, narrow.languages.iter().map(|language| name_of(*language)));
    }
    if let Some(since) = narrow.since {
        query
            .push(format_args!(" AND {table}.created_at >= "))
            .push_bind(since.as_millis());
    }
    if let Some(until) = narrow.until {
        query
            .push(format_args!(" AND {table}.created_at < "))
            .push_bind(until.as_millis());
    }
}

/// The states that a filter asks for; none named means active.
pub(crate) fn statuses(filter: &MemoryFilter) -> Vec<Status> {
    if filter.statuses.is_empty() {
        vec![Status::Active]
    } else {
        filter.statuses.clone()
    }
}

/// Adds `(?, ?, …)`.
pub(crate) fn push_list<'t, T>(query: &mut QueryBuilder<Sqlite>, values: impl Iterator<Item = T>)
where
    T: sqlx::Encode<'t, Sqlite> + sqlx::Type<Sqlite>,
{
    query.push("(");
    let mut list = query.separated(", ");
    for value in values {
        list.push_bind(value);
    }
    query.push(")");
}

fn parse(row: &SqliteRow) -> StoreResult<MemoryRow> {
    Ok(MemoryRow {
        row: row.try_get("row").doing(READING)?,
        memory: parse_memory(row)?,
    })
}

fn parse_memory(row: &SqliteRow) -> StoreResult<Memory> {
    let text = |name: &str| -> StoreResult<String> { row.try_get(name).doing(READING) };
    let option = |name: &str| -> StoreResult<Option<String>> { row.try_get(name).doing(READING) };
    let time = |name: &str| -> StoreResult<Timestamp> {
        Ok(Timestamp::from_millis(row.try_get(name).doing(READING)?))
    };
    let optional_time = |name: &str| -> StoreResult<Option<Timestamp>> {
        Ok(row
            .try_get::<Option<i64>, _>(name)
            .doing(READING)?
            .map(Timestamp::from_millis))
    };
    let number = |name: &str| -> StoreResult<u32> { row.try_get(name).doing(READING) };
    let slot = match (option("slot_name")?, option("slot_value")?) {
        (Some(name), Some(value)) => Some(Slot { name, value }),
        _ => None,
    };
    Ok(Memory {
        id: MemoryId::new(text("id")?),
        owner: UserId::new(text("owner")?),
        namespace: from_json(&text("namespace")?)?,
        key: text("key")?,
        memory_type: from_name(&text("memory_type")?)?,
        category: from_name(&text("category")?)?,
        text: text("text")?,
        value: from_json(&text("value")?)?,
        polarity: from_name(&text("polarity")?)?,
        subject: text("subject")?,
        slot,
        topic: text("topic")?,
        tags: from_json(&text("tags")?)?,
        language: from_name(&text("language")?)?,
        evidence: parse_evidence(row)?,
        source: from_name(&text("source")?)?,
        source_id: option("source_id")?,
        trust: from_name(&text("trust")?)?,
        confidence: row.try_get::<f64, _>("confidence").doing(READING)? as f32,
        valid_from: time("valid_from")?,
        valid_to: optional_time("valid_to")?,
        status: from_name(&text("status")?)?,
        pinned: row.try_get("pinned").doing(READING)?,
        content_hash: text("content_hash")?,
        version: number("version")?,
        supersedes: option("supersedes")?.map(MemoryId::new),
        superseded_by: option("superseded_by")?.map(MemoryId::new),
        created_at: time("created_at")?,
        updated_at: time("updated_at")?,
        last_confirmed_at: time("last_confirmed_at")?,
        confirmations: number("confirmations")?,
        recall_count: number("recall_count")?,
        last_recalled_at: optional_time("last_recalled_at")?,
    })
}

fn parse_evidence(row: &SqliteRow) -> StoreResult<Option<Evidence>> {
    let Some(quote) = row
        .try_get::<Option<String>, _>("evidence_quote")
        .doing(READING)?
    else {
        return Ok(None);
    };
    let missing = || StoreError::Damaged {
        doing: READING,
        source: "evidence without its span".into(),
    };
    let thread: Option<String> = row.try_get("evidence_thread").doing(READING)?;
    let message: Option<String> = row.try_get("evidence_message").doing(READING)?;
    let start: Option<u32> = row.try_get("evidence_start").doing(READING)?;
    let end: Option<u32> = row.try_get("evidence_end").doing(READING)?;
    let said_at: Option<i64> = row.try_get("evidence_said_at").doing(READING)?;
    Ok(Some(Evidence {
        thread_id: thread.map(ThreadId::new),
        message_id: message.map(MessageId::new),
        start: start.ok_or_else(missing)?,
        end: end.ok_or_else(missing)?,
        quote,
        said_at: Timestamp::from_millis(said_at.ok_or_else(missing)?),
    }))
}
