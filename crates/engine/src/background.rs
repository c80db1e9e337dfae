//! What runs behind the window. Each task has one shape: woken by a timer or a signal, it reads the current state
//! and does what is missing; running it twice is harmless.

use crate::open::lock;
use crate::token_vectors::embed_token_vectors;
use crate::{Ended, Engine, EngineResult, Tag, TroubleKind};
use memory_model::Timestamp;
use ports::{Conversations, EmbedError, EmbedPurpose, Embedder, MemoryBackend, MissingVector, NewVectors};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// How long a deletion can be taken back (design, «Decided»).
pub(crate) const UNDO_WINDOW_MILLIS: i64 = 30_000;

/// How soon a window shows what another program wrote.
const WATCH_EVERY: Duration = Duration::from_millis(400);

/// How often deleted rows are looked for, and a model that failed is looked at again.
const TIDY_EVERY: Duration = Duration::from_secs(10);

/// How often a window hears how far embedding has come.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Starts every task.
pub(crate) fn start(engine: &Engine) {
    spawn(engine, "resume", |engine| async move {
        forget_temporary_threads(&engine).await?;
        engine.resume_turns().await
    });
    spawn(engine, "embed", embed_forever);
    spawn(engine, "watch", watch_forever);
    spawn(engine, "tidy", tidy_forever);
}

fn spawn<F>(engine: &Engine, name: &'static str, task: impl FnOnce(Engine) -> F)
where
    F: Future<Output = EngineResult<()>> + Send + 'static,
{
    let closing = engine.inner.closing.clone();
    let work = task(engine.clone());
    engine.inner.tasks.spawn(async move {
        tokio::select! {
            () = closing.cancelled() => {}
            ended = work => if let Err(error) = ended {
                tracing::warn!(task = name, %error, "background task ended");
            }
        }
    });
}

impl Engine {
    /// Does once what the window does all the time: takes over turns of dead programs, erases what is due, and
    /// embeds what has no vector if the model is there. For commands, which live for one answer.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn catch_up(&self) -> EngineResult<()> {
        self.resume_turns().await?;
        purge(self, self.inner.clock.now()).await?;
        tidy_up(self).await;
        match self.new_embedder() {
            Some(embedder) => embed_missing(self, &embedder).await,
            None => Ok(()),
        }
    }
}

/// Gives a vector to every memory that has none.
async fn embed_forever(engine: Engine) -> EngineResult<()> {
    loop {
        engine.wait_for_model().await;
        if let Some(embedder) = engine.new_embedder()
            && let Err(error) = embed_missing(&engine, &embedder).await
        {
            tracing::warn!(%error, "memories could not be embedded; trying again later");
            engine.trouble(TroubleKind::Index, &error);
        }
        if let Some(embedder) = engine.embedder() {
            // After the vectors of whole texts, without which nothing is found by meaning.
            match embed_token_vectors(&engine.inner.store, embedder.as_ref(), &|_| {}).await {
                Ok(None) => {}
                Ok(Some(error)) => tracing::warn!(%error, "embedding of word pieces failed"),
                Err(error) => tracing::warn!(%error, "word pieces could not be kept; trying again later"),
            }
        }
        tokio::select! {
            () = engine.inner.wake.notified() => {}
            () = tokio::time::sleep(TIDY_EVERY) => {}
        }
    }
}

pub(crate) async fn embed_missing(engine: &Engine, embedder: &Arc<dyn Embedder>) -> EngineResult<()> {
    let (store, switch) = (&engine.inner.store, &engine.inner.switch);
    let open = Arc::clone(&engine.inner.open_model);
    switch.look(store, embedder, open).await?;
    let answering = switch.answering(Arc::clone(embedder));
    store.warm_vectors(answering.space()).await?;
    let told = Mutex::new(None::<Instant>);
    let tell = || {
        let mut told = lock(&told);
        if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            *told = Some(Instant::now());
            drop(told);
            engine.changed(&[Tag::Health]);
        }
    };
    let ended = switch.go_on(store, embedder.as_ref(), &tell).await?;
    match ended {
        // The last word: what was told in between may be behind.
        Ended::Complete(1..) => engine.changed(&[Tag::Health]),
        Ended::Complete(_) | Ended::Stopped => {}
        Ended::Failed(error) => engine.trouble(TroubleKind::Embedding, &error),
    }
    Ok(())
}

