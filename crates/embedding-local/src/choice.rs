//! Which model of the source `transformers` is loaded.

use crate::files;
use crate::forward::Precision;
use crate::local::LocalModel;
use crate::locations;
use embedding::EmbedderLoader;
use ports::{EmbedError, Embedder, EmbeddingSpace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The models in the order in which they are preferred when nobody names one: first the one that reads every
/// language, because one index has one space and nobody writes in one language only.
///
/// That one's weights were rounded to 4 bit when its file was made. Multiplied in 8 bits its vectors stay as near to
/// the exact ones as the tests ask (0.995 in English, 0.985 in Korean), and a short question, which waits for its
/// weights to come from memory, reads a quarter of them.
fn preset() -> [LocalModel; 2] {
    let every_language = LocalModel::MULTILINGUAL_E5_SMALL;
    [
        match Precision::Int8.is_quick_here() {
            true => every_language.in_precision(Precision::Int8),
            false => every_language,
        },
        LocalModel::ALL_MINILM_L6_V2,
    ]
}

/// Finds and loads the model of the source `transformers` for [`embedding::LazyEmbedder`].
#[derive(Clone, Debug)]
pub struct TransformersLoader {
    candidates: Vec<LocalModel>,
    /// A name that no model has.
    unknown: Option<String>,
    folders: Vec<PathBuf>,
    data_models: PathBuf,
}

impl TransformersLoader {
    /// A loader that looks where [`crate::models_folders`] says. `None` takes the best model whose files are
    /// there; a name takes that model or none.
    pub fn new(data_dir: &Path, exe_dir: &Path, name: Option<&str>) -> Self {
        let candidates: Vec<LocalModel> = preset()
            .into_iter()
            .filter(|model| name.is_none_or(|name| model.has_name(name)))
            .collect();
        Self {
            unknown: name.filter(|_| candidates.is_empty()).map(str::to_owned),
            candidates,
            folders: locations::models_folders(data_dir, exe_dir),
            data_models: data_dir.join("models"),
        }
    }

    /// A loader of the model that made the vectors of a space, in that precision; `None` for another source or a
    /// model that nobody knows.
    pub fn of_space(data_dir: &Path, exe_dir: &Path, space: &EmbeddingSpace) -> Option<Self> {
        let model = [Precision::F32, Precision::Int8]
            .into_iter()
            .flat_map(|precision| preset().map(|model| model.in_precision(precision)))
            .find(|model| model.space() == *space)?;
        Some(Self {
            candidates: vec![model],
            unknown: None,
            folders: locations::models_folders(data_dir, exe_dir),
            data_models: data_dir.join("models"),
        })
    }

    /// The first model whose files are there, with their folder.
    fn whole(&self) -> Option<(LocalModel, PathBuf)> {
        self.candidates.iter().find_map(|model| {
            let dir = locations::find_in(self.folders.clone(), model)?;
            files::look_whole(&dir, &model.files()).then_some((*model, dir))
        })
    }

    /// What is loaded: the first whole model, otherwise the first of which there is anything, because loading it
    /// says what is wrong with it.
    fn chosen(&self) -> Option<(LocalModel, PathBuf)> {
        let begun = || {
            self.candidates
                .iter()
                .find_map(|model| Some((*model, locations::find_in(self.folders.clone(), model)?)))
        };
        // Where no folder exists, loading from the data folder says which files belong there.
        let first = || {
            let model = *self.candidates.first()?;
            Some((model, self.data_models.join(model.profile.folder)))
        };
        self.whole().or_else(begun).or_else(first)
    }
}

impl LocalModel {
    /// The full name, or the part behind the organisation.
    fn has_name(&self, name: &str) -> bool {
        embedding::ModelProfile::named(name) == Some(self.profile)
    }
}

impl EmbedderLoader for TransformersLoader {
    fn space(&self) -> EmbeddingSpace {
        match self.chosen() {
            Some((model, _)) => model.space(),
            None => EmbeddingSpace {
                source: "transformers".to_owned(),
                model: self.unknown.clone().unwrap_or_default(),
                dimension: 0,
            },
        }
    }

    fn fingerprint(&self) -> Option<String> {
        let (model, dir) = self.chosen()?;
        dir.is_dir().then(|| {
            let of_files = files::fingerprint(&dir, &model.files());
            format!("{}\n{of_files}", dir.display())
        })
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let Some((model, dir)) = self.chosen() else {
            let known = preset().map(|model| model.profile.name);
            return Err(EmbedError::ModelLoadFailed {
                reason: format!(
                    "{} is no model that this app can run; it can run {}",
                    self.unknown.as_deref().unwrap_or("this"),
                    known.join(" and ")
                ),
            });
        };
        Ok(Arc::new(model.load_from(&dir)?))
    }
}
