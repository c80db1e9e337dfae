//! The models that run on this machine, as the `Embedder` port.

use crate::e5::E5Model;
use crate::files::{self, ModelFile};
use crate::forward::Precision;
use crate::model::{BertEncoderModel, ModelError, Runner};
use crate::worker::{TextModel, Worker};
use async_trait::async_trait;
use embedding::ModelProfile;
use ports::{EmbedError, EmbedPurpose, EmbeddedTokens, Embedder, EmbeddingSpace};
use std::path::Path;
use std::sync::Arc;

/// A model that this machine can run: what is particular to it, and the files it is made of. Another model
/// of the BERT family is one more constant here and its `.files` list.
#[derive(Clone, Copy, Debug)]
pub struct LocalModel {
    /// What is particular to it.
    pub profile: &'static ModelProfile,
    /// How exact its products are.
    pub precision: Precision,
    /// What its files are.
    format: Format,
    /// The `.files` list.
    list: &'static str,
}

/// How a model is kept on disk.
#[derive(Clone, Copy, Debug)]
enum Format {
    /// `config.json`, `tokenizer.json` and `model.safetensors`.
    Safetensors,
    /// One file with weights of 4 bit and its own tokenizer.
    E5Bin,
}

impl LocalModel {
    /// The model of the setting's default.
    pub const ALL_MINILM_L6_V2: Self = Self {
        profile: &embedding::ALL_MINILM_L6_V2,
        precision: Precision::F32,
        format: Format::Safetensors,
        list: include_str!("../models/all-MiniLM-L6-v2.files"),
    };

    /// The model for every language.
    pub const MULTILINGUAL_E5_SMALL: Self = Self {
        profile: &embedding::MULTILINGUAL_E5_SMALL,
        precision: Precision::F32,
        format: Format::E5Bin,
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
        let embedder = match self.format {
            Format::Safetensors => {
                let model =
                    BertEncoderModel::load(self, dir).map_err(|error| self.load_failed(&error, dir))?;
                LocalEmbedder::start(self.space(), model)
            }
            Format::E5Bin => {
                let list = self.files();
                files::verify(dir, &list).map_err(|error| self.load_failed(&error, dir))?;
                let file = list.first().map(|file| dir.join(file.name)).unwrap_or_default();
                let model = E5Model::load(self.profile, &file, Runner::best(self.precision))
                    .map_err(|error| self.load_failed(&error, dir))?;
                LocalEmbedder::start(self.space(), model)
            }
        }?;
        let millis = begun.elapsed().as_millis();
        tracing::info!(model = self.profile.name, millis, "embedding model loaded");
        Ok(embedder)
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
    model: Arc<dyn Chunker>,
    worker: Worker,
}

/// Cuts texts into what a model reads whole.
pub(crate) trait Chunker: Send + Sync {
    /// See [`ports::Embedder::chunks`].
    fn chunks(&self, text: &str) -> Vec<String>;
}

impl LocalEmbedder {
    /// Starts the thread of a model.
    fn start<M>(space: EmbeddingSpace, model: M) -> Result<Self, EmbedError>
    where
        M: Chunker + 'static,
        Arc<M>: TextModel,
    {
        let model = Arc::new(model);
        let worker = Worker::start(Arc::clone(&model)).map_err(|error| EmbedError::ModelLoadFailed {
            reason: format!("its thread could not be started: {error}"),
        })?;
        Ok(Self { space, model, worker })
    }
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

    async fn embed_tokens(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Option<Vec<EmbeddedTokens>>, EmbedError> {
        self.worker.embed_tokens(texts.to_vec(), purpose).await.map(Some)
    }
}

impl Chunker for BertEncoderModel {
    fn chunks(&self, text: &str) -> Vec<String> {
        Self::chunks(self, text)
    }
}

impl TextModel for Arc<BertEncoderModel> {
    fn tokens(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError> {
        BertEncoderModel::tokens(self, text, purpose)
    }

    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        BertEncoderModel::vectors(self, batch)
    }
    fn token_vectors(&self, text: &str, purpose: EmbedPurpose) -> Result<EmbeddedTokens, ModelError> {
        BertEncoderModel::token_vectors(self, text, purpose)
    }
}
