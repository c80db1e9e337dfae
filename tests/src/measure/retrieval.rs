//! `retrieval`: what a question finds, at the grain of a conversation turn (LoCoMo) or of a memory.

use super::world::Model;
use super::{Arguments, Measured, cases, round};
use anyhow::Result;
use backend_sqlite::SqliteStore;
use memory_model::{
    Category, ChangeReason, Language, MemoryFilter, Namespace, NewMemory, Origin, Polarity, Timestamp,
    UserId, WriteBatch, WriteOp,
};
use ports::{EmbedPurpose, MemoryBackend, NewVectors, VectorIndex};
use recall::search::Places;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Places of a ranking that are reported.
const RANKED_MAX: usize = 20;

const NOW: Timestamp = Timestamp::from_millis(1_781_000_000_000);

struct Set {
    name: String,
    memories: Vec<(String, String)>,
    questions: Vec<Question>,
}

struct Question {
    id: Value,
    text: String,
    relevant: Vec<String>,
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let mut sets = Vec::new();
    if cases::file(arguments, "retrieval.json").is_ok() {
        sets.extend(own_sets(arguments)?);
    }
    if cases::file(arguments, "locomo_turns.jsonl").is_ok() {
        sets.extend(locomo(arguments)?);
    }
    anyhow::ensure!(
        !sets.is_empty(),
        "neither retrieval.json nor locomo_turns.jsonl is in the folder of the cases"
    );
    let model = Model::load()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut lines = Vec::new();
    let mut figures = serde_json::Map::new();
    for set in &sets {
        let (recall, asked) = runtime.block_on(ask(set, &model, &mut lines))?;
        figures.insert(
            set.name.clone(),
            json!({ "recall_at_10": round(recall), "questions": asked }),
        );
    }
    Ok(Measured {
        lines,
        figures: Value::Object(figures),
    })
}

async fn ask(set: &Set, model: &Model, lines: &mut Vec<Value>) -> Result<(f64, usize)> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("reverie.db")).await?;
    let owner = UserId::new("local");
    fill(&store, &owner, &set.memories, model).await?;
    let params = recall::Params {
        rrf_k: 60,
        limit: RANKED_MAX,
        similarity_min: embedding::ALL_MINILM_L6_V2.thresholds.relevance_floor,
        with_irrelevant: true,
        now: NOW,
    };
    let (mut sum, mut asked) = (0.0, 0);
    for question in &set.questions {
        let query = recall::Query::of(&question.text);
        let places = Places {
            memory: &store,
            vectors: &store,
            embedder: Some(&*model.0),
        };
        let filter = MemoryFilter::active(owner.clone());
        let all = recall::search(&query, &filter, places, params).await?;
        let floor = embedding::ALL_MINILM_L6_V2
            .thresholds_for(&question.text)
            .relevance_floor;
        let params = recall::Params {
            similarity_min: floor,
            ..params
        };
        let relevant = recall::search(
            &query,
            &filter,
            places,
            recall::Params {
                with_irrelevant: false,
                ..params
            },
        )
        .await?;
        let ranked: Vec<String> = all.found.hits.iter().map(|hit| hit.memory.key.clone()).collect();
        if !question.relevant.is_empty() {
            let found = question
                .relevant
                .iter()
                .filter(|id| ranked.iter().take(10).any(|key| key == *id))
                .count();
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let share = found as f64 / question.relevant.len() as f64;
            sum += share;
            asked += 1;
        }
        lines.push(json!({
            "set": set.name,
            "question": question.id,
            "ranked": ranked,
            "below_floor": relevant.found.hits.is_empty(),
        }));
    }
    store.close().await;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let recall = if asked == 0 { 0.0 } else { sum / asked as f64 };
    Ok((recall, asked))
}

