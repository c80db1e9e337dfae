//! The past of a memory and of the store: versions with what changed, the chain of replacements, changes that Undo
//! takes, the audit log, and memories as they were at another time.

use crate::open::not_found;
use crate::{Engine, EngineResult, MemoryList, MemoryRow};
use backend_sqlite::Axis;
use memory_model::{
    ChangeId, ChangeReason, Memory, MemoryFilter, MemoryId, MemoryVersion, Origin, Source, Timestamp,
};
use ports::{AuditLog, Conversations, MemoryBackend};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Links of a chain that are followed in each direction; more of them are a loop in damaged data.
const CHAIN_MAX: usize = 100;

/// Records of a list when the caller does not say, and at most.
const RECORDS: u32 = 100;
const RECORDS_MAX: u32 = 1_000;

/// Which clock a look into the past goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AsOfAxis {
    /// What held at the time, as far as it is known today.
    #[default]
    Valid,
    /// What was known at the time, in the words of that time.
    Known,
}

/// A point in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AsOf {
    /// When.
    pub at: Timestamp,
    /// By which clock.
    #[serde(default)]
    pub axis: AsOfAxis,
}

/// One field that a version changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FieldChange {
    /// The field's name, such as `text`, `status` or `trust`.
    pub field: String,
    /// Its value before; null in the first version.
    pub before: Value,
    /// Its value after.
    pub after: Value,
}

/// One version of a memory and how it differs from the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct VersionView {
    /// Counts up from 1.
    pub version: u32,
    /// When it came about.
    pub changed_at: Timestamp,
    /// What made it.
    pub reason: ChangeReason,
    /// What Undo takes.
    pub change_id: ChangeId,
    /// What the memory said then.
    pub text: String,
    /// What changed.
    pub fields: Vec<FieldChange>,
}

/// Where a memory stands in a chain of replacements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChainPlace {
    /// It was replaced, directly or through others, by the memory that was asked about.
    Earlier,
    /// The memory that was asked about.
    This,
    /// It replaced it.
    Later,
}

/// One memory of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChainLink {
    /// Where it stands.
    pub place: ChainPlace,
    /// The memory.
    pub memory: Memory,
    /// What the conversation of its evidence is called, while that exists.
    pub thread_title: Option<String>,
}

/// Where a memory comes from and what it went through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryHistory {
    /// Who said it.
    pub source: Source,
    /// The lowest trust in its lineage.
    pub trust: Origin,
    /// Its versions, oldest first.
    pub versions: Vec<VersionView>,
    /// What it replaced and what replaced it, oldest first, itself among them.
    pub chain: Vec<ChainLink>,
}

/// One change that can be taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeView {
    /// What Undo takes.
    pub id: ChangeId,
    /// What made it.
    pub reason: ChangeReason,
    /// When.
    pub at: Timestamp,
    /// How many memories it touched.
    pub touched: u32,
    /// The change that it took back.
    pub undoes: Option<ChangeId>,
    /// The change that took it back.
    pub undone_by: Option<ChangeId>,
}

/// One record of the audit log: ids, counts and codes, never words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AuditView {
    /// When.
    pub at: Timestamp,
    /// What was done, such as `review.decided`.
    pub action: String,
    /// The id of what it was done to.
    pub target: String,
    /// Counts and codes.
    pub details: Value,
}

/// Memories whose words are read for a search of the past: more than a person keeps in years, and read in less than a
/// second.
const AS_OF_READ_MAX: u32 = 50_000;

impl Engine {
    /// Where a memory comes from and what it went through.
    ///
    /// # Errors
    /// `NotFound` for an unknown or erased memory.
    pub async fn memory_history(&self, id: &MemoryId) -> EngineResult<MemoryHistory> {
        let owner = self.user();
        let store = &self.inner.store;
        let memory = store.get(&owner, id).await?.ok_or_else(|| not_found("memory"))?;
        let versions = versions(&store.history(&owner, id).await?);
        let mut chain = Vec::new();
        let mut earlier = memory.supersedes.clone();
        while let Some(id) = earlier.take().filter(|_| chain.len() < CHAIN_MAX) {
            if let Some(found) = store.get(&owner, &id).await? {
                earlier = found.supersedes.clone();
                chain.push(self.link(ChainPlace::Earlier, found).await?);
            }
        }
        chain.reverse();
        let (source, trust) = (source_of(&memory), memory.trust);
        let mut later = memory.superseded_by.clone();
        chain.push(self.link(ChainPlace::This, memory).await?);
        let longest = chain.len() + CHAIN_MAX;
        while let Some(id) = later.take().filter(|_| chain.len() < longest) {
            if let Some(found) = store.get(&owner, &id).await? {
                later = found.superseded_by.clone();
                chain.push(self.link(ChainPlace::Later, found).await?);
            }
        }
        Ok(MemoryHistory {
            source,
            trust,
            versions,
            chain,
        })
    }

