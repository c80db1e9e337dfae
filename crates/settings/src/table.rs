//! Every setting: its name, what it can be, its default, and the environment variable that overrides it.

use crate::allowed::{Allowed, empty_object};
use serde_json::Value;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) allowed: Allowed,
    pub(crate) default: Default,
    pub(crate) environment: Option<&'static str>,
}

/// A default that fits in a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Default {
    Switch(bool),
    Number(u64),
    Text(&'static str),
    Null,
    EmptyList,
    EmptyObject,
}

impl Default {
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Switch(on) => Value::Bool(on),
            Self::Number(number) => Value::from(number),
            Self::Text(text) => Value::from(text),
            Self::Null => Value::Null,
            Self::EmptyList => Value::Array(Vec::new()),
            Self::EmptyObject => empty_object(),
        }
    }
}

/// The places where memories can be kept as far as this version can use them.
const BACKENDS: &[&str] = &["sqlite"];

/// What to do with a sensitive statement.
const SENSITIVE: &[&str] = &["block", "review", "allow"];

/// Characters of a name that a person types: a model, a host, a user.
const NAME_CHARS_MAX: usize = 200;

/// Characters of a path: the limit of Linux, the longest of the three systems.
const PATH_CHARS_MAX: usize = 4096;

const fn setting(name: &'static str, allowed: Allowed, default: Default) -> Entry {
    Entry {
        name,
        allowed,
        default,
        environment: None,
    }
}

const fn switch(name: &'static str, on: bool) -> Entry {
    setting(name, Allowed::Switch, Default::Switch(on))
}

