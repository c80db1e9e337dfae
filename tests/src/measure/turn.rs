//! `turn`: how long a turn takes without its answer, at 10,000 memories. Goal: p95 under 60 ms.

use super::world::{Model, engine};
use super::{Measured, times};
use anyhow::Result;
use backend_sqlite::SqliteStore;
use engine::Engine;
use memory_model::{
    ApprovedUpdate, Category, ChangeReason, MemoryFilter, MemoryId, Node, ThreadId, TurnInput, UserId,
    WriteBatch, WriteOp,
};
use ports::{EmbedPurpose, MemoryBackend as _, VectorIndex as _};
use recall::Query;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Instant;
use turn::nodes::store_memory_updates::new_memory;

const MEMORIES: usize = 10_000;
const TURNS: usize = 120;

/// Memories that one change writes.
const CHANGE_MEMORIES: usize = 500;

/// Rows of each list of a search, as the product takes them.
const LIST_ROWS: u32 = 100;

pub fn measure() -> Result<Measured> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(run())
}

async fn run() -> Result<Measured> {
    let folder = tempfile::tempdir()?;
    let engine = engine(folder.path(), None).await?;
    let store = SqliteStore::open(&engine::database(folder.path())).await?;
    fill(&engine, &store).await?;
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
    let owner = engine.user();
    engine.close().await;
    let parts = parts(&store, owner).await?;
    store.close().await;
    let nodes: Map<String, Value> = nodes
        .into_iter()
        .map(|(name, millis)| (name.to_owned(), times(millis)))
        .collect();
    let figures = json!({ "memories": MEMORIES, "overhead": times(all), "nodes": nodes, "search": parts });
    Ok(Measured {
        lines: Vec::new(),
        figures,
    })
}

/// Writes the memories as a person's own, many in one change, and embeds them.
async fn fill(engine: &Engine, store: &SqliteStore) -> Result<()> {
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
    let (owner, at) = (engine.user(), engine.now());
    let text = |number: usize| {
        let thing = THINGS[number % THINGS.len()];
        let way = WAYS[number / THINGS.len() % WAYS.len()];
        format!("Prefers the {way} {thing} in place {number}")
    };
    let numbers: Vec<usize> = (0..MEMORIES).collect();
    for part in numbers.chunks(CHANGE_MEMORIES) {
        let mut ops = Vec::with_capacity(part.len());
        for number in part {
            let candidate = extraction::candidate_by_hand(&text(*number), Some(Category::Preference), at)
                .map_err(|reason| anyhow::anyhow!("{reason:?}"))?;
            let update = ApprovedUpdate {
                candidate,
                replaces: None,
            };
            ops.push(WriteOp::Create {
                memory: new_memory(&owner, &update),
            });
        }
        let batch = WriteBatch {
            owner: owner.clone(),
            reason: ChangeReason::Manual,
            at,
            turn: None,
            ops,
        };
        store.apply(batch).await?;
    }
    engine.catch_up().await?;
    // The app does this in the background, and a search reads what is there.
    let model = Model::load(None)?;
    engine::embed_token_vectors(store, model.0.as_ref(), &|_| {}).await?;
    Ok(())
}

/// What a search is made of, each part timed alone on the same questions.
async fn parts(store: &SqliteStore, owner: UserId) -> Result<Map<String, Value>> {
    let model = Model::load(None)?;
    let filter = MemoryFilter::active(owner.clone());
    let mut parts: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for number in 0..TURNS {
        let text = message(number);
        let query = Query::of(&text);
        let terms = query.terms();
        let mut timed = Stopwatch::new(&mut parts);
        let vectors = model.embed(&[text], EmbedPurpose::Query).await?;
        timed.lap("embed");
        store.term_counts(&terms).await?;
        timed.lap("count_words");
        let mut ids: Vec<MemoryId> = Vec::new();
        let by_words = store.search_keywords(&filter, &terms, LIST_ROWS).await?;
        ids.extend(by_words.into_iter().map(|hit| hit.id));
        timed.lap("search_words");
        for vector in &vectors {
            let hits = store.search(model.0.space(), &filter, vector, LIST_ROWS).await?;
            ids.extend(hits.into_iter().map(|hit| hit.id));
        }
        timed.lap("search_vectors");
        ids.truncate(usize::try_from(LIST_ROWS)?);
        store.token_vectors(&owner, model.0.space(), &ids).await?;
        timed.lap("read_word_pieces");
        store.surroundings(&owner, &ids, 2).await?;
        timed.lap("read_surroundings");
        store.get_many(&owner, &ids).await?;
        timed.lap("read_memories");
    }
    Ok(parts
        .into_iter()
        .map(|(name, millis)| (name.to_owned(), times(millis)))
        .collect())
}

/// Times one part after the other.
struct Stopwatch<'a> {
    parts: &'a mut BTreeMap<&'static str, Vec<f64>>,
    since: Instant,
}

impl<'a> Stopwatch<'a> {
    fn new(parts: &'a mut BTreeMap<&'static str, Vec<f64>>) -> Self {
        Self {
            parts,
            since: Instant::now(),
        }
    }

    fn lap(&mut self, name: &'static str) {
        let millis = self.since.elapsed().as_secs_f64() * 1_000.0;
        self.parts.entry(name).or_default().push(millis);
        self.since = Instant::now();
    }
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
