//! The contracts of [`SettingsStore`] and [`AuditLog`].

use super::ok;
use crate::sample::{at, daniel, minji};
use ports::{AuditEntry, AuditLog, SettingsStore};
use serde_json::{Value, json};

/// The contract of [`SettingsStore`].
///
/// # Panics
/// When the store breaks a promise.
pub async fn settings_store<S: SettingsStore>(make: impl AsyncFn() -> S) {
    values_come_back_as_they_were(make().await).await;
    a_value_is_replaced_and_removed(make().await).await;
}

/// The contract of [`AuditLog`].
///
/// # Panics
/// When the store breaks a promise.
pub async fn audit_log<S: AuditLog>(make: impl AsyncFn() -> S) {
    records_come_newest_first(make().await).await;
    records_are_read_by_their_owner_only(make().await).await;
}

async fn settings<S: SettingsStore>(store: &S) -> Vec<(String, Value)> {
    let mut settings = ok(store.load_settings().await, "load_settings");
    settings.sort_by(|a, b| a.0.cmp(&b.0));
    settings
}

async fn values_come_back_as_they_were<S: SettingsStore>(store: S) {
    assert!(settings(&store).await.is_empty(), "a fresh store has no settings");
    let mut given = vec![
        ("appearance.language".to_owned(), json!("한국어")),
        ("capture.on".to_owned(), json!(true)),
        ("memory.floor".to_owned(), json!(0.35)),
        ("memory.limit".to_owned(), json!(9_007_199_254_740_993_i64)),
        (
            "odd name: it's \"quoted\" 🛫".to_owned(),
            json!("it's \"quoted\"\n🛫"),
        ),
        (
            "providers".to_owned(),
            json!([{ "이름": "로컬", "keys": [] }, null]),
        ),
        ("text that looks like JSON".to_owned(), json!("{\"a\": 1}")),
        ("text that looks like null".to_owned(), json!("null")),
    ];
    given.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, value) in &given {
        ok(store.save_setting(name, Some(value)).await, "save_setting");
    }
    assert_eq!(
        settings(&store).await,
        given,
        "values come back as they were stored, under their names"
    );
}

async fn a_value_is_replaced_and_removed<S: SettingsStore>(store: S) {
    ok(store.save_setting("a", Some(&json!(1))).await, "save_setting");
    ok(store.save_setting("b", Some(&json!("둘"))).await, "save_setting");
    ok(store.save_setting("a", Some(&json!([2]))).await, "save_setting");
    let expected = [("a".to_owned(), json!([2])), ("b".to_owned(), json!("둘"))];
    assert_eq!(
        settings(&store).await,
        expected,
        "a new value replaces the old one"
    );
    ok(store.save_setting("a", None).await, "removing a setting");
    assert_eq!(
        settings(&store).await,
        expected[1..],
        "no value removes the setting"
    );
    ok(
        store.save_setting("a", None).await,
        "removing a setting that is not there",
    );
    assert_eq!(
        settings(&store).await,
        expected[1..],
        "removing twice is the same as once"
    );
}

fn entry(owner: &memory_model::UserId, seconds: i64, target: &str) -> AuditEntry {
    AuditEntry {
        at: at(seconds),
        owner: owner.clone(),
        action: "memory.edited".to_owned(),
        target: target.to_owned(),
        details: json!({ "count": seconds, "codes": ["conflict"] }),
    }
}

async fn records_come_newest_first<S: AuditLog>(store: S) {
    assert!(
        ok(store.recent(&minji(), 9).await, "recent").is_empty(),
        "a fresh log is empty"
    );
    // The last two happen in the same millisecond: then the order of writing counts.
    let entries =
        [(1, "a"), (2, "b"), (3, "c"), (3, "d")].map(|(seconds, target)| entry(&minji(), seconds, target));
    for entry in &entries {
        ok(store.record(entry.clone()).await, "record");
    }
    let mut expected = entries.to_vec();
    expected.reverse();
    assert_eq!(
        ok(store.recent(&minji(), 9).await, "recent"),
        expected,
        "every record as it was, newest first"
    );
    assert_eq!(
        ok(store.recent(&minji(), 2).await, "recent"),
        expected[..2],
        "the last records, at most `limit`"
    );
}

async fn records_are_read_by_their_owner_only<S: AuditLog>(store: S) {
    for (owner, target) in [(minji(), "mine"), (daniel(), "theirs"), (minji(), "mine too")] {
        ok(store.record(entry(&owner, 1, target)).await, "record");
    }
    let targets: Vec<_> = ok(store.recent(&daniel(), 9).await, "recent")
        .into_iter()
        .map(|entry| entry.target)
        .collect();
    assert_eq!(targets, ["theirs"], "records are read by their owner only");
}
