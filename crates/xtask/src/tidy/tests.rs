//! Each check finds what it is there for, and lets through what is right.

use super::{agreement, files, map, migrations, rooms};
use crate::project::{Dependency, Package};
use serde_json::json;
use std::collections::BTreeMap;

fn package(name: &str, room: &str, uses: &[(&str, bool)]) -> Package {
    Package {
        name: name.to_owned(),
        room: Some(room.to_owned()),
        uses: uses
            .iter()
            .map(|(name, only_tests)| Dependency {
                name: (*name).to_owned(),
                only_tests: *only_tests,
            })
            .collect(),
        ..Package::default()
    }
}

#[test]
fn arrows_point_up_or_stay_in_the_room() {
    let house = [
        package("memory-model", "words", &[]),
        package("recall", "rules", &[("memory-model", false)]),
        package("turn", "rules", &[("recall", false), ("test-support", true)]),
        package("engine", "engine", &[("turn", false)]),
        package("test-support", "support", &[("engine", false)]),
    ];
    assert_eq!(rooms::check(&house), Vec::<String>::new());
}

#[test]
fn an_arrow_that_points_down_is_found() {
    let house = [
        package(
            "turn",
            "rules",
            &[("backend-sqlite", false), ("test-support", false)],
        ),
        package("recall", "rules", &[("backend-sqlite", true)]),
        package("backend-sqlite", "adapters", &[]),
        package("test-support", "support", &[]),
    ];
    assert_eq!(
        rooms::check(&house),
        [
            "`turn` (rules) uses `backend-sqlite` (adapters), which is a room further down",
            "`turn` (rules) uses `test-support` (support), which is a room further down",
            "`recall` (rules) uses `backend-sqlite` (adapters), which is a room further down",
        ]
    );
}

#[test]
fn a_crate_without_a_known_room_is_found() {
    let house = [
        package("attic", "attic", &[]),
        Package {
            name: "porch".to_owned(),
            ..Package::default()
        },
    ];
    assert_eq!(rooms::check(&house).len(), 2);
}

#[test]
fn the_top_level_is_the_agreed_one() {
    let agreed = [
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        ".ci/run",
    ];
    let folders = [
        "crates/turn/Cargo.toml",
        "icons/icon.svg",
        "src-tauri/Cargo.toml",
        "tests/Cargo.toml",
        "ui/package.json",
    ];
    let mut listing: Vec<String> = agreed
        .iter()
        .chain(&folders)
        .map(|file| (*file).to_owned())
        .collect();
    assert_eq!(map::top_level(&listing), Vec::<String>::new());
    listing.remove(0);
    listing.push("deny.toml".to_owned());
    assert_eq!(
        map::top_level(&listing),
        [
            "`deny.toml` is not part of the agreed top level",
            "`Cargo.lock` is missing from the top level"
        ]
    );
}

#[test]
fn values_are_read_from_the_generated_types() {
    let types = "export type Polarity = \"for\" | \"against\";\n\nexport type Node = \"finalize\";\n";
    assert_eq!(
        agreement::values(types, "Polarity").expect("the type"),
        ["for", "against"]
    );
    assert!(agreement::values(types, "Pol").is_err());
}

#[test]
fn a_key_of_one_locale_is_missed_in_the_other() {
    let english =
        agreement::keys(&json!({ "chat": { "send": "Send", "stop": "Stop" }, "node.finalize": "Finish" }));
    let korean = agreement::keys(&json!({ "chat": { "send": "보내기" }, "node.finalize": "마무리" }));
    let found = agreement::same_keys(&[("en", english), ("ko", korean)]);
    assert_eq!(found, ["ko.json lacks `chat.stop`, which en.json has"]);
}

#[test]
fn every_value_has_words_under_its_key_or_below_it() {
    let types = r#"
export type ErrorCode = "busy" | "read_only";
export type SkipReason = "question";
export type ReviewReason = "conflict";
export type ProblemCode = "stopped";
export type Node = "finalize";
"#;
    let korean = agreement::keys(&json!({
        "error": { "busy": { "title": "다른 프로그램이 쓰고 있어요", "next": "잠시 뒤에 다시 해 보세요" } },
        "skip.question": "질문", "review.reason.conflict": "서로 달라요", "problem.stopped": "멈췄어요", "node.finalize": "마무리",
    }));
    let found = agreement::worded("ko", &korean, types).expect("types");
    assert_eq!(
        found,
        ["ko.json has no words for ErrorCode `read_only` (key `error.read_only`)"]
    );
}

#[test]
fn a_long_source_file_is_found_and_a_long_generated_one_is_not() {
    let long = "한 줄\n".repeat(601);
    assert!(files::too_long("crates/turn/src/flow.rs", &long).is_some());
    assert!(files::too_long("ui/src/app/Frame.svelte", &long).is_some());
    assert!(files::too_long("ui/src/ipc/generated/types.ts", &long).is_none());
    assert!(files::too_long("README.md", &long).is_none());
    assert!(files::too_long("crates/turn/src/flow.rs", &"line\n".repeat(600)).is_none());
}

#[test]
fn a_machine_and_a_registry_are_found() {
    // Put together at run time, so that tidy does not find this test.
    let home = ["/ho", "me/minji/notes"].concat();
    let registry = ["https://", "registry", ".example.org/x"].concat();
    let text = format!("data folder\nlet path = \"{home}\";\nsee {registry}\n");
    assert_eq!(
        files::out_of_place("crates/x/src/lib.rs", &text),
        [
            "crates/x/src/lib.rs:2 names a folder of somebody's machine",
            "crates/x/src/lib.rs:3 names the host of a package registry"
        ]
    );
    assert!(files::out_of_place("ui/package-lock.json", &registry).is_empty());
    assert!(files::out_of_place("README.md", &format!("ui/src{home} and https://example.org")).is_empty());
}

#[test]
fn a_recorded_migration_stays_as_it_is() {
    let list = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned()))
            .collect()
    };
    let recorded = list(&[
        ("1_first.sql", "aa"),
        ("2_second.sql", "bb"),
        ("3_third.sql", "cc"),
    ]);
    let present = list(&[
        ("1_first.sql", "aa"),
        ("2_second.sql", "changed"),
        ("4_fourth.sql", "dd"),
    ]);
    let found = migrations::compare(&recorded, &present);
    assert_eq!(found.len(), 3);
    assert!(
        found
            .iter()
            .zip([
                "2_second.sql changed",
                "3_third.sql is gone",
                "4_fourth.sql is not on record"
            ])
            .all(|(line, part)| line.contains(part))
    );
}
