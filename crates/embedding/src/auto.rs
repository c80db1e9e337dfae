//! The source `auto`: the first of several sources that can be loaded, and a word about those that could not.

use crate::EmbedderLoader;
use ports::{EmbedError, Embedder, EmbeddingSpace};
use std::sync::{Arc, Mutex, PoisonError};

/// Why sources before the one that works were passed over. Cheap to clone; the clones are one.
#[derive(Clone, Default)]
pub struct StepsDown {
    reasons: Arc<Mutex<Vec<String>>>,
}

impl StepsDown {
    /// One sentence a source, best source first; empty when the best one works.
    pub fn reasons(&self) -> Vec<String> {
        self.reasons
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, reasons: Vec<String>) {
        *self.reasons.lock().unwrap_or_else(PoisonError::into_inner) = reasons;
    }
}

/// Loads the best source that can be loaded. A source without files or key is passed over without a word; one that
/// is there and fails is named in [`StepsDown`].
pub struct FirstThatLoads {
    loaders: Vec<Box<dyn EmbedderLoader>>,
    steps: StepsDown,
}

impl FirstThatLoads {
    /// Tries the loaders in this order.
    pub fn new(loaders: Vec<Box<dyn EmbedderLoader>>) -> Self {
        Self {
            loaders,
            steps: StepsDown::default(),
        }
    }

    /// Where the reasons will be.
    pub fn steps_down(&self) -> StepsDown {
        self.steps.clone()
    }

    /// The sources of which there is anything. The first one where there is nothing at all, because loading it
    /// says what is missing.
    fn present(&self) -> Vec<&dyn EmbedderLoader> {
        let all = || self.loaders.iter().map(AsRef::as_ref);
        let present: Vec<&dyn EmbedderLoader> =
            all().filter(|loader| loader.fingerprint().is_some()).collect();
        match present.is_empty() {
            true => all().take(1).collect(),
            false => present,
        }
    }
}

impl EmbedderLoader for FirstThatLoads {
    fn space(&self) -> EmbeddingSpace {
        match self.present().first() {
            Some(loader) => loader.space(),
            None => EmbeddingSpace {
                source: "none".to_owned(),
                model: String::new(),
                dimension: 0,
            },
        }
    }

    fn fingerprint(&self) -> Option<String> {
        let of_each: Vec<String> = self
            .loaders
            .iter()
            .filter_map(|loader| loader.fingerprint())
            .collect();
        (!of_each.is_empty()).then(|| of_each.join("\n"))
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let mut reasons = Vec::new();
        let mut first = None;
        for loader in self.present() {
            match loader.load() {
                Ok(embedder) => {
                    self.steps.set(reasons);
                    return Ok(embedder);
                }
                Err(error) => {
                    let space = loader.space();
                    reasons.push(format!("{} ({}): {error}", space.source, space.model));
                    first.get_or_insert(error);
                }
            }
        }
        self.steps.set(reasons);
        Err(first.unwrap_or_else(|| EmbedError::ModelLoadFailed {
            reason: "every embedding source is switched off".to_owned(),
        }))
    }
}
