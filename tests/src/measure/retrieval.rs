//! `retrieval`: what a question finds, at the grain of a conversation turn (LoCoMo) or of a memory.

use super::world::Model;
use super::{Arguments, Measured, cases, round};
use anyhow::Result;
use backend_sqlite::SqliteStore;
use memory_model::{
    Category, ChangeReason, Evidence, Language, MemoryFilter, Namespace, NewMemory, Origin, Polarity,
    Strategy, ThreadId, Timestamp, UserId, WriteBatch, WriteOp,
};
use ports::{EmbedPurpose, MemoryBackend, NewTokenVectors, NewVectors, TokenMatrix, VectorIndex};
use recall::search::Places;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Places of a ranking that are reported.
const RANKED_MAX: usize = 20;

const NOW: Timestamp = Timestamp::from_millis(1_781_000_000_000);

struct Set {
    name: String,
    texts: Vec<Text>,
    questions: Vec<Question>,
}

/// A text to be found.
struct Text {
    id: String,
    text: String,
    /// Who said it and in which conversation, where it was said in one.
    said: Option<(String, String)>,
}

struct Question {
    id: Value,
    text: String,
    relevant: Vec<String>,
}

/// What one strategy found, summed over questions that have an answer.
#[derive(Default)]
struct Score {
    questions: usize,
    recall_at_10: f64,
    hit_at_5: f64,
    thread_hit_at_5: f64,
}

impl Score {
    fn add(&mut self, ranked: &[String], question: &Question, set: &Set) {
        if question.relevant.is_empty() {
            return;
        }
        let first = |count: usize| ranked.iter().take(count);
        let found = (question.relevant.iter())
            .filter(|id| first(10).any(|key| key == *id))
            .count();
        self.questions += 1;
        self.recall_at_10 += share(found, question.relevant.len());
        self.hit_at_5 += f64::from(first(5).any(|key| question.relevant.contains(key)));
        let thread = |id: &String| {
            set.texts
                .iter()
                .find(|text| text.id == *id)?
                .said
                .as_ref()
                .map(|said| &said.1)
        };
        let mut threads: Vec<&String> = Vec::new();
        for of in ranked.iter().filter_map(thread) {
            if !threads.contains(&of) {
                threads.push(of);
            }
        }
        let hit =
            (question.relevant.iter().filter_map(thread)).any(|of| threads.iter().take(5).any(|t| *t == of));
        self.thread_hit_at_5 += f64::from(hit);
    }

    fn merge(&mut self, other: &Self) {
        self.questions += other.questions;
        self.recall_at_10 += other.recall_at_10;
        self.hit_at_5 += other.hit_at_5;
        self.thread_hit_at_5 += other.thread_hit_at_5;
    }

    fn figures(&self) -> Value {
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let mean = |sum: f64| round(sum / self.questions.max(1) as f64);
        json!({
            "questions": self.questions,
            "recall_at_10": mean(self.recall_at_10),
            "hit_at_5": mean(self.hit_at_5),
            "session_hit_at_5": mean(self.thread_hit_at_5),
        })
    }
}

fn share(part: usize, of: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = part as f64 / of.max(1) as f64;
    share
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let mut sets = Vec::new();
    if cases::file(arguments, "retrieval.json").is_ok() {
        sets.extend(own_sets(arguments)?);
    }
    let own = sets.len();
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
    let mut locomo: BTreeMap<&str, Score> = BTreeMap::new();
    for (place, set) in sets.iter().enumerate() {
        let scores = runtime.block_on(ask(set, &model, &mut lines))?;
        let of_set: serde_json::Map<String, Value> = (scores.iter())
            .map(|(strategy, score)| ((*strategy).to_owned(), score.figures()))
            .collect();
        figures.insert(set.name.clone(), Value::Object(of_set));
        if place >= own {
            for (strategy, score) in &scores {
                locomo.entry(strategy).or_default().merge(score);
            }
        }
    }
    if !locomo.is_empty() {
        let all: serde_json::Map<String, Value> = (locomo.iter())
            .map(|(strategy, score)| ((*strategy).to_owned(), score.figures()))
            .collect();
        figures.insert("locomo".to_owned(), Value::Object(all));
    }
    Ok(Measured {
        lines,
        figures: Value::Object(figures),
    })
}

