//! From `genai`'s errors to what a person can do about them. The words of a provider's answer are never passed on: they
//! may repeat parts of a key or of the conversation.

use genai::Error;
use ports::ChatError;
use reqwest::StatusCode;
use std::time::Duration;

/// Words by which servers say that the prompt is too long; there is no common code for it.
const CONTEXT_WORDS: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context size",
    "exceed_context_size",
    "prompt is too long",
    "maximum context",
    "input token count",
];

/// What the error of a call means.
pub(crate) fn chat_error(model: &str, error: &Error) -> ChatError {
    let model = model.to_owned();
    match error {
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } => ChatError::KeyMissing { model },
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            web_error(model, webc_error)
        }
        Error::HttpError {
            status,
            body,
            headers,
            ..
        } => status_error(model, *status, body, headers),
        Error::WebStream { error, cause, .. } => stream_error(model, error.as_ref(), cause),
        Error::ChatResponse { body, .. } if says_context(&body.to_string()) => {
            ChatError::ContextFull { model }
        }
        Error::StreamParse { .. }
        | Error::InvalidJsonResponseElement { .. }
        | Error::ChatResponseGeneration { .. } => ChatError::BadAnswer { model },
        _ => ChatError::Failed {
            model,
            reason: "the server reported an error".to_owned(),
        },
    }
}

fn web_error(model: String, error: &genai::webc::Error) -> ChatError {
    use genai::webc::Error as Web;
    match error {
        Web::ResponseFailedStatus {
            status,
            body,
            headers,
        } => status_error(model, *status, body, headers),
        Web::ResponseFailedNotJson { .. } | Web::ResponseFailedInvalidJson { .. } => {
            ChatError::BadAnswer { model }
        }
        Web::Reqwest(error) => reqwest_error(model, error),
        Web::JsonValueExt(_) => ChatError::BadAnswer { model },
    }
}

fn stream_error(
    model: String,
    error: &(dyn std::error::Error + Send + Sync + 'static),
    cause: &str,
) -> ChatError {
    if let Some(error) = error.downcast_ref::<genai::webc::Error>() {
        return web_error(model, error);
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        return chat_error(&model, error);
    }
    if error.downcast_ref::<genai::webc::StreamTimeout>().is_some() {
        return ChatError::TimedOut { model };
    }
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return reqwest_error(model, error);
    }
    if says_context(cause) {
        return ChatError::ContextFull { model };
    }
    ChatError::BrokeOff { model }
}

fn reqwest_error(model: String, error: &reqwest::Error) -> ChatError {
    if error.is_timeout() {
        ChatError::TimedOut { model }
    } else if error.is_connect() {
        ChatError::Unreachable { model }
    } else if error.is_decode() || error.is_body() || error.is_request() {
        ChatError::BrokeOff { model }
    } else {
        ChatError::Unreachable { model }
    }
}

fn status_error(
    model: String,
    status: StatusCode,
    body: &str,
    headers: &reqwest::header::HeaderMap,
) -> ChatError {
    match status.as_u16() {
        401 | 403 => ChatError::KeyRefused { model },
        404 => ChatError::ModelUnknown { model },
        408 | 504 => ChatError::TimedOut { model },
        429 => ChatError::RateLimited {
            model,
            wait: retry_after(headers),
        },
        400 | 413 | 422 | 500 if says_context(body) => ChatError::ContextFull { model },
        500..=599 => ChatError::Overloaded {
            model,
            wait: retry_after(headers),
        },
        code => ChatError::Failed {
            model,
            reason: format!("the server answered with status {code}"),
        },
    }
}

fn says_context(body: &str) -> bool {
    let body = body.to_lowercase();
    CONTEXT_WORDS.iter().any(|words| body.contains(words))
}

/// Seconds of the header `Retry-After`. Its other form, a date, is rare on these servers and counts as absent.
fn retry_after(headers: &reqwest::header::HeaderMap) -> Option<Duration> {
    let text = headers.get(reqwest::header::RETRY_AFTER)?.to_str().ok()?;
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