    async fn link(&self, place: ChainPlace, memory: Memory) -> EngineResult<ChainLink> {
        let thread = memory.evidence.as_ref().and_then(|e| e.thread_id.as_ref());
        let thread_title = match thread {
            Some(thread) => self.inner.store.thread(&self.user(), thread).await?,
            None => None,
        };
        Ok(ChainLink {
            place,
            memory,
            thread_title: thread_title.map(|thread| thread.title),
        })
    }

    /// Changes that can be taken back, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_changes(&self, offset: u32, limit: u32) -> EngineResult<Vec<ChangeView>> {
        let rows = self
            .inner
            .store
            .changes(&self.user(), offset, records(limit))
            .await?;
        let view = |row: backend_sqlite::ChangeRow| ChangeView {
            id: row.id,
            reason: row.reason,
            at: row.at,
            touched: row.touched,
            undoes: row.undoes,
            undone_by: row.undone_by,
        };
        Ok(rows.into_iter().map(view).collect())
    }

    /// The last records of the audit log, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_audit(&self, limit: u32) -> EngineResult<Vec<AuditView>> {
        let rows = self.inner.store.recent(&self.user(), records(limit)).await?;
        let view = |row: ports::AuditEntry| AuditView {
            at: row.at,
            action: row.action,
            target: row.target,
            details: row.details,
        };
        Ok(rows.into_iter().map(view).collect())
    }

    /// A page of memories as they were at a time, with words those that hold them, best first. The indexes know only
    /// what is true today, so the words of each memory are read.
    pub(crate) async fn memories_as_of(
        &self,
        filter: &MemoryFilter,
        as_of: AsOf,
        words: &str,
        (offset, limit): (u32, u32),
    ) -> EngineResult<MemoryList> {
        let axis = match as_of.axis {
            AsOfAxis::Valid => Axis::Valid,
            AsOfAxis::Known => Axis::Known,
        };
        let store = &self.inner.store;
        let (rows, total, of) = match words.is_empty() {
            true => {
                let (memories, total) = store.as_of(filter, axis, as_of.at, (offset, limit)).await?;
                let row = |memory| MemoryRow { memory, why: None };
                (memories.into_iter().map(row).collect(), total, total)
            }
            false => {
                let (memories, of) = store.as_of(filter, axis, as_of.at, (0, AS_OF_READ_MAX)).await?;
                let found = recall::by_words(&recall::Query::of(words), memories, self.inner.clock.now());
                let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
                let row = |hit: memory_model::Hit| MemoryRow {
                    memory: hit.memory,
                    why: Some(hit.why),
                };
                let page = found.into_iter().skip(offset as usize).take(limit as usize);
                (page.map(row).collect(), total, of)
            }
        };
        Ok(MemoryList {
            rows,
            total,
            of,
            left_out: Vec::new(),
            meaning_searched: false,
        })
    }
}

fn records(limit: u32) -> u32 {
    if limit == 0 {
        RECORDS
    } else {
        limit.min(RECORDS_MAX)
    }
}

/// Who said a memory; for the user the conversation it was said in.
fn source_of(memory: &Memory) -> Source {
    let thread = memory.evidence.as_ref().and_then(|e| e.thread_id.as_ref());
    Source {
        kind: memory.source,
        id: memory
            .source_id
            .clone()
            .or_else(|| thread.map(ToString::to_string)),
    }
}

fn versions(history: &[MemoryVersion]) -> Vec<VersionView> {
    let before = std::iter::once(None).chain(history.iter().map(Some));
    history
        .iter()
        .zip(before)
        .map(|(version, before)| VersionView {
            version: version.memory.version,
            changed_at: version.changed_at,
            reason: version.reason,
            change_id: version.change_id.clone(),
            text: version.memory.text.clone(),
            fields: changed_fields(before.map(|before| &before.memory), &version.memory),
        })
        .collect()
}

/// The fields of a memory that a person can understand, with their names.
fn fields(memory: &Memory) -> [(&'static str, Value); 15] {
    [
        ("text", json!(memory.text)),
        ("category", json!(memory.category)),
        ("key", json!(memory.key)),
        ("polarity", json!(memory.polarity)),
        ("slot", json!(memory.slot)),
        ("topic", json!(memory.topic)),
        ("tags", json!(memory.tags)),
        ("status", json!(memory.status)),
        ("pinned", json!(memory.pinned)),
        ("trust", json!(memory.trust)),
        ("valid_from", json!(memory.valid_from)),
        ("valid_to", json!(memory.valid_to)),
        ("superseded_by", json!(memory.superseded_by)),
        (
            "quote",
            json!(memory.evidence.as_ref().map(|evidence| &evidence.quote)),
        ),
        ("confirmations", json!(memory.confirmations)),
    ]
}

fn changed_fields(before: Option<&Memory>, after: &Memory) -> Vec<FieldChange> {
    let before: Vec<Value> = match before {
        Some(before) => fields(before).into_iter().map(|(_, value)| value).collect(),
        None => vec![Value::Null; fields(after).len()],
    };
    fields(after)
        .into_iter()
        .zip(before)
        .filter(|((_, after), before)| after != before)
        .map(|((field, after), before)| FieldChange {
            field: field.to_owned(),
            before,
            after,
        })
        .collect()
}
