//! Which embedding sources the settings leave, best first.

use crate::open::Env;
use embedding::{EmbedderLoader, FirstThatLoads};
use embedding_local::{StaticLoader, TransformersLoader};
use embedding_remote::RemoteLoader;
use ports::{Secret, Secrets};
use settings::Settings;
use std::path::Path;
use std::sync::Arc;

/// Keys from the environment.
struct EnvSecrets(Env);

impl Secrets for EnvSecrets {
    fn get(&self, name: &str) -> Option<Secret> {
        let key = (self.0)(name)?;
        (!key.trim().is_empty()).then(|| Secret::new(&key))
    }
}

/// The sources in the order of `auto`: a provider whose model is set, then the models on this machine. A source that
/// was named is the only one.
pub(crate) fn loader(settings: &Settings, env: &Env, data_dir: &Path, exe_dir: &Path) -> FirstThatLoads {
    let mut loaders: Vec<Box<dyn EmbedderLoader>> = Vec::new();
    if let Some(model) = settings.remote_model() {
        let secrets = Arc::new(EnvSecrets(Arc::clone(env)));
        loaders.push(Box::new(RemoteLoader::new(model, secrets)));
    }
    if settings.transformers_wanted() {
        let model = settings.transformers_model();
        loaders.push(Box::new(TransformersLoader::new(data_dir, exe_dir, model)));
    }
    if settings.static_wanted() {
        let cache = settings
            .static_cache_dir()
            .map_or_else(|| data_dir.join("embeddings"), Into::into);
        let model = settings.static_model();
        loaders.push(Box::new(StaticLoader::new(model, &cache, data_dir, exe_dir)));
    }
    FirstThatLoads::new(loaders)
}
