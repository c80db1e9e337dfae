//! Which model, behind which address, with which key.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use secrecy::{ExposeSecret as _, SecretString};

/// Who serves the model. The name is the part of `provider/model` before the slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// A local Ollama.
    Ollama,
    /// Any server that speaks OpenAI's chat completions; it needs an address.
    Compatible,
}

/// Why a connection cannot be made from what was typed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// There is no slash, or nothing on one side of it.
    #[error("write the model as `provider/model`, for example `ollama/llama3.2`")]
    Form,
    /// The word before the slash is none of ours.
    #[error("the provider `{found}` is not known; use openai, anthropic, gemini, ollama or compatible")]
    Provider {
        /// The word.
        found: String,
    },
    /// The provider has no address of its own.
    #[error("`compatible` needs the address of the server, for example `http://127.0.0.1:8080/v1/`")]
    AddressMissing,
    /// The address is not `http://` or `https://`.
    #[error("the address must begin with http:// or https://")]
    Address,
    /// A key would cross a network in the clear.
    #[error("an address with a key must begin with https://, or stay on this machine")]
    KeyInTheClear,
}

impl Provider {
    /// All of them, in the order in which screens list them.
    pub const ALL: [Self; 5] = [
        Self::Ollama,
        Self::Compatible,
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// The word in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Compatible => "compatible",
        }
    }

    /// The environment variable that the provider's own documentation names for its key; `None` where no key is
    /// the normal case.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama | Self::Compatible => None,
        }
    }

    /// Whether a call without a key is refused for certain.
    pub fn needs_key(self) -> bool {
        self.key_variable().is_some()
    }

    fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi | Self::Compatible => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
            Self::Ollama => AdapterKind::Ollama,
        }
    }

    /// Where the provider listens unless an address is given.
    fn address(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1/"),
            Self::Anthropic => Some("https://api.anthropic.com/v1/"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/"),
            Self::Ollama => Some("http://127.0.0.1:11434/"),
            Self::Compatible => None,
        }
    }
}

/// A model that can be called.
#[derive(Clone, Debug)]
pub struct Connection {
    provider: Provider,
    model: String,
    address: String,
    key: Option<SecretString>,
}

impl Connection {
    /// Reads `provider/model`; the model may hold slashes of its own. `address` replaces the provider's.
    ///
    /// # Errors
    /// See [`ConnectionError`]; each says what to type instead.
    pub fn new(
        name: &str,
        address: Option<&str>,
        key: Option<SecretString>,
    ) -> Result<Self, ConnectionError> {
        let (word, model) = name.trim().split_once('/').ok_or(ConnectionError::Form)?;
        if model.is_empty() || word.is_empty() {
            return Err(ConnectionError::Form);
        }
        let provider = Provider::ALL
            .into_iter()
            .find(|provider| provider.name() == word)
            .ok_or_else(|| ConnectionError::Provider {
                found: word.to_owned(),
            })?;
        let given = address.map(str::trim).filter(|address| !address.is_empty());
        let mut address = given
            .or(provider.address())
            .ok_or(ConnectionError::AddressMissing)?
            .to_owned();
        if !address.ends_with('/') {
            address.push('/');
        }
        let url = reqwest::Url::parse(&address).map_err(|_| ConnectionError::Address)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ConnectionError::Address);
        }
        if key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(ConnectionError::KeyInTheClear);
        }
        Ok(Self {
            provider,
            model: model.to_owned(),
            address,
            key,
        })
    }

    /// Who serves it.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider.name(), self.model)
    }

    /// Whether a key is there or none is needed.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some() || !self.provider.needs_key()
    }

    /// What `genai` calls.
    pub(crate) fn target(&self) -> ServiceTarget {
        let key = self.key.as_ref().map_or("", |key| key.expose_secret());
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.address.as_str()),
            // A server without keys ignores the header; `genai` insists on one.
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.provider.adapter(), self.model.as_str()),
        }
    }
}

/// Whether an address stays on this machine.
fn is_loopback(url: &reqwest::Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
