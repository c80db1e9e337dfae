//! A static model in the format of model2vec: one vector a word piece, and a text is the mean of its pieces. No
//! layers run, so a text takes far less than a millisecond.

use crate::chunks::{self, Word};
use crate::locations;
use async_trait::async_trait;
use embedding::{EmbedderLoader, EmbeddingSource};
use ports::{EmbedError, EmbedPurpose, Embedder, EmbeddingSpace};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokenizers::Tokenizer;

/// Word pieces of a text that count, as in model2vec; more of them hardly move a mean.
const TOKENS_MAX: usize = 512;

/// Words of a chunk of a long text: a mean over more says little about any of them.
const CHUNK_WORDS: usize = 160;

/// Words that neighbouring chunks share.
const OVERLAP_WORDS: usize = 24;

/// Numbers that a vector may have; the tables that exist have 32 to 1024.
const DIMENSION_MAX: usize = 8_192;

/// Files of a static model.
const FILES: [&str; 3] = ["config.json", "model.safetensors", "tokenizer.json"];

/// Numbers in the vectors of the default model, for the name of its space before it is loaded.
const POTION_DIMENSION: usize = 256;

#[derive(Deserialize)]
struct Config {
    /// Whether vectors get the length 1. Ours always do: everything compares by cosine.
    #[serde(default)]
    hidden_dim: Option<usize>,
}

/// A static model, loaded.
pub struct StaticEmbedder {
    space: EmbeddingSpace,
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    table: Vec<f32>,
    /// The row of each word piece, where several share one.
    mapping: Option<Vec<usize>>,
    /// What each word piece weighs.
    weights: Option<Vec<f32>>,
}

impl std::fmt::Debug for StaticEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaticEmbedder")
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}

impl StaticEmbedder {
    /// Reads `config.json`, `model.safetensors` (the tensor `embeddings`, and `weights` and `mapping` where they
    /// are there) and `tokenizer.json` from a folder.
    ///
    /// # Errors
    /// `ModelLoadFailed` with what is wrong and what to do about it.
    pub fn load(name: &str, dir: &Path) -> Result<Self, EmbedError> {
        read(name, dir).map_err(|problem| EmbedError::ModelLoadFailed {
            reason: format!(
                "{problem}. Put {} of {name} into `{}`",
                FILES.join(", "),
                dir.display()
            ),
        })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let encoding = self
            .tokenizer
            .encode(memory_model::nfc(text), false)
            .map_err(|error| EmbedError::RequestFailed {
                reason: format!("the text could not be cut into word pieces: {error}"),
            })?;
        let known = |id: &&u32| self.unknown != Some(**id);
        let mut sum = vec![0_f32; self.space.dimension];
        for &id in encoding.get_ids().iter().filter(known).take(TOKENS_MAX) {
            let piece = id as usize;
            let row = match &self.mapping {
                Some(mapping) => mapping.get(piece).copied(),
                None => Some(piece),
            };
            let weight = self
                .weights
                .as_ref()
                .map_or(1.0, |weights| weights.get(piece).copied().unwrap_or_default());
            let vector = row
                .and_then(|row| self.table.chunks_exact(self.space.dimension).nth(row))
                .unwrap_or_default();
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x * weight);
        }
        // A text without any known piece has no direction. Zero is near to nothing and stays zero.
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length.is_normal() {
            sum.iter_mut().for_each(|x| *x /= length);
        }
        Ok(sum)
    }
}

#[async_trait]
impl Embedder for StaticEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        let words: Vec<Word> = chunks::split_words(text)
            .into_iter()
            .map(|bytes| Word { bytes, tokens: 1 })
            .collect();
        chunks::cut(text, &words, CHUNK_WORDS, OVERLAP_WORDS)
    }

    async fn embed(&self, texts: &[String], _purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}

