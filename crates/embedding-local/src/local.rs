//! The models that run on this machine, as the `Embedder` port.

use crate::files::{self, ModelFile};
use crate::forward::Precision;
use crate::locations;
use crate::model::{BertEncoderModel, ModelError};
use crate::worker::{TextModel, Worker};
use async_trait::async_trait;
use embedding::{EmbedderLoader, ModelProfile};
use ports::{EmbedError, EmbedPurpose, Embedder, EmbeddingSpace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that this machine can run: what is particular to it, and the files it is made of. Another model
/// of the BERT family is one more constant here and its `.files` list.
#[derive(Clone, Copy, Debug)]
pub struct LocalModel {
    /// What is particular to it.
    pub profile: &'static ModelProfile,
    /// How exact its products are.
    pub precision: Precision,
    /// The `.files` list.
    list: &'static str,
}

impl LocalModel {
    /// The model of the setting's default.
    pub const ALL_MINILM_L6_V2: Self = Self {
        profile: &embedding::ALL_MINILM_L6_V2,
        precision: Precision::F32,
        list: include_str!("../models/all-MiniLM-L6-v2.files"),
    };

    /// The model for every language; [`crate::E5Embedder`] runs it.
    pub const MULTILINGUAL_E5_SMALL: Self = Self {
        profile: &embedding::MULTILINGUAL_E5_SMALL,
        precision: Precision::F32,
        list: include_str!("../models/multilingual-e5-small.files"),
    };

    /// The same model in another precision, and so in another space.
    #[must_use]
    pub const fn in_precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// The space of its vectors. Vectors of 8 bits never go into an index of exact ones.
    pub fn space(&self) -> EmbeddingSpace {
        let mut space = self.profile.space();
        if self.precision == Precision::Int8 {
            space.model.push_str("+int8");
        }
        space
    }

    /// Loads all-MiniLM-L6-v2 from its folder. See [`Self::load_from`].
    ///
    /// # Errors
    /// As [`Self::load_from`].
    pub fn load(dir: &Path) -> Result<LocalEmbedder, EmbedError> {
        Self::ALL_MINILM_L6_V2.load_from(dir)
    }

    /// Checks the files in `dir`, loads the model and starts its thread. Takes a fraction of a second, and
    /// longer the first time, when the files are hashed: call it on a thread that may wait.
    ///
    /// # Errors
    /// `ModelLoadFailed` with what is wrong and what to do about it.
    pub fn load_from(&self, dir: &Path) -> Result<LocalEmbedder, EmbedError> {
        let begun = std::time::Instant::now();
        let model = BertEncoderModel::load(self, dir).map_err(|error| self.load_failed(&error, dir))?;
        let model = Arc::new(model);
        let worker = Worker::start(Arc::clone(&model)).map_err(|error| EmbedError::ModelLoadFailed {
            reason: format!("its thread could not be started: {error}"),
        })?;
        let millis = begun.elapsed().as_millis();
        tracing::info!(model = self.profile.name, millis, "embedding model loaded");
        Ok(LocalEmbedder {
            space: self.space(),
            model,
            worker,
        })
    }

    pub(crate) fn files(&self) -> Vec<ModelFile> {
        files::parse_list(self.list)
    }

    pub(crate) fn load_failed(&self, error: &dyn std::error::Error, dir: &Path) -> EmbedError {
        let cause = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        EmbedError::ModelLoadFailed {
            reason: format!("{cause}. {}", self.remedy(dir)),
        }
    }

    /// What a person can do: the command for somebody with the source, the files for everybody else.
    fn remedy(&self, dir: &Path) -> String {
        let names: Vec<&str> = self.files().iter().map(|file| file.name).collect();
        format!(
            "Run `cargo xtask models` in the source folder, or put {} of {} into `{}`",
            names.join(", "),
            self.profile.name,
            dir.display()
        )
    }
}

/// A loaded model. Cheap to share behind an `Arc`; the model runs on its own thread and dropping this ends it.
pub struct LocalEmbedder {
    space: EmbeddingSpace,
    model: Arc<BertEncoderModel>,
    worker: Worker,
}

impl std::fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalEmbedder")
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
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

impl TextModel for Arc<BertEncoderModel> {
    fn tokens(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError> {
        BertEncoderModel::tokens(self, text, purpose)
    }

    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        BertEncoderModel::vectors(self, batch)
    }
}

/// Finds and loads a model for [`embedding::LazyEmbedder`].
#[derive(Clone, Debug)]
pub struct LocalLoader {
    model: LocalModel,
    folders: Vec<PathBuf>,
    data_models: PathBuf,
}

impl LocalLoader {
    /// A loader of all-MiniLM-L6-v2 that looks where [`crate::find_model_dir`] looks.
    pub fn new(data_dir: &Path, exe_dir: &Path) -> Self {
        Self {
            model: LocalModel::ALL_MINILM_L6_V2,
            folders: locations::models_folders(data_dir, exe_dir),
            data_models: data_dir.join("models"),
        }
    }
}

impl EmbedderLoader for LocalLoader {
    fn space(&self) -> EmbeddingSpace {
        self.model.space()
    }

    fn fingerprint(&self) -> Option<String> {
        let dir = locations::find_in(self.folders.clone(), &self.model)?;
        Some(format!(
            "{}\n{}",
            dir.display(),
            files::fingerprint(&dir, &self.model.files())
        ))
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        // Where no folder exists, loading from the data folder says which files belong there.
        let dir = locations::find_in(self.folders.clone(), &self.model)
            .unwrap_or_else(|| self.data_models.join(self.model.profile.folder));
        Ok(Arc::new(self.model.load_from(&dir)?))
    }
}
