//! The language model that answers: connected from the settings, and again when they change.

use crate::open::Env;
use crate::{ChatModelServer, Engine};
use chat_model::{Connection, HostedModel, find_local_servers};
use ports::ChatModel;
use secrecy::SecretString;
use settings::Settings;
use std::sync::{Arc, PoisonError};

/// The key of a server of one's own that wants one.
const OWN_SERVER_KEY: &str = "REVERIE_CHAT_KEY";

/// The model that answers now.
#[derive(Default)]
pub(crate) struct Chat {
    /// The model that whoever opened the engine brought along; settings do not replace it.
    given: Option<Arc<dyn ChatModel>>,
    connected: Option<Arc<dyn ChatModel>>,
    /// Why the model of the settings cannot be called.
    problem: Option<String>,
    made_of: (Option<String>, Option<String>, u32),
}

impl Chat {
    pub fn new(given: Option<Arc<dyn ChatModel>>) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// Connects what the settings name, unless it is connected already.
    pub fn follow(&mut self, settings: &Settings, env: &Env) {
        let wanted = (
            settings.chat_model(),
            settings.chat_url(),
            settings.chat_tokens_max(),
        );
        if self.made_of == wanted {
            return;
        }
        (self.connected, self.problem) = match wanted.0.as_deref() {
            None => (None, None),
            Some(name) => match connect(name, wanted.1.as_deref(), wanted.2, env) {
                Ok(model) => (Some(model), None),
                Err(problem) => (None, Some(problem)),
            },
        };
        self.made_of = wanted;
    }

    pub fn model(&self) -> Option<Arc<dyn ChatModel>> {
        self.given.clone().or_else(|| self.connected.clone())
    }

    pub fn problem(&self) -> Option<String> {
        self.problem.clone()
    }
}

fn connect(
    name: &str,
    address: Option<&str>,
    tokens_max: u32,
    env: &Env,
) -> Result<Arc<dyn ChatModel>, String> {
    let variable = Connection::new(name, address, None)
        .map_err(|error| error.to_string())?
        .provider()
        .key_variable()
        .unwrap_or(OWN_SERVER_KEY);
    let key = env(variable)
        .filter(|key| !key.trim().is_empty())
        .map(|key| SecretString::from(key.trim()));
    let connection = Connection::new(name, address, key).map_err(|error| error.to_string())?;
    let model = HostedModel::new(connection, tokens_max).map_err(|error| error.to_string())?;
    Ok(Arc::new(model))
}

impl Engine {
    /// The model that answers; `None` answers from memory.
    pub(crate) fn chat_model(&self) -> Option<Arc<dyn ChatModel>> {
        self.inner
            .chat
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .model()
    }

    /// Model servers that run on this machine, with the models they offer. Asks loopback addresses only.
    pub async fn find_chat_models(&self) -> Vec<ChatModelServer> {
        find_local_servers()
            .await
            .into_iter()
            .map(|server| ChatModelServer {
                name: server.name.to_owned(),
                address: server.address,
                models: server
                    .models
                    .into_iter()
                    .map(|model| format!("{}/{model}", server.provider.name()))
                    .collect(),
            })
            .collect()
    }
}