/// One vector for each chunk of some memories.
pub(crate) async fn embed_rows(
    embedder: &dyn Embedder,
    missing: &[MissingVector],
) -> Result<Vec<NewVectors>, EmbedError> {
    let chunked: Vec<Vec<String>> = missing.iter().map(|row| embedder.chunks(&row.text)).collect();
    let texts: Vec<String> = chunked.iter().flatten().cloned().collect();
    let mut vectors = embedder.embed(&texts, EmbedPurpose::Passage).await?.into_iter();
    let rows = missing.iter().zip(&chunked).map(|(row, chunks)| NewVectors {
        id: row.id.clone(),
        content_hash: row.content_hash.clone(),
        chunks: vectors.by_ref().take(chunks.len()).collect(),
    });
    Ok(rows.collect())
}

/// A temporary thread lives as long as the window it was opened in.
async fn forget_temporary_threads(engine: &Engine) -> EngineResult<()> {
    let owner = engine.user();
    for archived in [false, true] {
        let threads = engine.list_threads(None, archived).await?;
        for thread in threads.iter().filter(|thread| thread.temporary) {
            // Deleted long ago, so that the next purge erases it.
            engine
                .inner
                .store
                .delete_thread(&owner, &thread.id, true, Timestamp::default())
                .await?;
        }
    }
    purge(engine, engine.inner.clock.now()).await
}

/// Tells the window when another program wrote to the same data.
async fn watch_forever(engine: Engine) -> EngineResult<()> {
    let mut seen = engine.inner.store.others_version().await?;
    loop {
        tokio::time::sleep(WATCH_EVERY).await;
        let now = match engine.inner.store.others_version().await {
            Ok(now) => now,
            Err(error) => {
                tracing::warn!(%error, "the data cannot be watched; trying again");
                engine.trouble(TroubleKind::Store, &error);
                continue;
            }
        };
        if now != seen {
            seen = now;
            if let Err(error) = engine.reload_settings().await {
                tracing::warn!(%error, "the settings could not be read again");
            }
            engine.changed(&[
                Tag::Threads,
                Tag::Messages,
                Tag::Memories,
                Tag::Review,
                Tag::Settings,
                Tag::Health,
            ]);
        }
    }
}

/// Erases for good what was deleted and can no longer be brought back.
async fn tidy_forever(engine: Engine) -> EngineResult<()> {
    loop {
        if let Err(error) = purge(&engine, engine.inner.clock.now()).await {
            tracing::warn!(%error, "deleted rows could not be erased; trying again");
            engine.trouble(TroubleKind::Store, &error);
        }
        tidy_up(&engine).await;
        engine.inner.models.retry_if_changed();
        tokio::time::sleep(TIDY_EVERY).await;
    }
}

/// What is due and can wait: nothing of it keeps the others from being done.
async fn tidy_up(engine: &Engine) {
    if let Err(error) = engine.archive_expired().await {
        tracing::warn!(%error, "old memories could not be archived; trying again");
    }
    if let Err(error) = engine.inner.store.empty_log_if_due().await {
        tracing::warn!(%error, "the log could not be emptied; trying again");
    }
    if let Err(error) = engine.backup_if_due().await {
        tracing::warn!(%error, "the database could not be backed up; trying again");
    }
}

pub(crate) async fn purge(engine: &Engine, now: Timestamp) -> EngineResult<()> {
    let before = now.plus_millis(-UNDO_WINDOW_MILLIS);
    let memories = engine.inner.store.purge_deleted(before).await?;
    let threads = engine.inner.store.purge_threads(before).await?;
    if memories + threads > 0 {
        // A backup still holds what was erased; the next one does not.
        engine.inner.store.remove_backups().await?;
        tracing::info!(memories, threads, "erased what was deleted");
        engine.changed(&[Tag::Memories, Tag::Threads, Tag::Health]);
    }
    Ok(())
}
