//! By what memories are filtered, kept small: every name once, ids of memories as sixteen bytes.

use memory_model::{MemoryFilter, MemoryId, Status};
use std::collections::HashMap;

/// No row, no name.
pub(crate) const NONE: u32 = u32::MAX;

/// What a search may ask of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Its row in the store: what the index knows it by.
    pub memory: i64,
    /// Its id.
    pub id: &'a str,
    /// Whose it is.
    pub owner: &'a str,
    /// The name of its state.
    pub status: &'a str,
    /// The name of its category.
    pub category: &'a str,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The thread of its evidence.
    pub thread: Option<&'a str>,
}

/// A memory in the index. 48 bytes, because there are many.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) memory: i64,
    pub(crate) id: Id,
    owner: u32,
    thread: u32,
    /// The row of its first chunk.
    pub(crate) first: u32,
    status: u16,
    category: u16,
    pinned: bool,
}

/// An id: ours are UUIDs, those of imported memories may be anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    Uuid([u8; 16]),
    Text(Box<str>),
}

impl Id {
    fn new(text: &str) -> Self {
        match uuid::Uuid::try_parse(text) {
            // Only when it is written the usual way: what comes out must be what went in.
            Ok(uuid) if uuid.hyphenated().to_string() == text => Self::Uuid(uuid.into_bytes()),
            _ => Self::Text(text.into()),
        }
    }

    /// The id as the rest of the app knows it.
    pub(crate) fn memory_id(&self) -> MemoryId {
        match self {
            Self::Uuid(bytes) => MemoryId::new(uuid::Uuid::from_bytes(*bytes).to_string()),
            Self::Text(text) => MemoryId::new(&**text),
        }
    }
}

/// Names, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<Box<str>, u32>);

impl Names {
    fn keep(&mut self, name: &str) -> u32 {
        if let Some(known) = self.0.get(name) {
            return *known;
        }
        let number = u32::try_from(self.0.len()).unwrap_or(NONE);
        self.0.insert(name.into(), number);
        number
    }

    fn number(&self, name: &str) -> u32 {
        self.0.get(name).copied().unwrap_or(NONE)
    }

    /// States and categories: a few dozen, so sixteen bits hold them.
    fn keep_short(&mut self, name: &str) -> u16 {
        u16::try_from(self.keep(name)).unwrap_or(u16::MAX)
    }

    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.0.keys().map(|name| name.len()).sum();
        texts + self.0.capacity() * size_of::<(Box<str>, u32)>()
    }
}

/// The names that labels are made of: short lists apart from long ones.
#[derive(Debug, Default)]
pub(crate) struct AllNames {
    /// States and categories.
    kinds: Names,
    /// Owners and threads.
    places: Names,
}

impl AllNames {
    /// The entry of a memory that has no chunk yet.
    pub(crate) fn entry(&mut self, labels: Labels<'_>) -> Entry {
        Entry {
            memory: labels.memory,
            id: Id::new(labels.id),
            owner: self.places.keep(labels.owner),
            thread: labels.thread.map_or(NONE, |thread| self.places.keep(thread)),
            first: NONE,
            status: self.kinds.keep_short(labels.status),
            category: self.kinds.keep_short(labels.category),
            pinned: labels.pinned,
        }
    }

    /// A filter in the numbers of these names.
    pub(crate) fn condition(&self, filter: &MemoryFilter) -> Condition {
        let short = |name: &str| u16::try_from(self.kinds.number(name)).unwrap_or(u16::MAX);
        let statuses: &[Status] = match filter.statuses.as_slice() {
            [] => &[Status::Active],
            some => some,
        };
        Condition {
            owner: self.places.number(filter.owner.as_str()),
            statuses: statuses
                .iter()
                .map(|status| short(status_name(*status)))
                .collect(),
            categories: filter
                .categories
                .iter()
                .map(|category| short(category.name()))
                .collect(),
            pinned: filter.pinned,
            thread: filter
                .thread
                .as_ref()
                .map(|thread| self.places.number(thread.as_str())),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kinds.bytes() + self.places.bytes()
    }
}

/// A filter whose names are numbers.
#[derive(Debug)]
pub(crate) struct Condition {
    owner: u32,
    statuses: Vec<u16>,
    categories: Vec<u16>,
    pinned: bool,
    thread: Option<u32>,
}

impl Condition {
    /// Whether a filter lets a memory through. A name that no memory has is `NONE`, which none can be equal to but
    /// a memory without a thread.
    pub(crate) fn passes(&self, entry: &Entry) -> bool {
        self.owner == entry.owner
            && self.statuses.contains(&entry.status)
            && (self.categories.is_empty() || self.categories.contains(&entry.category))
            && (!self.pinned || entry.pinned)
            && self
                .thread
                .is_none_or(|thread| thread != NONE && thread == entry.thread)
    }
}

/// The name under which stores keep a state: that of its serialised form.
fn status_name(status: Status) -> &'static str {
    match status {
        Status::Active => "active",
        Status::Superseded => "superseded",
        Status::Archived => "archived",
        Status::Deleted => "deleted",
    }
}
