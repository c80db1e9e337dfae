//! Tests of the settings: each is a table of values and what becomes of them.

use crate::table::TABLE;
use crate::{SettingError, SettingProblem, Settings, check};
use extraction::{CaptureMode, ProceduralPolicy, SensitivePolicy};
use serde_json::{Value, json};

fn load(stored: &[(&str, Value)], env: &[(&str, &str)]) -> (Settings, Vec<SettingProblem>) {
    let stored: Vec<_> = stored
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let variable = |name: &str| {
        env.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| (*value).to_owned())
    };
    Settings::load(&stored, &variable)
}

#[test]
fn every_default_is_allowed_and_every_name_is_there_once() {
    for (index, entry) in TABLE.iter().enumerate() {
        assert_eq!(
            check(entry.name, &entry.default.value()),
            Ok(()),
            "{}",
            entry.name
        );
        assert!(
            TABLE.iter().take(index).all(|before| before.name != entry.name),
            "{}",
            entry.name
        );
    }
}

#[test]
fn without_anything_stored_the_defaults_apply() {
    let settings = Settings::default();
    assert!(settings.memory_enabled && settings.embedding_wanted() && !settings.review_on_retrieval_error());
    assert_eq!(
        (settings.memory_max_tokens, settings.memory_retention_days),
        (2_000, 0)
    );
    assert_eq!(
        (
            settings.rrf_k,
            settings.embedding_cache_max,
            settings.embedding_cache_ttl_ms
        ),
        (60, 1_000, 300_000)
    );
    assert_eq!(settings.user_id, "local");
    assert_eq!(settings.policy(), extraction::Policy::default());
    assert_eq!(settings.value("memoryStrategy"), Some(&json!("hybrid")));
    assert_eq!(settings.value("no such setting"), None);
    assert!(
        settings
            .views()
            .iter()
            .all(|view| view.value == view.default && view.set_by.is_none())
    );
}

#[test]
fn stored_values_apply() {
    let (settings, problems) = load(
        &[
            ("memoryEnabled", json!(false)),
            ("memoryCaptureMode", json!("recall-only")),
            ("sensitive", json!("block")),
            ("procedural", json!("allow")),
            ("on_retrieval_error", json!("review")),
            ("memoryEmbeddingSource", json!("remote")),
            ("user.id", json!("민지")),
            ("from a newer version", json!([1])),
        ],
        &[],
    );
    assert_eq!(problems, []);
    assert!(!settings.memory_enabled && settings.review_on_retrieval_error() && !settings.embedding_wanted());
    let policy = settings.policy();
    assert_eq!(policy.capture, CaptureMode::RecallOnly);
    assert_eq!(
        (policy.sensitive, policy.procedural),
        (SensitivePolicy::Block, ProceduralPolicy::Allow)
    );
    assert_eq!(settings.user_id, "민지");
}

#[test]
fn a_stored_value_that_cannot_be_used_is_reported_and_the_default_applies() {
    let (settings, problems) = load(
        &[("memoryMaxTokens", json!("많이")), ("ui.theme", json!("pink"))],
        &[],
    );
    assert_eq!(settings.memory_max_tokens, 2_000);
    assert_eq!(settings.value("ui.theme"), Some(&json!("system")));
    let said: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "memoryMaxTokens cannot be used: it must be a whole number of tokens from 0 to 16000",
            "ui.theme cannot be used: it must be system, light or dark",
        ]
    );
}

