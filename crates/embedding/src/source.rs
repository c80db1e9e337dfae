//! Which source makes the vectors.

use serde::{Deserialize, Serialize};

/// The setting `memoryEmbeddingSource`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingSource {
    /// A BERT-family model on this machine.
    Transformers,
    /// A static model on this machine.
    Static,
    /// A provider's model over HTTP.
    Remote,
    /// The best of those that can work now.
    #[default]
    Auto,
}

impl EmbeddingSource {
    /// Every source; the Settings screen lists them in this order.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Transformers, Self::Static, Self::Remote];

    /// Its name in settings, and the `source` of its embedding space.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transformers => "transformers",
            Self::Static => "static",
            Self::Remote => "remote",
            Self::Auto => "auto",
        }
    }

    /// The source with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// What could work now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Available {
    /// A provider's model is set, its key is there, and it answered when it was last asked.
    pub remote: bool,
    /// The files of the transformers model are there and it is not switched off.
    pub transformers: bool,
    /// The files of the static model are there and it is not switched off.
    pub static_model: bool,
}

/// The source to use, or `None` for search by words only. A source that was named is taken or none is:
/// putting another in its place would mix two embedding spaces without a word.
pub fn choose_source(setting: EmbeddingSource, available: Available) -> Option<EmbeddingSource> {
    let works = |source| match source {
        EmbeddingSource::Remote => available.remote,
        EmbeddingSource::Transformers => available.transformers,
        EmbeddingSource::Static => available.static_model,
        EmbeddingSource::Auto => false,
    };
    let candidates: &[EmbeddingSource] = match setting {
        EmbeddingSource::Auto => &[
            EmbeddingSource::Remote,
            EmbeddingSource::Transformers,
            EmbeddingSource::Static,
        ],
        EmbeddingSource::Transformers => &[EmbeddingSource::Transformers],
        EmbeddingSource::Static => &[EmbeddingSource::Static],
        EmbeddingSource::Remote => &[EmbeddingSource::Remote],
    };
    candidates.iter().copied().find(|&source| works(source))
}