async fn ask(set: &Set, model: &Model, lines: &mut Vec<Value>) -> Result<BTreeMap<&'static str, Score>> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("reverie.db")).await?;
    let owner = UserId::new("local");
    fill(&store, &owner, &set.texts, model).await?;
    let filter = MemoryFilter::active(owner);
    let places = Places {
        memory: &store,
        vectors: &store,
        embedder: Some(&*model.0),
    };
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    for question in &set.questions {
        let query = recall::Query::of(&question.text);
        let thresholds = embedding::thresholds_for(model.0.space(), &question.text);
        let params = |strategy, with_irrelevant| recall::Params {
            strategy,
            rrf_k: 60,
            limit: RANKED_MAX,
            similarity_min: thresholds.relevance_floor,
            with_irrelevant,
            now: NOW,
        };
        for strategy in Strategy::ALL {
            let all = recall::search(&query, &filter, places, params(strategy, true)).await?;
            let ranked: Vec<String> = all.found.hits.iter().map(|hit| hit.memory.key.clone()).collect();
            scores
                .entry(strategy.name())
                .or_default()
                .add(&ranked, question, set);
            if strategy == Strategy::default() {
                let relevant = recall::search(&query, &filter, places, params(strategy, false)).await?;
                lines.push(json!({
                    "set": set.name,
                    "question": question.id,
                    "ranked": ranked,
                    "below_floor": relevant.found.hits.is_empty(),
                }));
            }
        }
    }
    store.close().await;
    Ok(scores)
}

/// Keeps each text as a memory whose key is its id, with its vectors.
async fn fill(store: &SqliteStore, owner: &UserId, texts: &[Text], model: &Model) -> Result<()> {
    for batch in texts.chunks(200) {
        let ops = batch
            .iter()
            .map(|text| WriteOp::Create {
                memory: said(owner, text),
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
            return fill_pieces(store, model).await;
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

/// Keeps the word pieces, as the app does in the background.
async fn fill_pieces(store: &SqliteStore, model: &Model) -> Result<()> {
    let space = model.0.space();
    loop {
        let missing = store.without_token_vectors(space, 64).await?;
        let texts: Vec<String> = missing.iter().map(|row| row.text.clone()).collect();
        let made = match model.0.embed_tokens(&texts, EmbedPurpose::Passage).await? {
            Some(made) if !made.is_empty() => made,
            _ => return Ok(()),
        };
        let rows = missing.into_iter().zip(made).map(|(row, made)| NewTokenVectors {
            id: row.id,
            content_hash: row.content_hash,
            tokens: TokenMatrix::of(
                space.dimension,
                made.tokens.iter().map(|token| token.numbers.as_slice()),
            ),
        });
        store.put_token_vectors(space, rows.collect()).await?;
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

/// A text as a memory of the conversation in which it was said.
fn said(owner: &UserId, text: &Text) -> NewMemory {
    let memory = new(owner, &text.id, &text.text);
    let Some((speaker, thread)) = &text.said else {
        return memory;
    };
    NewMemory {
        subject: speaker.clone(),
        evidence: Some(Evidence {
            thread_id: Some(ThreadId::new(thread.as_str())),
            message_id: None,
            start: 0,
            end: u32::try_from(text.text.chars().count()).unwrap_or(u32::MAX),
            quote: text.text.clone(),
            said_at: NOW,
        }),
        ..memory
    }
}

fn locomo(arguments: &Arguments) -> Result<Vec<Set>> {
    #[derive(Deserialize)]
    struct Turn {
        conv: String,
        id: String,
        session: u32,
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
    let mut memories: BTreeMap<String, Vec<Text>> = BTreeMap::new();
    for turn in cases::lines::<Turn>(arguments, "locomo_turns.jsonl")? {
        let caption = if turn.caption.is_empty() {
            String::new()
        } else {
            format!(" ({})", turn.caption)
        };
        let text = format!("{}: {}{caption}", turn.speaker, turn.text);
        memories.entry(turn.conv).or_default().push(Text {
            id: turn.id,
            text,
            said: Some((turn.speaker, format!("session-{}", turn.session))),
        });
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
            texts: memories,
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
            texts: set
                .memories
                .into_iter()
                .map(|memory| Text {
                    id: memory.id,
                    text: memory.text,
                    said: None,
                })
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
