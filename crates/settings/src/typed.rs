//! The settings as they apply in this process.

use crate::table::{Entry, TABLE};
use extraction::{CaptureMode, Policy, ProceduralPolicy, SensitivePolicy};
use memory_model::Strategy;
use serde_json::Value;

/// One setting as a screen shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingInfo {
    /// Its name.
    pub name: String,
    /// Its value now.
    pub value: Value,
    /// Its default.
    pub default: Value,
    /// The environment variable that sets it for this process.
    pub set_by: Option<String>,
    /// What is allowed, in plain English.
    pub allowed: String,
}

/// A value that was found and cannot be used; the next best applies instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} cannot be used: it must be {allowed}")]
pub struct SettingProblem {
    /// The setting, or the environment variable, that holds the value.
    pub name: String,
    /// What is allowed, in plain English.
    pub allowed: String,
}

/// The settings as they apply now: the environment first, then what is stored, then the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether memories are kept and recalled at all.
    pub memory_enabled: bool,
    /// Tokens that recalled memories may take in a prompt.
    pub memory_max_tokens: u32,
    /// Days after which a memory is archived; 0 keeps it.
    pub memory_retention_days: u32,
    /// The k of reciprocal rank fusion.
    pub rrf_k: u32,
    /// Vectors kept in the cache at most; 0 keeps none.
    pub embedding_cache_max: usize,
    /// Milliseconds until a cached vector is made again; 0 keeps none.
    pub embedding_cache_ttl_ms: u64,
    /// Whose memory this is.
    pub user_id: String,
    /// All settings, in the order of the table.
    resolved: Vec<Resolved>,
}

/// A setting with the value that applies.
#[derive(Clone, Debug, PartialEq)]
struct Resolved {
    name: &'static str,
    value: Value,
    set_by: Option<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self::load(&[], &|_| None).0
    }
}

impl Settings {
    /// Takes stored values and the environment (`env` gives the value of a variable). A value that is not
    /// allowed is left out and reported. Names that nobody knows are left alone: a newer version may have
    /// stored them.
    pub fn load(
        stored: &[(String, Value)],
        env: &dyn Fn(&str) -> Option<String>,
    ) -> (Self, Vec<SettingProblem>) {
        let mut problems = Vec::new();
        let resolved = TABLE
            .iter()
            .map(|entry| resolve(entry, stored, env, &mut problems))
            .collect();
        (Self::from_resolved(resolved), problems)
    }

    /// Every setting with its value, its default and what is allowed.
    pub fn views(&self) -> Vec<SettingInfo> {
        let view = |(entry, resolved): (&Entry, &Resolved)| SettingInfo {
            name: entry.name.to_owned(),
            value: resolved.value.clone(),
            default: entry.default.value(),
            set_by: resolved.set_by.map(str::to_owned),
            allowed: entry.allowed.sentence(),
        };
        TABLE.iter().zip(&self.resolved).map(view).collect()
    }

