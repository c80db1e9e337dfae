//! An engine as the app opens it, and somebody who talks to it.

use engine::{Engine, MemoryQuery, Options};
use memory_model::{FinalOutput, Memory, Status, ThreadId, TurnInput};
use std::path::Path;
use std::sync::Arc;

/// Opens a data folder with the real model.
pub async fn open(folder: &Path) -> Engine {
    open_with(folder, &[]).await
}

/// Opens a data folder as the window does, with everything that runs in the background.
pub async fn open_window(folder: &Path) -> Engine {
    Engine::open(Options {
        background: true,
        ..options(folder, &[])
    })
    .await
    .unwrap()
}

/// Opens a data folder with variables of the environment in place of the machine's.
pub async fn open_with(folder: &Path, variables: &[(&str, &str)]) -> Engine {
    let engine = Engine::open(options(folder, variables)).await.unwrap();
    engine.wait_for_model().await;
    engine
}

/// How a data folder is opened without the window.
pub fn options(folder: &Path, variables: &[(&str, &str)]) -> Options {
    let own: Vec<(String, String)> = variables
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect();
    Options {
        data_dir: folder.to_path_buf(),
        exe_dir: journeys::programs::folder().unwrap(),
        env: Arc::new(move |name| {
            own.iter()
                .find(|(own, _)| own == name)
                .map(|(_, value)| value.clone())
        }),
        chat_model: None,
        background: false,
        fault: None,
    }
}

/// Says something in a thread and waits for the end of the turn.
pub async fn say(engine: &Engine, thread: &str, text: &str) -> FinalOutput {
    let output = engine
        .run_turn(TurnInput {
            input: text.to_owned(),
            user_id: Some(engine.user()),
            thread_id: Some(ThreadId::new(thread)),
        })
        .await;
    engine.catch_up().await.unwrap();
    output
}

/// Memories in one state, by text.
pub async fn memories(engine: &Engine, status: Status) -> Vec<Memory> {
    let query = MemoryQuery {
        statuses: vec![status],
        limit: 1_000,
        ..MemoryQuery::default()
    };
    let rows = engine.list_memories(&query).await.unwrap().rows;
    let mut memories: Vec<Memory> = rows.into_iter().map(|row| row.memory).collect();
    memories.sort_by(|a, b| a.text.cmp(&b.text));
    memories
}