#[test]
fn the_environment_goes_first_and_is_shown() {
    let stored = [("memoryRrfK", json!(30)), ("memoryEmbeddingCacheMax", json!(5))];
    let env = [
        ("MEMORY_RRF_K", " 10 "),
        ("MEMORY_EMBEDDING_CACHE_MAX", "many"),
        ("QDRANT_PORT", ""),
    ];
    let (settings, problems) = load(&stored, &env);
    assert_eq!(settings.rrf_k, 10, "the environment overrides what is stored");
    assert_eq!(
        settings.embedding_cache_max, 5,
        "a variable that cannot be used leaves what is stored"
    );
    assert_eq!(
        settings.value("qdrantPort"),
        Some(&json!(6_333)),
        "an empty variable is none"
    );
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].name, "MEMORY_EMBEDDING_CACHE_MAX");
    let view = settings
        .views()
        .into_iter()
        .find(|view| view.name == "memoryRrfK")
        .unwrap();
    assert_eq!(
        (view.value, view.default, view.set_by.as_deref()),
        (json!(10), json!(60), Some("MEMORY_RRF_K"))
    );
}

#[test]
fn values_are_checked_before_they_are_stored() {
    let allowed = [
        ("memoryMaxTokens", json!(0)),
        ("memoryMaxTokens", json!(16_000)),
        ("memoryEmbeddingProviderModel", json!(null)),
        (
            "memoryEmbeddingProviderModel",
            json!("openai/text-embedding-3-small"),
        ),
        ("memoryFallbackBackends", json!(["sqlite"])),
        (
            "memoryBackendConfigs",
            json!({ "obsidian": { "host": "localhost" } }),
        ),
        ("sensitive.health", json!("block")),
        ("sensitive.health", json!(null)),
        ("ui.language", json!("ko")),
        ("ui.textSize", json!(150)),
        ("user.id", json!("김민지")),
    ];
    for (name, value) in allowed {
        assert_eq!(check(name, &value), Ok(()), "{name} = {value}");
    }
    let refused = [
        (
            "memoryMaxTokens",
            json!(16_001),
            "a whole number of tokens from 0 to 16000",
        ),
        (
            "memoryMaxTokens",
            json!(-1),
            "a whole number of tokens from 0 to 16000",
        ),
        (
            "memoryMaxTokens",
            json!(1.5),
            "a whole number of tokens from 0 to 16000",
        ),
        ("memoryEnabled", json!("true"), "true or false"),
        ("memoryRrfK", json!(0), "a whole number from 1 to 1000"),
        (
            "memoryFallbackBackends",
            json!(["sqlite", "sqlite"]),
            "a list of sqlite, each at most once",
        ),
        ("memoryPrimaryBackend", json!("papyrus"), "sqlite"),
        ("memoryBackendConfigs", json!([]), "a JSON object"),
        ("sensitive.belief", json!("ask"), "block, review, allow, or null"),
        ("ui.language", json!("한국어"), "system, en or ko"),
        ("user.id", json!("  "), "a text of 1 to 200 characters"),
        (
            "user.id",
            json!("가".repeat(201)),
            "a text of 1 to 200 characters",
        ),
        ("user.id", json!(null), "a text of 1 to 200 characters"),
        ("QDRANT_API_KEY", json!("secret"), "the name of a setting"),
    ];
    for (name, value, allowed) in refused {
        let error = SettingError {
            name: name.to_owned(),
            allowed: allowed.to_owned(),
        };
        assert_eq!(check(name, &value), Err(error), "{name} = {value}");
    }
}

#[test]
fn the_model_is_left_to_the_app_until_somebody_chooses_one() {
    let minilm = "sentence-transformers/all-MiniLM-L6-v2";
    let with = |stored: Option<&str>, variable: Option<&str>| {
        let stored: Vec<(String, Value)> = stored
            .map(|name| ("memoryTransformersModel".to_owned(), name.into()))
            .into_iter()
            .collect();
        let env = |name: &str| {
            variable
                .filter(|_| name == "MEMORY_TRANSFORMERS_MODEL")
                .map(str::to_owned)
        };
        Settings::load(&stored, &env)
            .0
            .transformers_model()
            .map(str::to_owned)
    };
    assert_eq!(with(None, None), None);
    assert_eq!(with(Some(minilm), None), None);
    let e5 = "intfloat/multilingual-e5-small";
    assert_eq!(with(Some(e5), None).as_deref(), Some(e5));
    assert_eq!(with(Some(e5), Some(minilm)).as_deref(), Some(minilm));
}
