//! Asks a provider, in batches, with time limits, and once more where that can help.

use crate::answer::{self, failed};
use crate::chunks;
use crate::place::{Place, Provider};
use async_trait::async_trait;
use extraction::find_secret;
use ports::{EmbedError, EmbedPurpose, Embedder, EmbeddingSpace, Secret};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

/// Texts in a request; Cohere takes 96, the others more.
const BATCH_TEXTS_MAX: usize = 64;

/// Characters of a text that are sent. Chunks are shorter; only a question can be longer.
const TEXT_CHARS_MAX: usize = 8_000;

/// Bytes of an answer: 64 vectors of 4,096 numbers, 20 characters each, are 5 MB.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Requests for one batch, the first one included.
const ATTEMPTS_MAX: u32 = 3;

/// The first pause between two requests; the next one is twice as long.
const PAUSE: Duration = Duration::from_millis(300);

/// A provider that asks for a longer wait is not waited for: other sources step in meanwhile.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// How long a request may take. Somebody may be waiting for the answer to a question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the whole answer is there.
    pub whole: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            whole: Duration::from_secs(20),
        }
    }
}

/// A provider's model.
pub struct RemoteEmbedder {
    space: EmbeddingSpace,
    caller: Caller,
}

/// The way to the provider, before the dimension is known.
pub(crate) struct Caller {
    place: Place,
    key: Option<Secret>,
    http: Client,
}

impl std::fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteEmbedder")
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}

impl RemoteEmbedder {
    /// Asks for the vector of one word, so that the dimension is known and a wrong key is found at once.
    ///
    /// # Errors
    /// Every kind of [`EmbedError`].
    pub async fn connect(place: Place, key: Option<Secret>, limits: Limits) -> Result<Self, EmbedError> {
        let caller = Caller::new(place.clone(), key.clone(), limits)?;
        let probe = caller.ask(&["memory"], EmbedPurpose::Query, None).await?;
        let dimension = probe.first().map_or(0, Vec::len);
        Ok(Self {
            space: EmbeddingSpace {
                source: "remote".to_owned(),
                model: place.space_model(),
                dimension,
            },
            // A client of its own: connections of the first one end with the runtime that it was asked from.
            caller: Caller::new(place, key, limits)?,
        })
    }
}

#[async_trait]
impl Embedder for RemoteEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        chunks::chunks(text)
    }

    /// A text with a secret never leaves the machine. As a question it is an error, so that another source answers;
    /// as a passage it gets the vector of zeros, which is near to nothing, and is found by its words.
    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let secret: Vec<bool> = texts.iter().map(|text| find_secret(text).is_some()).collect();
        if purpose == EmbedPurpose::Query && secret.contains(&true) {
            return Err(failed("the text holds a secret and stays on this machine"));
        }
        let sent: Vec<&str> = texts
            .iter()
            .zip(&secret)
            .filter(|(_, secret)| !**secret)
            .map(|(text, _)| first_chars(text))
            .collect();
        let mut made = Vec::with_capacity(sent.len());
        for batch in sent.chunks(BATCH_TEXTS_MAX) {
            made.extend(
                self.caller
                    .ask(batch, purpose, Some(self.space.dimension))
                    .await?,
            );
        }
        let mut made = made.into_iter();
        let vectors = secret.into_iter().map(|secret| match secret {
            true => Some(vec![0.0; self.space.dimension]),
            false => made.next(),
        });
        Ok(vectors.flatten().collect())
    }
}

