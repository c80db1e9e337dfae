//! What tasks work out without starting anything.

use crate::project::Project;
use crate::setup::major;
use crate::tasks::migration::timestamp;
use crate::{TASKS, overview};
use serde_json::json;
use std::path::Path;

#[test]
fn every_task_explains_itself() {
    for task in TASKS {
        assert!(
            task.help
                .trim()
                .starts_with(&format!("cargo xtask {}", task.name)),
            "help of {}",
            task.name
        );
        assert!(overview().contains(task.summary));
    }
}

#[test]
fn a_version_is_the_first_number_in_what_a_program_says() {
    assert_eq!(major("v20.20.2\n"), Some(20));
    assert_eq!(major("Python 3.11.7"), Some(3));
    assert_eq!(major("no version"), None);
}

#[test]
fn a_timestamp_is_utc() {
    assert_eq!(timestamp(0), "19700101000000");
    assert_eq!(timestamp(951_782_399), "20000228235959");
    assert_eq!(timestamp(951_782_400), "20000229000000");
    assert_eq!(timestamp(1_767_225_599), "20251231235959");
}

#[test]
fn the_workspace_is_read_from_what_cargo_prints() {
    let facts = json!({
        "workspace_root": "/app",
        "target_directory": "/elsewhere",
        "packages": [
            {
                "name": "turn",
                "manifest_path": "/app/crates/turn/Cargo.toml",
                "metadata": { "layer": "rules" },
                "targets": [{ "kind": ["lib"], "doctest": true }],
                "dependencies": [
                    { "name": "ports", "kind": null },
                    { "name": "ports", "kind": "dev" },
                    { "name": "serde", "kind": null },
                ],
            },
            { "name": "ports", "manifest_path": "/app/crates/ports/Cargo.toml", "metadata": null, "targets": [], "dependencies": [] },
        ],
    });
    let project = Project::from_metadata(&facts).expect("a workspace");
    assert_eq!(project.tools(), Path::new("/elsewhere/tools"));
    let [turn, ports] = project.packages.as_slice() else {
        panic!("two packages")
    };
    assert_eq!(
        (turn.room.as_deref(), ports.room.as_deref()),
        (Some("rules"), None)
    );
    assert_eq!(
        turn.uses.iter().map(|used| used.only_tests).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(turn.doctest && !ports.doctest);
}
