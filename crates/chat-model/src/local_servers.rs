//! Finds model servers on this machine, on the ports that they use unless told otherwise. Only loopback is asked.

use crate::connection::Provider;
use serde::Deserialize;
use std::time::Duration;

/// How long a server on this machine may take to list its models.
const TIMEOUT: Duration = Duration::from_millis(800);

/// Models of one server that are listed.
const MODELS_MAX: usize = 200;

/// Ports by default: Ollama, llama.cpp, LM Studio, vLLM.
const SERVERS: &[(&str, Provider, u16)] = &[
    ("Ollama", Provider::Ollama, 11_434),
    ("llama.cpp", Provider::Compatible, 8_080),
    ("LM Studio", Provider::Compatible, 1_234),
    ("vLLM", Provider::Compatible, 8_000),
];

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// What usually listens on this port.
    pub name: &'static str,
    /// Which protocol it speaks.
    pub provider: Provider,
    /// Its address, as a connection takes it.
    pub address: String,
    /// Its models.
    pub models: Vec<String>,
}

/// Every server of the list that answers. Servers that do not are left out; this never fails.
pub async fn find_local_servers() -> Vec<LocalServer> {
    let Ok(http) = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
    else {
        return Vec::new();
    };
    let asked = SERVERS
        .iter()
        .map(|(name, provider, port)| ask(&http, name, *provider, *port));
    futures::future::join_all(asked)
        .await
        .into_iter()
        .flatten()
        .collect()
}

/// OpenAI's list of models, which all four serve.
#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// Asks one port.
pub(crate) async fn ask(
    http: &reqwest::Client,
    name: &'static str,
    provider: Provider,
    port: u16,
) -> Option<LocalServer> {
    let base = format!("http://127.0.0.1:{port}/");
    let answer = http.get(format!("{base}v1/models")).send().await.ok()?;
    let models: Models = answer.error_for_status().ok()?.json().await.ok()?;
    Some(LocalServer {
        name,
        provider,
        address: match provider {
            Provider::Ollama => base,
            _ => format!("{base}v1/"),
        },
        models: models
            .data
            .into_iter()
            .map(|model| model.id)
            .take(MODELS_MAX)
            .collect(),
    })
}
