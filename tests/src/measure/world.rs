//! What the measurements run on: the real model and the real database, in a folder that goes away.

use anyhow::{Context as _, Result, bail};
use embedding::EmbedderLoader;
use embedding_local::TransformersLoader;
use engine::{Engine, Options};
use ports::{ChatModel, EmbedPurpose, Embedder};
use std::path::Path;
use std::sync::Arc;

/// The embedding model that the app uses.
pub struct Model(pub Arc<dyn Embedder>);

impl Model {
    /// Loads it from where the app looks; `None` takes the one that the app would take.
    pub fn load(name: Option<&str>) -> Result<Self> {
        let exe = crate::programs::folder()?;
        match TransformersLoader::new(&exe, &exe, name).load() {
            Ok(model) => Ok(Self(model)),
            Err(error) => bail!("{error}"),
        }
    }

    /// One vector a text.
    pub async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>> {
        self.0.embed(texts, purpose).await.context("the embedding model")
    }
}

/// An engine with default settings on a folder.
pub async fn engine(folder: &Path, chat_model: Option<Arc<dyn ChatModel>>) -> Result<Engine> {
    let engine = Engine::open(Options {
        data_dir: folder.to_path_buf(),
        exe_dir: crate::programs::folder()?,
        env: Arc::new(|name| std::env::var(name).ok()),
        chat_model,
        background: false,
        fault: None,
    })
    .await?;
    engine.wait_for_model().await;
    Ok(engine)
}