    /// The value of a setting; `None` for a name that does not exist.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.resolved
            .iter()
            .find(|resolved| resolved.name == name)
            .map(|resolved| &resolved.value)
    }

    /// What is kept without asking.
    pub fn policy(&self) -> Policy {
        Policy {
            sensitive: sensitive(self.word("sensitive")).unwrap_or_default(),
            sensitive_kinds: extraction::SENSITIVE_KINDS.map(|kind| {
                let word = self.value(&format!("sensitive.{kind}"))?.as_str()?;
                sensitive(word)
            }),
            procedural: match self.word("procedural") {
                "allow" => ProceduralPolicy::Allow,
                _ => ProceduralPolicy::Review,
            },
            capture: match self.word("memoryCaptureMode") {
                "confirm" => CaptureMode::Confirm,
                "manual" => CaptureMode::Manual,
                "recall-only" => CaptureMode::RecallOnly,
                _ => CaptureMode::Auto,
            },
        }
    }

    /// `provider/model` of the language model that answers; `None` answers from memory.
    pub fn chat_model(&self) -> Option<String> {
        self.text("chatModel")
    }

    /// The address of its server, where it is not the provider's own.
    pub fn chat_url(&self) -> Option<String> {
        self.text("chatUrl")
    }

    /// Tokens that an answer may have.
    pub fn chat_tokens_max(&self) -> u32 {
        self.small_number("chatMaxTokens")
    }

    /// How a search for memories ranks.
    pub fn strategy(&self) -> Strategy {
        Strategy::named(self.word("memoryStrategy")).unwrap_or_default()
    }

    /// Whether a turn waits for a person when the memory could not be searched.
    pub fn review_on_retrieval_error(&self) -> bool {
        self.word("on_retrieval_error") == "review"
    }

    /// Whether memories are to have vectors: whether any source is left after the switches.
    pub fn embedding_wanted(&self) -> bool {
        self.transformers_wanted() || self.static_wanted() || self.remote_model().is_some()
    }

    /// Whether the source `transformers` may be used.
    pub fn transformers_wanted(&self) -> bool {
        self.is_on("memoryTransformersEnabled")
            && matches!(self.word("memoryEmbeddingSource"), "auto" | "transformers")
    }

    /// Whether the source `static` may be used.
    pub fn static_wanted(&self) -> bool {
        self.is_on("memoryStaticEnabled") && matches!(self.word("memoryEmbeddingSource"), "auto" | "static")
    }

    /// The model of the source `static`.
    pub fn static_model(&self) -> &str {
        // With this source chosen, the model of the provider setting names it.
        match (
            self.word("memoryEmbeddingSource"),
            self.word("memoryEmbeddingProviderModel"),
        ) {
            ("static", name) if !name.is_empty() => name,
            _ => self.word("memoryStaticModel"),
        }
    }

    /// Where static models are kept; `None` is the folder `embeddings` in the data folder.
    pub fn static_cache_dir(&self) -> Option<&str> {
        Some(self.word("memoryStaticCacheDir")).filter(|dir| !dir.is_empty())
    }

    /// The provider's model, if one is set and the source `remote` may be used.
    pub fn remote_model(&self) -> Option<&str> {
        let wanted = matches!(self.word("memoryEmbeddingSource"), "auto" | "remote");
        Some(self.word("memoryEmbeddingProviderModel")).filter(|name| wanted && !name.is_empty())
    }

    /// The model of the source `transformers` that somebody chose. `None` leaves the choice to the app, which
    /// takes the best whose files are there.
    pub fn transformers_model(&self) -> Option<&str> {
        const NAME: &str = "memoryTransformersModel";
        let default = TABLE.iter().find(|entry| entry.name == NAME)?.default.value();
        let resolved = self.resolved.iter().find(|resolved| resolved.name == NAME)?;
        // The default counts as chosen only where the environment says it for this process.
        let chosen = resolved.set_by.is_some() || resolved.value != default;
        resolved.value.as_str().filter(|_| chosen)
    }

    fn from_resolved(resolved: Vec<Resolved>) -> Self {
        let mut settings = Self {
            memory_enabled: false,
            memory_max_tokens: 0,
            memory_retention_days: 0,
            rrf_k: 0,
            embedding_cache_max: 0,
            embedding_cache_ttl_ms: 0,
            user_id: String::new(),
            resolved,
        };
        settings.memory_enabled = settings.is_on("memoryEnabled");
        settings.memory_max_tokens = settings.small_number("memoryMaxTokens");
        settings.memory_retention_days = settings.small_number("memoryRetentionDays");
        settings.rrf_k = settings.small_number("memoryRrfK");
        settings.embedding_cache_max =
            usize::try_from(settings.number("memoryEmbeddingCacheMax")).unwrap_or(usize::MAX);
        settings.embedding_cache_ttl_ms = settings.number("memoryEmbeddingCacheTtlMs");
        settings.user_id = settings.word("user.id").to_owned();
        settings
    }

    fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn is_on(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.value(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A number whose range the table keeps far below the limit.
    fn small_number(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap_or(u32::MAX)
    }

    fn word(&self, name: &str) -> &str {
        self.value(name).and_then(Value::as_str).unwrap_or_default()
    }
}

fn resolve(
    entry: &'static Entry,
    stored: &[(String, Value)],
    env: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<SettingProblem>,
) -> Resolved {
    let mut report = |name: &str| {
        problems.push(SettingProblem {
            name: name.to_owned(),
            allowed: entry.allowed.sentence(),
        });
    };
    // An empty variable is one that was switched off, as shells write it.
    let set = entry
        .environment
        .and_then(|variable| Some((variable, env(variable)?)));
    if let Some((variable, text)) = set.filter(|(_, text)| !text.trim().is_empty()) {
        match entry.allowed.parse(&text) {
            Some(value) => {
                return Resolved {
                    name: entry.name,
                    value,
                    set_by: Some(variable),
                };
            }
            None => report(variable),
        }
    }
    let kept = stored
        .iter()
        .find(|(name, _)| name == entry.name)
        .map(|(_, value)| value);
    match kept {
        Some(value) if entry.allowed.holds(value) => Resolved {
            name: entry.name,
            value: value.clone(),
            set_by: None,
        },
        Some(_) => {
            report(entry.name);
            Resolved {
                name: entry.name,
                value: entry.default.value(),
                set_by: None,
            }
        }
        None => Resolved {
            name: entry.name,
            value: entry.default.value(),
            set_by: None,
        },
    }
}

/// A policy by the word that settings use; `None` for another word.
fn sensitive(word: &str) -> Option<SensitivePolicy> {
    match word {
        "block" => Some(SensitivePolicy::Block),
        "review" => Some(SensitivePolicy::Review),
        "allow" => Some(SensitivePolicy::Allow),
        _ => None,
    }
}
