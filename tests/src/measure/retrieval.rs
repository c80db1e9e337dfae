//! `retrieval`: what a question finds, at the grain of a conversation turn (LoCoMo) or of a memory.

use super::world::Model;
use super::{Arguments, Measured, cases, round};
use anyhow::Result;
use backend_sqlite::SqliteStore;
use memory_model::{
    Category, ChangeReason, Evidence, Language, MemoryFilter, Namespace, NewMemory, Origin, Polarity,
    Strategy, ThreadId, Timestamp, UserId, WriteBatch, WriteOp,
};
use ports::MemoryBackend;
use recall::search::Places;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

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

/// The strategy of the product before word pieces are there.
const WITHOUT_TOKEN_VECTORS: &str = "hybrid_without_token_vectors";

/// Our own Korean memories, each with the question that somebody would ask for it.
const KOREAN: &str = include_str!("korean.tsv");

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let mut sets = vec![korean()];
    if cases::file(arguments, "retrieval.json").is_ok() {
        sets.extend(own_sets(arguments)?);
    }
    let own = sets.len();
    if cases::file(arguments, "locomo_turns.jsonl").is_ok() {
        sets.extend(locomo(arguments)?);
    }
    anyhow::ensure!(
        arguments.cases.is_none() || sets.len() > 1,
        "neither retrieval.json nor locomo_turns.jsonl is in the folder of the cases"
    );
    let model = Model::load(arguments.model.as_deref())?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut lines = Vec::new();
    let mut figures = serde_json::Map::new();
    figures.insert("model".to_owned(), Value::String(model.0.space().name()));
    let mut locomo: BTreeMap<&str, Score> = BTreeMap::new();
    for (place, set) in sets.iter().enumerate() {
        progress(&format!("set {} of {}: {}", place + 1, sets.len(), set.name));
        let scores = runtime.block_on(ask_set(set, &model, &mut lines))?;
        figures.insert(set.name.clone(), of_strategies(&scores));
        if place >= own {
            for (strategy, score) in &scores {
                locomo.entry(strategy).or_default().merge(score);
            }
        }
    }
    if !locomo.is_empty() {
        figures.insert("locomo".to_owned(), of_strategies(&locomo));
    }
    Ok(Measured {
        lines,
        figures: Value::Object(figures),
    })
}

/// Tells a person how far it has come; standard output belongs to the result.
#[expect(clippy::print_stderr, reason = "a command line program")]
fn progress(line: &str) {
    eprintln!("{line}");
}

fn of_strategies(scores: &BTreeMap<&str, Score>) -> Value {
    let of_set: serde_json::Map<String, Value> = (scores.iter())
        .map(|(strategy, score)| ((*strategy).to_owned(), score.figures()))
        .collect();
    Value::Object(of_set)
}

/// Fills a store with a set and asks it by every strategy, first with what a memory has when it is new, then with
/// the word pieces that the app adds in the background.
async fn ask_set(set: &Set, model: &Model, lines: &mut Vec<Value>) -> Result<BTreeMap<&'static str, Score>> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("reverie.db")).await?;
    let owner = UserId::new("local");
    keep(&store, &owner, &set.texts).await?;
    let (all, done) = (set.texts.len(), AtomicUsize::new(0));
    let ended = engine::embed_missing(&store, &*model.0, None, &CancellationToken::new(), &|some| {
        let done = done.fetch_add(some as usize, Ordering::Relaxed) + some as usize;
        if done.is_multiple_of(512) || done == all {
            progress(&format!("  {done} of {all} texts embedded"));
        }
    })
    .await?;
    anyhow::ensure!(matches!(ended, engine::Ended::Complete(_)), "{ended:?}");
    let asked = Asking {
        set,
        store: &store,
        model,
        owner: &owner,
    };
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    for strategy in Strategy::ALL {
        let name = match strategy {
            Strategy::Hybrid => WITHOUT_TOKEN_VECTORS,
            other => other.name(),
        };
        scores.insert(name, asked.by(strategy, None).await?);
    }
    progress("  asked without word pieces");
    let failed = engine::embed_token_vectors(&store, &*model.0, &|_| {}).await?;
    anyhow::ensure!(failed.is_none(), "word pieces could not be made: {failed:?}");
    let product = Strategy::default();
    scores.insert(product.name(), asked.by(product, Some(lines)).await?);
    progress("  asked with word pieces");
    store.close().await;
    Ok(scores)
}

/// A filled store and the questions that are put to it.
struct Asking<'a> {
    set: &'a Set,
    store: &'a SqliteStore,
    model: &'a Model,
    owner: &'a UserId,
}

impl Asking<'_> {
    /// Asks all questions by one strategy, and writes a line for each where lines are wanted.
    async fn by(&self, strategy: Strategy, mut lines: Option<&mut Vec<Value>>) -> Result<Score> {
        let filter = MemoryFilter::active(self.owner.clone());
        let embedder = self.model.0.as_ref();
        let places = Places {
            memory: self.store,
            vectors: self.store,
            embedder: Some(embedder),
        };
        let mut score = Score::default();
        for question in &self.set.questions {
            let query = recall::Query::of(&question.text);
            let params = |with_irrelevant| recall::Params {
                strategy,
                rrf_k: 60,
                limit: RANKED_MAX,
                similarity_min: embedding::thresholds_for(embedder.space(), &question.text).relevance_floor,
                with_irrelevant,
                now: NOW,
            };
            let all = recall::search(&query, &filter, places, params(true)).await?;
            let ranked: Vec<String> = all.found.hits.iter().map(|hit| hit.memory.key.clone()).collect();
            score.add(&ranked, question, self.set);
            if let Some(lines) = &mut lines {
                let relevant = recall::search(&query, &filter, places, params(false)).await?;
                lines.push(json!({
                    "set": self.set.name,
                    "question": question.id,
                    "ranked": ranked,
                    "below_floor": relevant.found.hits.is_empty(),
                }));
            }
        }
        Ok(score)
    }
}

/// Keeps each text as a memory whose key is its id.
async fn keep(store: &SqliteStore, owner: &UserId, texts: &[Text]) -> Result<()> {
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
    Ok(())
}

/// A line a pair: what is kept, a tab, what is asked.
fn korean() -> Set {
    let pairs: Vec<(&str, &str)> = KOREAN.lines().filter_map(|line| line.split_once('\t')).collect();
    let id = |place: usize| format!("korean:{place}");
    Set {
        name: "korean".to_owned(),
        texts: (pairs.iter().enumerate())
            .map(|(place, (text, _))| Text {
                id: id(place),
                text: (*text).to_owned(),
                said: None,
            })
            .collect(),
        questions: (pairs.iter().enumerate())
            .map(|(place, (_, question))| Question {
                id: Value::String(id(place)),
                text: (*question).to_owned(),
                relevant: vec![id(place)],
            })
            .collect(),
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