const fn one_of(name: &'static str, words: &'static [&'static str], default: &'static str) -> Entry {
    setting(name, Allowed::OneOf(words), Default::Text(default))
}

const fn number(name: &'static str, range: (u64, u64), unit: &'static str, default: u64) -> Entry {
    setting(
        name,
        Allowed::Number {
            min: range.0,
            max: range.1,
            unit,
        },
        Default::Number(default),
    )
}

/// A kind of sensitive statement that may be treated in another way than the rest.
const fn sensitive_kind(name: &'static str) -> Entry {
    setting(name, Allowed::OneOfOrNull(SENSITIVE), Default::Null)
}

const fn overridden(by: &'static str, entry: Entry) -> Entry {
    Entry {
        environment: Some(by),
        ..entry
    }
}

/// In the order in which screens list them. Names, ranges and defaults are those of the settings page of the
/// specification; the ranges that it leaves open have their reason beside them.
pub(crate) const TABLE: &[Entry] = &[
    switch("memoryEnabled", true),
    one_of(
        "memoryCaptureMode",
        &["auto", "confirm", "manual", "recall-only"],
        "auto",
    ),
    // A switch each for capture and recall: { "preference": { "capture": false, "recall": true } }.
    setting("memoryNamespaces", Allowed::Object, Default::EmptyObject),
    number("memoryMaxTokens", (0, 16_000), "tokens", 2_000),
    number("memoryRetentionDays", (0, 3_650), "days", 0),
    one_of(
        "memoryStrategy",
        &["recent", "exact", "semantic", "rrf", "hybrid"],
        "hybrid",
    ),
    // With 1 the first place counts for all; beyond 1000 the places of a list of 50 weigh the same.
    overridden("MEMORY_RRF_K", number("memoryRrfK", (1, 1_000), "", 60)),
    one_of(
        "memoryEmbeddingSource",
        &["transformers", "static", "remote", "auto"],
        "auto",
    ),
    setting(
        "memoryEmbeddingProviderModel",
        Allowed::TextOrNull {
            chars_max: NAME_CHARS_MAX,
        },
        Default::Null,
    ),
    switch("memoryTransformersEnabled", true),
    overridden(
        "MEMORY_TRANSFORMERS_MODEL",
        setting(
            "memoryTransformersModel",
            Allowed::Text {
                chars_max: NAME_CHARS_MAX,
            },
            Default::Text("sentence-transformers/all-MiniLM-L6-v2"),
        ),
    ),
    switch("memoryStaticEnabled", true),
    overridden(
        "MEMORY_STATIC_MODEL",
        setting(
            "memoryStaticModel",
            Allowed::Text {
                chars_max: NAME_CHARS_MAX,
            },
            Default::Text("minishlab/potion-base-8M"),
        ),
    ),
    // Null is the folder `embeddings` in the data folder.
    overridden(
        "MEMORY_STATIC_CACHE_DIR",
        setting(
            "memoryStaticCacheDir",
            Allowed::TextOrNull {
                chars_max: PATH_CHARS_MAX,
            },
            Default::Null,
        ),
    ),
    // A vector of 384 numbers takes 1.5 kB, so a full cache of this size takes 150 MB.
    overridden(
        "MEMORY_EMBEDDING_CACHE_MAX",
        number("memoryEmbeddingCacheMax", (0, 100_000), "vectors", 1_000),
    ),
    // Up to a day.
    overridden(
        "MEMORY_EMBEDDING_CACHE_TTL_MS",
        number(
            "memoryEmbeddingCacheTtlMs",
            (0, 86_400_000),
            "milliseconds",
            300_000,
        ),
    ),
    switch("memoryRerankEnabled", false),
    setting(
        "memoryRerankProviderModel",
        Allowed::TextOrNull {
            chars_max: NAME_CHARS_MAX,
        },
        Default::Null,
    ),
    one_of("memoryVectorStore", &["sqlite-vec", "qdrant", "auto"], "auto"),
    overridden(
        "QDRANT_HOST",
        setting(
            "qdrantHost",
            Allowed::TextOrNull {
                chars_max: NAME_CHARS_MAX,
            },
            Default::Null,
        ),
    ),
    // 6333 is the port of Qdrant's own HTTP interface.
    overridden("QDRANT_PORT", number("qdrantPort", (1, 65_535), "", 6_333)),
    overridden(
        "QDRANT_COLLECTION",
        setting(
            "qdrantCollection",
            Allowed::TextOrNull {
                chars_max: NAME_CHARS_MAX,
            },
            Default::Null,
        ),
    ),
    one_of("memoryPrimaryBackend", BACKENDS, "sqlite"),
    setting(
        "memoryFallbackBackends",
        Allowed::ListOf(BACKENDS),
        Default::EmptyList,
    ),
    setting("memoryBackendConfigs", Allowed::Object, Default::EmptyObject),
    // `provider/model`; null answers from memory.
    overridden(
        "REVERIE_CHAT_MODEL",
        setting(
            "chatModel",
            Allowed::TextOrNull {
                chars_max: NAME_CHARS_MAX,
            },
            Default::Null,
        ),
    ),
    // Null is the provider's own address.
    overridden(
        "REVERIE_CHAT_URL",
        setting(
            "chatUrl",
            Allowed::TextOrNull {
                chars_max: PATH_CHARS_MAX,
            },
            Default::Null,
        ),
    ),
    // Anthropic insists on a number; the upper end is what its larger models write at most.
    number("chatMaxTokens", (16, 64_000), "tokens", 4_096),
    switch("autoSummarize", false),
    one_of("sensitive", SENSITIVE, "review"),
    sensitive_kind("sensitive.health"),
    sensitive_kind("sensitive.belief"),
    sensitive_kind("sensitive.politics"),
    sensitive_kind("sensitive.sexual_life"),
    sensitive_kind("sensitive.union"),
    sensitive_kind("sensitive.ids"),
    sensitive_kind("sensitive.cards_and_accounts"),
    sensitive_kind("sensitive.precise_location"),
    sensitive_kind("sensitive.children"),
    sensitive_kind("sensitive.biometrics"),
    one_of("procedural", &["review", "allow"], "review"),
    one_of("on_retrieval_error", &["continue", "review"], "continue"),
    // Up to a month between dreams, and up to a thousand sessions.
    number("dream.min_interval", (1, 720), "hours", 24),
    number("dream.min_sessions", (1, 1_000), "sessions", 5),
    switch("dream.enabled", true),
    one_of("ui.language", &["system", "en", "ko"], "system"),
    one_of("ui.theme", &["system", "light", "dark"], "system"),
    number("ui.textSize", (100, 200), "percent", 100),
    switch("ui.onboarded", false),
    setting(
        "user.id",
        Allowed::Text {
            chars_max: NAME_CHARS_MAX,
        },
        Default::Text("local"),
    ),
];

/// The setting with a name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}