fn first_chars(text: &str) -> &str {
    // Providers refuse an empty text.
    if text.trim().is_empty() {
        return ".";
    }
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

impl Caller {
    pub(crate) fn new(place: Place, key: Option<Secret>, limits: Limits) -> Result<Self, EmbedError> {
        if let (Some(name), None) = (place.provider.key_name(), &key) {
            return Err(EmbedError::NoKey {
                reason: format!("no key {name} is set; put it into the environment and start the app again"),
            });
        }
        // An error says that another part of the program has chosen already, and it chooses the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .connect_timeout(limits.connect)
            .timeout(limits.whole)
            // A key is never carried to where an answer points.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| failed(format!("no connection can be made: {error}")))?;
        Ok(Self { place, key, http })
    }

    /// One batch, tried again where that can help.
    async fn ask(
        &self,
        texts: &[&str],
        purpose: EmbedPurpose,
        dimension: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut attempt = 1;
        loop {
            let error = match self.ask_once(texts, purpose, dimension).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            match pause(&error, attempt) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(error.kind),
            }
            attempt += 1;
        }
    }

    async fn ask_once(
        &self,
        texts: &[&str],
        purpose: EmbedPurpose,
        dimension: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        let mut request = self
            .http
            .post(self.place.url.clone())
            .json(&self.body(texts, purpose));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose());
        }
        let answer = request.send().await.map_err(|error| no_answer(&error))?;
        let status = answer.status();
        if !status.is_success() {
            return Err(self.refused(status, &answer));
        }
        let body = whole(answer).await?;
        answer::read(self.place.provider, &body, texts.len(), dimension).map_err(Failure::for_good)
    }

    fn body(&self, texts: &[&str], purpose: EmbedPurpose) -> Value {
        let query = purpose == EmbedPurpose::Query;
        match self.place.provider {
            Provider::Cohere => json!({
                "model": self.place.model,
                "texts": texts,
                "input_type": if query { "search_query" } else { "search_document" },
                "embedding_types": ["float"],
            }),
            Provider::Voyage => json!({
                "model": self.place.model,
                "input": texts,
                "input_type": if query { "query" } else { "document" },
            }),
            Provider::OpenAi | Provider::Ollama | Provider::Compatible => {
                json!({ "model": self.place.model, "input": texts, "encoding_format": "float" })
            }
        }
    }

    fn refused(&self, status: StatusCode, answer: &Response) -> Failure {
        let code = status.as_u16();
        match code {
            401 | 403 => Failure::for_good(EmbedError::NoKey {
                reason: format!("the key was refused (HTTP {code}); ask the provider for a new one"),
            }),
            404 => Failure::for_good(EmbedError::ModelLoadFailed {
                reason: format!(
                    "the server does not know the model {}; check its name in the settings",
                    self.place.model
                ),
            }),
            429 => {
                let seconds = answer
                    .headers()
                    .get(reqwest::header::RETRY_AFTER)
                    .and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
                Failure {
                    kind: EmbedError::RateLimited {
                        retry_after_seconds: seconds,
                    },
                    again: true,
                }
            }
            408 | 504 => Failure::for_good(EmbedError::Timeout),
            _ => Failure {
                kind: failed(format!("the server answered HTTP {code}")),
                again: status.is_server_error(),
            },
        }
    }
}

/// What went wrong, and whether asking again can help.
struct Failure {
    kind: EmbedError,
    again: bool,
}

impl Failure {
    fn for_good(kind: EmbedError) -> Self {
        Self { kind, again: false }
    }
}

/// The message of the library names the address, which is nobody's secret, and never a header.
fn no_answer(error: &reqwest::Error) -> Failure {
    if error.is_timeout() {
        return Failure::for_good(EmbedError::Timeout);
    }
    Failure {
        kind: failed(match error.is_connect() {
            true => "the server cannot be reached; check the connection and its address in the settings",
            false => "the connection broke off; start the app again to try once more",
        }),
        again: true,
    }
}

async fn whole(mut answer: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(|error| no_answer(&error))? {
        body.extend_from_slice(&part);
        if body.len() > ANSWER_BYTES_MAX {
            return Err(Failure::for_good(failed("the server's answer does not end")));
        }
    }
    Ok(body)
}

/// How long to wait before the next request; `None` when none can help.
fn pause(failure: &Failure, attempt: u32) -> Option<Duration> {
    if !failure.again || attempt >= ATTEMPTS_MAX {
        return None;
    }
    let asked = match failure.kind {
        EmbedError::RateLimited { retry_after_seconds } => retry_after_seconds.map(Duration::from_secs),
        _ => None,
    };
    let pause = asked.unwrap_or(PAUSE * 2_u32.pow(attempt - 1));
    // Up to half as much again, so that many that were cut off together do not come back together.
    (pause <= WAIT_MAX).then(|| pause + PAUSE.mul_f64(fastrand::f64() / 2.0))
}
