//! multilingual-e5-small as the `Embedder` port.

use super::model::E5Model;
use crate::files;
use crate::local::LocalModel;
use crate::worker::Worker;
use async_trait::async_trait;
use ports::{EmbedError, EmbedPurpose, Embedder, EmbeddingSpace};
use std::path::Path;
use std::sync::Arc;

/// multilingual-e5-small, loaded. The model runs on its own thread; dropping this ends it.
pub struct E5Embedder {
    space: EmbeddingSpace,
    model: Arc<E5Model>,
    worker: Worker,
}

impl E5Embedder {
    /// Checks the file in `dir`, loads the model and starts its thread. Takes a fraction of a second, and longer
    /// the first time, when the file is hashed: call it on a thread that may wait.
    ///
    /// # Errors
    /// `ModelLoadFailed` with what is wrong and what to do about it.
    pub fn load(dir: &Path) -> Result<Self, EmbedError> {
        let begun = std::time::Instant::now();
        let known = LocalModel::MULTILINGUAL_E5_SMALL;
        let list = known.files();
        files::verify(dir, &list).map_err(|error| known.load_failed(&error, dir))?;
        let file = list.first().map(|file| dir.join(file.name)).unwrap_or_default();
        let model = E5Model::load(known.profile, &file).map_err(|error| known.load_failed(&error, dir))?;
        let model = Arc::new(model);
        let worker = Worker::start(Arc::clone(&model)).map_err(|error| EmbedError::ModelLoadFailed {
            reason: format!("its thread could not be started: {error}"),
        })?;
        let millis = begun.elapsed().as_millis();
        tracing::info!(model = known.profile.name, millis, "embedding model loaded");
        Ok(Self {
            space: known.profile.space(),
            model,
            worker,
        })
    }
}

impl std::fmt::Debug for E5Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("E5Embedder")
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Embedder for E5Embedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        self.model.chunks(text)
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.worker.embed(texts.to_vec(), purpose).await
    }
}
