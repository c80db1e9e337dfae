//! `turn`: how long a turn takes without its answer, at 10,000 memories. Goal: p95 under 60 ms.

use super::world::engine;
use super::{Measured, times};
use anyhow::Result;
use engine::Engine;
use memory_model::{Node, ThreadId, TurnInput};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

const MEMORIES: usize = 10_000;
const TURNS: usize = 120;

pub fn measure() -> Result<Measured> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(run())
}

async fn run() -> Result<Measured> {
    let folder = tempfile::tempdir()?;
    let engine = engine(folder.path(), None).await?;
    fill(&engine).await?;
    let mut all = Vec::new();
    let mut nodes: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for number in 0..TURNS {
        let began = Instant::now();
        let output = engine
            .run_turn(TurnInput {
                input: message(number),
                user_id: Some(engine.user()),
                thread_id: Some(ThreadId::new(format!("thread-{}", number / 10))),
            })
            .await;
        // Wall time, so that checkpoints and the end of the turn count; only the answer itself is taken out.
        let mut overhead = began.elapsed().as_secs_f64() * 1_000.0;
        for step in &output.trace {
            let millis = f64::from(step.millis);
            if step.node == Node::GenerateResponse {
                overhead -= millis;
            } else {
                nodes.entry(step.node.name()).or_default().push(millis);
            }
        }
        all.push(overhead);
    }
    engine.close().await;
    let nodes: Map<String, Value> = nodes
        .into_iter()
        .map(|(name, millis)| (name.to_owned(), times(millis)))
        .collect();
    let figures = json!({ "memories": MEMORIES, "overhead": times(all), "nodes": nodes });
    Ok(Measured {
        lines: Vec::new(),
        figures,
    })
}

async fn fill(engine: &Engine) -> Result<()> {
    const THINGS: &[&str] = &[
        "seat", "hotel", "train", "editor", "coffee", "database", "meeting", "keyboard", "좌석", "회의",
        "커피",
    ];
    const WAYS: &[&str] = &[
        "quiet",
        "early",
        "cheap",
        "fast",
        "green",
        "strong",
        "late",
        "조용한",
        "이른",
        "빠른",
    ];
    for number in 0..MEMORIES {
        let thing = THINGS[number % THINGS.len()];
        let way = WAYS[number / THINGS.len() % WAYS.len()];
        let text = format!("Prefers the {way} {thing} in place {number}");
        engine
            .add_memory(&engine::NewMemoryInput {
                text,
                category: Some(memory_model::Category::Preference),
            })
            .await?;
    }
    engine.catch_up().await?;
    Ok(())
}

/// Questions, requests and things worth keeping, half of them Korean.
fn message(number: usize) -> String {
    match number % 6 {
        0 => format!("Which seat do I like on trip {number}?"),
        1 => format!("I prefer tea number {number} in the morning."),
        2 => format!("{number}번 회의는 언제였지?"),
        3 => format!("저는 {number}번 좌석이 좋아요."),
        4 => format!("Book a table for {number} people, please."),
        _ => format!("{number}호 열차 표 좀 예약해 줘."),
    }
}
