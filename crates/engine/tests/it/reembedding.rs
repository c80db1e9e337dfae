//! A change of the embedding model: nobody waits for it, and no kill undoes it.

use async_trait::async_trait;
use backend_sqlite::SqliteStore;
use engine::{Ended, ModelSwitch, OpenModel};
use memory_model::{MemoryFilter, WriteOp};
use ports::{EmbedError, EmbedPurpose, Embedder, EmbeddingSpace, MemoryBackend, VectorIndex};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use test_support::HashEmbedder;
use test_support::sample::{at, batch, minji, new_memory};

/// Set for the process that is killed: where its database is.
const CHILD: &str = "REVERIE_TEST_KILLED_CHILD";

const MEMORIES: usize = 200;

/// A model whose vectors have nothing to do with those of another name.
struct Model {
    space: EmbeddingSpace,
    backwards: bool,
    takes: Duration,
}

impl Model {
    fn named(model: &str, takes: Duration) -> Arc<dyn Embedder> {
        Arc::new(Self {
            space: EmbeddingSpace {
                source: "test".to_owned(),
                model: format!("people/{model}"),
                dimension: 64,
            },
            backwards: model == "new",
            takes,
        })
    }
}

#[async_trait]
impl Embedder for Model {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    async fn embed(&self, texts: &[String], _purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        tokio::time::sleep(self.takes).await;
        let vector = |text: &String| {
            let mut vector = HashEmbedder::vector(text);
            if self.backwards {
                vector.reverse();
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn old() -> Arc<dyn Embedder> {
    Model::named("old", Duration::ZERO)
}

fn new() -> Arc<dyn Embedder> {
    Model::named("new", Duration::ZERO)
}

/// The old model is still on this machine.
fn still_here() -> Arc<OpenModel> {
    Arc::new(|space: &EmbeddingSpace| Some(old()).filter(|model| model.space() == space))
}

/// The files of the old model are gone.
fn gone() -> Arc<OpenModel> {
    Arc::new(|_: &EmbeddingSpace| None)
}

async fn remember(store: &SqliteStore, key: &str, text: &str) {
    let memory = new_memory(&minji(), key, text);
    let batch = batch(&minji(), at(0), vec![WriteOp::Create { memory }]);
    store.apply(batch).await.unwrap();
}

/// The text of the memory that is nearest to a question, asked with the model that answers now.
async fn nearest(store: &SqliteStore, switch: &ModelSwitch, question: &str) -> Option<String> {
    let model = switch.answering(new());
    let vectors = model
        .embed(&[question.to_owned()], EmbedPurpose::Query)
        .await
        .unwrap();
    let filter = MemoryFilter::active(minji());
    let hits = store
        .search(model.space(), &filter, &vectors[0], 1)
        .await
        .unwrap();
    let id = hits.into_iter().next()?.id;
    Some(store.get(&minji(), &id).await.unwrap()?.text)
}

async fn kept(store: &SqliteStore, model: &Arc<dyn Embedder>) -> u32 {
    let spaces = store.vector_spaces().await.unwrap();
    let kept = spaces.iter().find(|kept| kept.space == *model.space());
    kept.map_or(0, |kept| kept.memories)
}

/// A store whose memories have vectors of the old model.
async fn embedded_with_the_old_model(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path).await.unwrap();
    for number in 0..MEMORIES {
        remember(
            &store,
            &format!("profile:{number}"),
            &format!("{number}번 손님은 창가 자리를 좋아해요"),
        )
        .await;
    }
    remember(&store, "preference:tea", "보리차는 차갑게 마셔요").await;
    let first = ModelSwitch::default();
    first.look(&store, &old(), gone()).await.unwrap();
    assert_eq!(first.progress(), None, "a first model replaces none");
    let ended = first.go_on(&store, &*old(), &|| {}).await.unwrap();
    assert_eq!(ended, Ended::Complete(MEMORIES as u32 + 1));
    store
}

#[tokio::test]
async fn a_killed_change_of_the_model_goes_on_and_the_old_vectors_answer_meanwhile() {
    if let Some(path) = std::env::var_os(CHILD) {
        embed_until_killed(Path::new(&path)).await;
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reverie.db");
    embedded_with_the_old_model(&path).await.close().await;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "reembedding::a_killed_change_of_the_model_goes_on_and_the_old_vectors_answer_meanwhile",
            "--nocapture",
        ])
        .env(CHILD, &path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let made = lines
        .map_while(Result::ok)
        .filter(|line| line == "made some")
        .take(2)
        .count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(made, 2);

    let store = SqliteStore::open(&path).await.unwrap();
    let before = kept(&store, &new()).await;
    assert!(
        (32..MEMORIES as u32).contains(&before),
        "{before} were embedded before the kill"
    );
    assert_eq!(
        kept(&store, &old()).await,
        MEMORIES as u32 + 1,
        "the old ones are all there"
    );

    let switch = ModelSwitch::default();
    switch.look(&store, &new(), still_here()).await.unwrap();
    let progress = switch.progress().unwrap();
    assert_eq!(progress.answering.as_deref(), Some("people/old"));
    assert_eq!((progress.done, progress.total), (before, MEMORIES as u32 + 1));
    let tea = Some("보리차는 차갑게 마셔요".to_owned());
    assert_eq!(
        nearest(&store, &switch, "보리차 차갑게").await,
        tea,
        "the old model answers"
    );

    // Stopped by a person: what is said meanwhile is found at once all the same.
    switch.pause(true);
    remember(&store, "decision:car", "We sold the red car").await;
    let ended = switch.go_on(&store, &*new(), &|| {}).await.unwrap();
    assert_eq!(ended, Ended::Stopped);
    assert!(switch.progress().unwrap().paused);
    assert_eq!(kept(&store, &new()).await, before);
    let car = Some("We sold the red car".to_owned());
    assert_eq!(nearest(&store, &switch, "sold the car").await, car);

    switch.pause(false);
    let ended = switch.go_on(&store, &*new(), &|| {}).await.unwrap();
    let rest = MEMORIES as u32 + 2 - before;
    assert_eq!(ended, Ended::Complete(rest), "nothing is embedded twice");
    assert_eq!(switch.progress(), None);
    assert_eq!(switch.answering(new()).space(), new().space());
    assert_eq!(nearest(&store, &switch, "보리차 차갑게").await, tea);
    let spaces = store.vector_spaces().await.unwrap();
    assert_eq!(spaces.len(), 1, "the old vectors are gone: {spaces:?}");
    assert_eq!(spaces[0].space, *new().space());
}

/// Embeds with the new model, slowly, and says so.
async fn embed_until_killed(path: &Path) {
    let store = SqliteStore::open(path).await.unwrap();
    let slow = Model::named("new", Duration::from_millis(200));
    let switch = ModelSwitch::default();
    switch.look(&store, &slow, still_here()).await.unwrap();
    let tell = || {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nmade some").unwrap();
        out.flush().unwrap();
    };
    switch.go_on(&store, &*slow, &tell).await.unwrap();
}

#[tokio::test]
async fn without_the_old_model_what_is_done_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = embedded_with_the_old_model(&folder.path().join("reverie.db")).await;
    let switch = ModelSwitch::default();
    switch.look(&store, &new(), gone()).await.unwrap();
    let progress = switch.progress().unwrap();
    assert_eq!((progress.answering, progress.done), (None, 0));
    assert_eq!(nearest(&store, &switch, "보리차").await, None);
    switch.go_on(&store, &*new(), &|| {}).await.unwrap();
    assert_eq!(
        nearest(&store, &switch, "보리차").await.as_deref(),
        Some("보리차는 차갑게 마셔요")
    );
    assert_eq!(store.vector_spaces().await.unwrap().len(), 1);
}
