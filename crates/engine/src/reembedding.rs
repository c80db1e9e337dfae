//! A change of the embedding model. Vectors of two models cannot be compared, so every memory is embedded again; until
//! that is complete the old vectors answer, with the old model for the questions, and then they go.
//!
//! Nothing here remembers how far the work has come: a memory has a vector in the new space or it has none. So work
//! that was killed goes on where it was.

use crate::EngineResult;
use crate::background::embed_rows;
use crate::open::lock;
use backend_sqlite::SqliteStore;
use ports::{EmbedError, Embedder, EmbeddingSpace, VectorIndex};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Memories embedded in one go: small enough that a question never waits long behind it.
const AT_ONCE: usize = 16;

/// Memories without a vector that are read in one go: finding them goes through all memories.
const READ_AT_ONCE: u32 = 512;

/// Loads the model of a space, where its files are still there. May take seconds.
pub type OpenModel = dyn Fn(&EmbeddingSpace) -> Option<Arc<dyn Embedder>> + Send + Sync;

/// How far a change of the model has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Reembedding {
    /// The model that questions are put to meanwhile; `None` when the old one is not there any more, so that only
    /// what is embedded already is found by meaning.
    pub answering: Option<String>,
    /// Memories that have a vector of the new model.
    pub done: u32,
    /// Memories in all.
    pub total: u32,
    /// A person has stopped it.
    pub paused: bool,
}

/// The state of a change of the model.
#[derive(Default)]
pub struct ModelSwitch {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The space that was looked at last.
    target: Option<EmbeddingSpace>,
    /// The old model, while its vectors answer.
    old: Option<Arc<dyn Embedder>>,
    progress: Option<Reembedding>,
    paused: bool,
    stop: CancellationToken,
}

/// How embedding what is missing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every memory has a vector; how many were made.
    Complete(u32),
    /// A person stopped it; what is done is kept.
    Stopped,
    /// The model failed; what is done is kept, and trying again goes on from there.
    Failed(EmbedError),
}

impl ModelSwitch {
    /// Finds out whether the vectors of another model have to answer while those of `target` are made. Cheap when
    /// it has been asked for this space before.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn look(
        &self,
        store: &SqliteStore,
        target: &Arc<dyn Embedder>,
        open: Arc<OpenModel>,
    ) -> EngineResult<()> {
        let space = target.space().clone();
        if lock(&self.state).target.as_ref() == Some(&space) {
            return Ok(());
        }
        let kept = store.vector_spaces().await?;
        let here = kept.iter().find(|kept| kept.space == space);
        let incomplete = !store.missing(&space, 1).await?.is_empty();
        // The one that answers for most of the memory.
        let old = kept.iter().find(|kept| kept.space != space && kept.memories > 0);
        let model = match old.filter(|_| incomplete) {
            Some(old) => {
                let wanted = old.space.clone();
                // Reads files of a hundred megabytes.
                tokio::task::spawn_blocking(move || open(&wanted))
                    .await
                    .unwrap_or_default()
            }
            None => None,
        };
        let total = store.embeddable_memories().await?;
        let mut state = lock(&self.state);
        state.progress = old.filter(|_| incomplete).map(|_| Reembedding {
            answering: model.as_ref().map(|model| model.space().model.clone()),
            done: here.map_or(0, |kept| kept.memories),
            total,
            paused: state.paused,
        });
        state.old = model;
        state.target = Some(space);
        Ok(())
    }

    /// The model that questions are put to: the old one until the new one's vectors are complete.
    pub fn answering(&self, target: Arc<dyn Embedder>) -> Arc<dyn Embedder> {
        lock(&self.state).old.clone().unwrap_or(target)
    }

    /// The old model, while its vectors answer.
    pub fn old(&self) -> Option<Arc<dyn Embedder>> {
        lock(&self.state).old.clone()
    }

    /// How far it has come; `None` when there is no change of model.
    pub fn progress(&self) -> Option<Reembedding> {
        lock(&self.state).progress.clone()
    }

    /// Stops or goes on. What is embedded stays embedded, and the old vectors answer.
    pub fn pause(&self, paused: bool) {
        let mut state = lock(&self.state);
        state.paused = paused;
        if let Some(progress) = &mut state.progress {
            progress.paused = paused;
        }
        if paused {
            state.stop.cancel();
        } else if state.stop.is_cancelled() {
            state.stop = CancellationToken::new();
        }
    }

    /// Embeds what has no vector of the new model, and takes the old vectors out when nothing is left to do.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn go_on(
        &self,
        store: &SqliteStore,
        target: &dyn Embedder,
        tell: &(dyn Fn() + Send + Sync),
    ) -> EngineResult<Ended> {
        let stop = lock(&self.state).stop.clone();
        let old = self.old();
        let count = |memories: u32| {
            if let Some(progress) = &mut lock(&self.state).progress {
                progress.done = progress.done.saturating_add(memories).min(progress.total);
            }
            tell();
        };
        let beside = old.as_deref();
        let ended = embed_missing(store, target, beside, &stop, &count).await?;
        if let Ended::Complete(_) = ended {
            let dropped = store.drop_other_spaces(target.space()).await?;
            let mut state = lock(&self.state);
            if state.target.as_ref() == Some(target.space()) {
                (state.old, state.progress) = (None, None);
            }
            drop(state);
            if dropped > 0 {
                tracing::info!(vectors = dropped, "the vectors of the old model were taken out");
                tell();
            }
        }
        Ok(ended)
    }
}

/// Embeds every memory that has no vector in the space of a model. What was said meanwhile gets a vector of `beside`
/// first, the model that answers until this one is complete.
///
/// # Errors
/// When the store cannot be used.
pub async fn embed_missing(
    store: &SqliteStore,
    model: &dyn Embedder,
    beside: Option<&dyn Embedder>,
    stop: &CancellationToken,
    count: &(dyn Fn(u32) + Send + Sync),
) -> EngineResult<Ended> {
    let mut made = 0;
    loop {
        if let Some(beside) = beside {
            let missing = store.missing(beside.space(), READ_AT_ONCE).await?;
            embed_some(store, beside, &missing, &CancellationToken::new(), &|_| {}).await?;
        }
        let missing = store.missing(model.space(), READ_AT_ONCE).await?;
        if missing.is_empty() {
            return Ok(Ended::Complete(made));
        }
        match embed_some(store, model, &missing, stop, count).await? {
            Ended::Complete(some) if some > 0 => made += some,
            Ended::Complete(_) => return Ok(Ended::Stopped),
            ended => return Ok(ended),
        }
    }
}

/// Embeds some memories and keeps their vectors, a few at a time: that much a kill takes away at most.
async fn embed_some(
    store: &SqliteStore,
    model: &dyn Embedder,
    missing: &[ports::MissingVector],
    stop: &CancellationToken,
    count: &(dyn Fn(u32) + Send + Sync),
) -> EngineResult<Ended> {
    let mut made = 0;
    for some in missing.chunks(AT_ONCE) {
        if stop.is_cancelled() {
            return Ok(Ended::Stopped);
        }
        match embed_rows(model, some).await {
            Ok(rows) => store.put(model.space(), rows).await?,
            Err(error) => {
                tracing::warn!(%error, "embedding failed");
                return Ok(Ended::Failed(error));
            }
        }
        let memories = u32::try_from(some.len()).unwrap_or(u32::MAX);
        made += memories;
        count(memories);
    }
    Ok(Ended::Complete(made))
}