fn read(name: &str, dir: &Path) -> Result<StaticEmbedder, String> {
    let file = |file: &str| {
        std::fs::read(dir.join(file))
            .map_err(|error| format!("`{file}` in `{}` cannot be read: {error}", dir.display()))
    };
    let config: Config = serde_json::from_slice(&file("config.json")?)
        .map_err(|error| format!("`config.json` could not be understood: {error}"))?;
    let mut tokenizer = Tokenizer::from_bytes(file("tokenizer.json")?)
        .map_err(|error| format!("`tokenizer.json` could not be understood: {error}"))?;
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(None)
        .map_err(|error| format!("`tokenizer.json` could not be understood: {error}"))?;
    let bytes = file("model.safetensors")?;
    let tensors = SafeTensors::deserialize(&bytes)
        .map_err(|error| format!("`model.safetensors` could not be understood: {error}"))?;
    let (table, shape) =
        numbers(&tensors, "embeddings")?.ok_or("`model.safetensors` holds no tensor `embeddings`")?;
    let &[rows, dimension] = shape.as_slice() else {
        return Err(format!("its table has {} sides instead of 2", shape.len()));
    };
    if rows == 0 || !(1..=DIMENSION_MAX).contains(&dimension) {
        return Err(format!("its table has {rows} rows of {dimension} numbers"));
    }
    if config.hidden_dim.is_some_and(|said| said != dimension) {
        return Err(format!(
            "its table has {dimension} numbers a row and `config.json` says another count"
        ));
    }
    let pieces = tokenizer.get_vocab_size(true);
    let mapping = numbers(&tensors, "mapping")?.map(|(mapping, _)| {
        mapping
            .into_iter()
            .map(|row| row as usize)
            .collect::<Vec<usize>>()
    });
    let weights = numbers(&tensors, "weights")?.map(|(weights, _)| weights);
    let fits = match &mapping {
        Some(mapping) => mapping.len() >= pieces && mapping.iter().all(|&row| row < rows),
        None => rows >= pieces,
    };
    if !fits || weights.as_ref().is_some_and(|weights| weights.len() < pieces) {
        return Err(format!("its table has {rows} rows for {pieces} word pieces"));
    }
    let unknown = ["[UNK]", "<unk>"]
        .iter()
        .find_map(|piece| tokenizer.token_to_id(piece));
    Ok(StaticEmbedder {
        space: space(name, dimension),
        tokenizer,
        unknown,
        table,
        mapping,
        weights,
    })
}

/// A tensor's numbers and the lengths of its sides.
type Numbers = (Vec<f32>, Vec<usize>);

/// A tensor; `None` when it is not there.
fn numbers(tensors: &SafeTensors<'_>, name: &str) -> Result<Option<Numbers>, String> {
    let Ok(tensor) = tensors.tensor(name) else {
        return Ok(None);
    };
    let bytes = tensor.data();
    let numbers: Vec<f32> = match tensor.dtype() {
        Dtype::F32 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| f32::from_le_bytes(*x))
            .collect(),
        Dtype::F64 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| f64::from_le_bytes(*x) as f32)
            .collect(),
        Dtype::F16 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| half::f16::from_le_bytes(*x).to_f32())
            .collect(),
        Dtype::I32 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| i32::from_le_bytes(*x) as f32)
            .collect(),
        Dtype::I64 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|x| i64::from_le_bytes(*x) as f32)
            .collect(),
        other => return Err(format!("the tensor `{name}` holds {other:?}, which is not known")),
    };
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(format!("the tensor `{name}` holds a number that is none"));
    }
    Ok(Some((numbers, tensor.shape().to_vec())))
}

fn space(name: &str, dimension: usize) -> EmbeddingSpace {
    EmbeddingSpace {
        source: EmbeddingSource::Static.name().to_owned(),
        model: name.to_owned(),
        dimension,
    }
}

/// Finds and loads a static model for [`embedding::LazyEmbedder`].
#[derive(Clone, Debug)]
pub struct StaticLoader {
    name: String,
    folders: Vec<PathBuf>,
}

impl StaticLoader {
    /// A loader of the model with this name (such as `minishlab/potion-base-8M`). It looks in `cache_dir`, then
    /// where [`crate::models_folders`] says, each time in the folder of the full name and in that of its last
    /// part.
    pub fn new(name: &str, cache_dir: &Path, data_dir: &Path, exe_dir: &Path) -> Self {
        let mut folders = vec![cache_dir.to_owned()];
        folders.extend(locations::models_folders(data_dir, exe_dir));
        Self {
            name: name.to_owned(),
            folders,
        }
    }

    fn dir(&self) -> Option<PathBuf> {
        let last = self.name.rsplit('/').next().unwrap_or(&self.name);
        // A name is never a way out of the folder.
        if self
            .name
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..")
        {
            return None;
        }
        self.folders
            .iter()
            .flat_map(|folder| [folder.join(&self.name), folder.join(last)])
            .find(|dir| FILES.iter().all(|file| dir.join(file).is_file()))
    }
}

impl EmbedderLoader for StaticLoader {
    fn space(&self) -> EmbeddingSpace {
        let config = self
            .dir()
            .and_then(|dir| std::fs::read(dir.join("config.json")).ok());
        let dimension = config
            .and_then(|bytes| serde_json::from_slice::<Config>(&bytes).ok()?.hidden_dim)
            .unwrap_or(POTION_DIMENSION);
        space(&self.name, dimension)
    }

    fn fingerprint(&self) -> Option<String> {
        let dir = self.dir()?;
        let bytes = std::fs::metadata(dir.join("model.safetensors")).map_or(0, |file| file.len());
        Some(format!("{}\n{bytes}", dir.display()))
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let first = || self.folders.first().map(|folder| folder.join(&self.name));
        let dir = self.dir().or_else(first).unwrap_or_default();
        Ok(Arc::new(StaticEmbedder::load(&self.name, &dir)?))
    }
}

#[cfg(test)]
mod tests;
