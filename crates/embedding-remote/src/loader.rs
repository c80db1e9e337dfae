//! Connects to the provider when the app starts and when its key arrives.

use crate::client::{Limits, RemoteEmbedder};
use crate::place::Place;
use embedding::EmbedderLoader;
use ports::{EmbedError, Embedder, EmbeddingSpace, Secrets};
use std::sync::Arc;

/// Finds the key and asks the provider, for [`embedding::LazyEmbedder`].
pub struct RemoteLoader {
    name: String,
    secrets: Arc<dyn Secrets>,
}

impl RemoteLoader {
    /// A loader of the model that the setting `memoryEmbeddingProviderModel` names.
    pub fn new(name: &str, secrets: Arc<dyn Secrets>) -> Self {
        Self {
            name: name.to_owned(),
            secrets,
        }
    }
}

impl EmbedderLoader for RemoteLoader {
    fn space(&self) -> EmbeddingSpace {
        EmbeddingSpace {
            source: "remote".to_owned(),
            model: Place::parse(&self.name).map_or_else(|_| self.name.clone(), |place| place.space_model()),
            // The provider's answer says it.
            dimension: 0,
        }
    }

    /// Whether there is a key, never the key itself.
    fn fingerprint(&self) -> Option<String> {
        let place = Place::parse(&self.name).ok()?;
        match place.provider.key_name() {
            Some(name) => self.secrets.get(name).map(|_| format!("{} {name}", self.name)),
            None => Some(self.name.clone()),
        }
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let place = Place::parse(&self.name).map_err(|error| EmbedError::ModelLoadFailed {
            reason: error.to_string(),
        })?;
        let key = place.provider.key_name().and_then(|name| self.secrets.get(name));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| EmbedError::RequestFailed {
                reason: format!("no connection can be made: {error}"),
            })?;
        let connected = runtime.block_on(RemoteEmbedder::connect(place, key, Limits::default()))?;
        Ok(Arc::new(connected))
    }
}
