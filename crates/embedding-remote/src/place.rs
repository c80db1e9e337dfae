//! Which model, at which address.

use reqwest::Url;

/// Who serves the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// Cohere, version 2 of its interface.
    Cohere,
    /// Voyage.
    Voyage,
    /// An Ollama on this machine.
    Ollama,
    /// Any server that speaks OpenAI's protocol.
    Compatible,
}

/// Why a name is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// It has another form.
    #[error(
        "write the model as `openai/MODEL`, `cohere/MODEL`, `voyage/MODEL`, `ollama/MODEL`, or as an address with the model behind it, such as `http://127.0.0.1:8080/v1#MODEL`"
    )]
    Form,
    /// Texts would cross a network in the clear.
    #[error("the address must begin with https://, or stay on this machine")]
    InTheClear,
}

/// A model at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Who serves it.
    pub provider: Provider,
    /// Its name there.
    pub model: String,
    /// Where requests go.
    pub url: Url,
}

impl Provider {
    /// The name of its key; `None` where none is asked for.
    pub fn key_name(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Cohere => Some("COHERE_API_KEY"),
            Self::Voyage => Some("VOYAGE_API_KEY"),
            Self::Ollama | Self::Compatible => None,
        }
    }

    fn address(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1/embeddings"),
            Self::Cohere => Some("https://api.cohere.com/v2/embed"),
            Self::Voyage => Some("https://api.voyageai.com/v1/embeddings"),
            Self::Ollama => Some("http://127.0.0.1:11434/v1/embeddings"),
            Self::Compatible => None,
        }
    }
}

impl Place {
    /// Reads the setting `memoryEmbeddingProviderModel`: `provider/model`, or the address of a server that speaks
    /// OpenAI's protocol with `#model` behind it.
    ///
    /// # Errors
    /// [`PlaceError`] says what to write instead.
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let text = text.trim();
        if text.starts_with("http://") || text.starts_with("https://") {
            let (address, model) = text.split_once('#').ok_or(PlaceError::Form)?;
            let address = format!("{}/embeddings", address.trim_end_matches('/'));
            return Self::new(Provider::Compatible, model, &address);
        }
        let (provider, model) = text.split_once('/').ok_or(PlaceError::Form)?;
        let provider = match provider {
            "openai" => Provider::OpenAi,
            "cohere" => Provider::Cohere,
            "voyage" => Provider::Voyage,
            "ollama" => Provider::Ollama,
            _ => return Err(PlaceError::Form),
        };
        Self::new(provider, model, provider.address().unwrap_or_default())
    }

    /// A model of a provider at an address of its own, such as a gateway.
    ///
    /// # Errors
    /// [`PlaceError`] says what to write instead.
    pub fn new(provider: Provider, model: &str, address: &str) -> Result<Self, PlaceError> {
        let url = Url::parse(address).map_err(|_| PlaceError::Form)?;
        if model.is_empty() {
            return Err(PlaceError::Form);
        }
        let here = match url.host_str() {
            Some("localhost") => true,
            Some(host) => host
                .trim_matches(['[', ']'])
                .parse::<std::net::IpAddr>()
                .is_ok_and(|ip| ip.is_loopback()),
            None => false,
        };
        if url.scheme() != "https" && !here {
            return Err(PlaceError::InTheClear);
        }
        Ok(Self {
            provider,
            model: model.to_owned(),
            url,
        })
    }

    /// The name in the embedding space. An own server is named with its host: two servers may call different
    /// models the same.
    pub fn space_model(&self) -> String {
        let word = match self.provider {
            Provider::OpenAi => "openai",
            Provider::Cohere => "cohere",
            Provider::Voyage => "voyage",
            Provider::Ollama => "ollama",
            Provider::Compatible => self.url.host_str().unwrap_or("compatible"),
        };
        format!("{word}/{}", self.model)
    }
}