/// Keeps each text as a memory whose key is its id, with its vectors.
async fn fill(
    store: &SqliteStore,
    owner: &UserId,
    memories: &[(String, String)],
    model: &Model,
) -> Result<()> {
    for batch in memories.chunks(200) {
        let ops = batch
            .iter()
            .map(|(id, text)| WriteOp::Create {
                memory: new(owner, id, text),
            })
            .collect();
        let batch = WriteBatch {
            owner: owner.clone(),
            reason: ChangeReason::Manual,
            at: NOW,
            turn: None,
            ops,
        };
        store.apply(batch).await?;
    }
    let space = model.0.space();
    loop {
        let missing = store.missing(space, 64).await?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut rows = Vec::new();
        for row in missing {
            let chunks = model
                .embed(&model.0.chunks(&row.text), EmbedPurpose::Passage)
                .await?;
            rows.push(NewVectors {
                id: row.id,
                content_hash: row.content_hash,
                chunks,
            });
        }
        store.put(space, rows).await?;
    }
}

/// A memory as a case gives it.
pub(super) fn new(owner: &UserId, id: &str, text: &str) -> NewMemory {
    NewMemory {
        owner: owner.clone(),
        namespace: Namespace::personal(owner, Category::Reference),
        key: id.to_owned(),
        category: Category::Reference,
        text: text.to_owned(),
        value: Value::Null,
        polarity: Polarity::Positive,
        subject: "user".to_owned(),
        slot: None,
        language: Language::of(text),
        evidence: None,
        source_id: None,
        source: Origin::User,
        trust: Origin::User,
        confidence: 1.0,
        valid_from: None,
    }
}

fn locomo(arguments: &Arguments) -> Result<Vec<Set>> {
    #[derive(Deserialize)]
    struct Turn {
        conv: String,
        id: String,
        speaker: String,
        text: String,
        #[serde(default)]
        caption: String,
    }
    #[derive(Deserialize)]
    struct Asked {
        conv: String,
        question: String,
        evidence: Vec<String>,
    }
    let mut memories: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for turn in cases::lines::<Turn>(arguments, "locomo_turns.jsonl")? {
        let caption = if turn.caption.is_empty() {
            String::new()
        } else {
            format!(" ({})", turn.caption)
        };
        let text = format!("{}: {}{caption}", turn.speaker, turn.text);
        memories.entry(turn.conv).or_default().push((turn.id, text));
    }
    let mut questions: HashMap<String, Vec<Question>> = HashMap::new();
    for asked in cases::lines::<Asked>(arguments, "locomo_questions.jsonl")? {
        questions.entry(asked.conv).or_default().push(Question {
            id: Value::String(asked.question.clone()),
            text: asked.question,
            relevant: asked.evidence,
        });
    }
    Ok(memories
        .into_iter()
        .map(|(name, memories)| Set {
            questions: questions.remove(&name).unwrap_or_default(),
            name,
            memories,
        })
        .collect())
}

fn own_sets(arguments: &Arguments) -> Result<Vec<Set>> {
    #[derive(Deserialize)]
    struct File {
        sets: Vec<OwnSet>,
    }
    #[derive(Deserialize)]
    struct OwnSet {
        name: String,
        memories: Vec<OwnMemory>,
        questions: Vec<OwnQuestion>,
    }
    #[derive(Deserialize)]
    struct OwnMemory {
        id: String,
        text: String,
    }
    #[derive(Deserialize)]
    struct OwnQuestion {
        id: Value,
        text: String,
        relevant: Vec<String>,
    }
    let text = std::fs::read_to_string(cases::file(arguments, "retrieval.json")?)?;
    let file: File = serde_json::from_str(&text)?;
    Ok(file
        .sets
        .into_iter()
        .map(|set| Set {
            name: set.name,
            memories: set
                .memories
                .into_iter()
                .map(|memory| (memory.id, memory.text))
                .collect(),
            questions: set
                .questions
                .into_iter()
                .map(|question| Question {
                    id: question.id,
                    text: question.text,
                    relevant: question.relevant,
                })
                .collect(),
        })
        .collect())
}
