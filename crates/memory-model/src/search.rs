//! Questions to the memory, and answers with their reasons.

use crate::{Category, Memory, MemoryId, Status, UserId};
use serde::{Deserialize, Serialize};

/// Which memories a list or a search looks at. The owner is never optional.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryFilter {
    /// Whose.
    pub owner: UserId,
    /// Only these categories; empty means all.
    pub categories: Vec<Category>,
    /// Only these states; empty means active.
    pub statuses: Vec<Status>,
    /// Only pinned ones.
    pub pinned: bool,
    /// Only memories whose evidence lies in this thread.
    pub thread: Option<crate::ThreadId>,
    /// Further conditions.
    #[serde(default)]
    pub narrow: crate::Narrow,
}

impl MemoryFilter {
    /// The active memories of one owner.
    pub fn active(owner: UserId) -> Self {
        Self {
            owner,
            categories: Vec::new(),
            statuses: vec![Status::Active],
            pinned: false,
            thread: None,
            narrow: crate::Narrow::default(),
        }
    }

    /// Whether a memory passes. Stores filter before they rank; this is for what comes in another way.
    pub fn admits(&self, memory: &Memory) -> bool {
        let status = match self.statuses.is_empty() {
            true => memory.status == Status::Active,
            false => self.statuses.contains(&memory.status),
        };
        let in_thread = |thread: &crate::ThreadId| {
            let evidence = memory.evidence.as_ref();
            evidence.and_then(|evidence| evidence.thread_id.as_ref()) == Some(thread)
        };
        status
            && memory.owner == self.owner
            && (self.categories.is_empty() || self.categories.contains(&memory.category))
            && (!self.pinned || memory.pinned)
            && self.thread.as_ref().is_none_or(in_thread)
            && self.narrow.holds(memory)
    }
}

/// How a list is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryOrder {
    /// Last changed first.
    #[default]
    Updated,
    /// Newest first.
    Created,
    /// Last recalled first.
    Recalled,
    /// By text, in code point order.
    Text,
}

/// How a search ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Last changed first, whatever was asked.
    Recent,
    /// By words only.
    Exact,
    /// By meaning only.
    Semantic,
    /// Reciprocal rank fusion of words and meaning.
    Rrf,
    /// Words and meaning, each text read with what was said around it.
    #[default]
    Hybrid,
}

impl Strategy {
    /// Every strategy, the simplest first.
    pub const ALL: [Self; 5] = [Self::Recent, Self::Exact, Self::Semantic, Self::Rrf, Self::Hybrid];

    /// Its name in settings and queries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recent => "recent",
            Self::Exact => "exact",
            Self::Semantic => "semantic",
            Self::Rrf => "rrf",
            Self::Hybrid => "hybrid",
        }
    }

    /// The strategy with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryPage {
    /// The rows asked for.
    pub data: Vec<Memory>,
    /// How many there are in all.
    pub total: u32,
    /// How many there are of each category that occurs.
    pub by_type: std::collections::BTreeMap<Category, u32>,
}

/// Why a memory was found. Ranks count from 1; `None` means that the list did not hold it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Why {
    /// Place in the keyword list.
    pub keyword_rank: Option<u32>,
    /// BM25 score of FTS5, larger is better (FTS5 reports it negated).
    pub bm25: Option<f32>,
    /// Place in the vector list.
    pub vector_rank: Option<u32>,
    /// Cosine of query and memory, -1 to 1.
    pub similarity: Option<f32>,
    /// Σ 1 / (k + rank) over the lists that hold it.
    pub fused: f32,
    /// The k that was used.
    pub rrf_k: u32,
    /// Words of the query that stand in the memory, as the memory writes them.
    pub matched_words: Vec<String>,
    /// Age in whole days when it was recalled.
    pub age_days: u32,
}

/// A memory that a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// Relevance, as the strategy that found it counts: larger is better, and comparable inside one answer only.
    pub score: f32,
    /// The reason.
    pub why: Why,
}

/// Why a memory that was found is not in the answer's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Not relevant enough.
    BelowFloor,
    /// The budget was full.
    OverBudget,
}

/// A memory that was found and left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LeftOut {
    /// Which.
    pub memory_id: MemoryId,
    /// What it says.
    pub text: String,
    /// Why it was left out.
    pub reason: LeftOutReason,
}

/// What a search answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Found {
    /// Relevant ones, best first.
    pub hits: Vec<Hit>,
    /// Found and left out.
    pub left_out: Vec<LeftOut>,
    /// Whether meaning (vectors) took part; `false` means that only words were compared.
    pub meaning_searched: bool,
}
