//! Good and bad answers from a server on this machine.

use crate::client::{Limits, RemoteEmbedder};
use crate::place::{Place, PlaceError, Provider};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use ports::{EmbedError, EmbedPurpose, Embedder as _, Secret};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with the next request.
#[derive(Clone)]
enum Next {
    /// Answers rightly, with vectors of this many numbers.
    Right(usize),
    /// Answers with a status, a header `retry-after` and a text.
    Says(u16, Option<&'static str>, String),
    /// Does not answer.
    Sleeps,
}

#[derive(Clone, Default)]
struct Server {
    next: Arc<Mutex<VecDeque<Next>>>,
    asked: Arc<Mutex<Vec<Value>>>,
    keys: Arc<Mutex<Vec<String>>>,
}

async fn answer(State(server): State<Server>, headers: HeaderMap, body: String) -> axum::response::Response {
    let body: Value = serde_json::from_str(&body).unwrap();
    let texts = body
        .get("input")
        .or_else(|| body.get("texts"))
        .unwrap()
        .as_array()
        .unwrap()
        .clone();
    server.asked.lock().unwrap().push(body);
    let key = headers
        .get("authorization")
        .map_or("", |value| value.to_str().unwrap());
    server.keys.lock().unwrap().push(key.to_owned());
    let next = server.next.lock().unwrap().pop_front().unwrap_or(Next::Right(3));
    match next {
        Next::Right(dimension) => {
            let vector = |text: &Value| {
                let mut vector = vec![0.0; dimension];
                vector[0] = 3.0;
                vector[1] = text.as_str().unwrap().chars().count() as f64;
                vector
            };
            let float: Vec<_> = texts.iter().map(vector).collect();
            // Out of order: the index counts.
            let data: Vec<_> = float
                .iter()
                .enumerate()
                .rev()
                .map(|(index, embedding)| json!({ "index": index, "embedding": embedding }))
                .collect();
            json!({ "data": data, "embeddings": { "float": float } })
                .to_string()
                .into_response()
        }
        Next::Says(status, retry_after, text) => {
            let mut headers = HeaderMap::new();
            if let Some(seconds) = retry_after {
                headers.insert("retry-after", seconds.parse().unwrap());
            }
            (StatusCode::from_u16(status).unwrap(), headers, text).into_response()
        }
        Next::Sleeps => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            "".into_response()
        }
    }
}

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    whole: Duration::from_millis(1_500),
};

/// A server and a model on it that has answered once.
async fn connected(provider: Provider) -> (Server, RemoteEmbedder) {
    let (server, place) = started(provider).await;
    let key = Secret::new(&["sk", "test"].join("-"));
    let model = RemoteEmbedder::connect(place, Some(key), LIMITS).await.unwrap();
    (server, model)
}

async fn started(provider: Provider) -> (Server, Place) {
    let server = Server::default();
    let router = Router::new()
        .route("/embed", post(answer))
        .with_state(server.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/embed", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (server, Place::new(provider, "some-model", &address).unwrap())
}

async fn embed(model: &RemoteEmbedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    model.embed(&texts, EmbedPurpose::Passage).await
}

#[tokio::test]
async fn every_provider_is_asked_in_its_own_words_and_vectors_come_back_in_order() {
    for (provider, field, passage) in [
        (Provider::OpenAi, "input", None),
        (Provider::Voyage, "input", Some("document")),
        (Provider::Cohere, "texts", Some("search_document")),
        (Provider::Ollama, "input", None),
    ] {
        let (server, model) = connected(provider).await;
        assert_eq!(model.space().dimension, 3);
        let vectors = embed(&model, &["abcd", "통로 좌석", ""]).await.unwrap();
        assert!((vectors[0][1] - 0.8).abs() < 1e-6, "length 1: {vectors:?}");
        assert!((vectors[1][0] - 3.0 / 34_f32.sqrt()).abs() < 1e-6, "{vectors:?}");
        let asked = server.asked.lock().unwrap().last().unwrap().clone();
        assert_eq!(asked[field][1], "통로 좌석");
        assert_eq!(asked.get("input_type").and_then(Value::as_str), passage);
        assert_eq!(server.keys.lock().unwrap().last().unwrap(), "Bearer sk-test");
    }
}

#[tokio::test]
async fn many_texts_go_in_batches() {
    let (server, model) = connected(Provider::OpenAi).await;
    let texts: Vec<String> = (1..=130).map(|count| "x".repeat(count)).collect();
    let vectors = model.embed(&texts, EmbedPurpose::Passage).await.unwrap();
    assert_eq!(vectors.len(), 130);
    assert!(vectors.windows(2).all(|pair| pair[0][1] < pair[1][1]), "in order");
    assert_eq!(server.asked.lock().unwrap().len(), 1 + 3);
}

#[tokio::test]
async fn a_wrong_answer_is_an_error_with_words_and_no_vector() {
    let (server, model) = connected(Provider::Compatible).await;
    let data = |vectors: &str| format!(r#"{{"data":[{{"index":0,"embedding":{vectors}}}]}}"#);
    for (body, expected) in [
        ("<html><body>Gateway</body></html>".to_owned(), "JSON"),
        (String::new(), "JSON"),
        ("{}".to_owned(), "no vectors"),
        (r#"{"data":[]}"#.to_owned(), "0 vectors for 1 texts"),
        (data("[]"), "a vector of 0 numbers"),
        (data("[1.0,2.0]"), "2 numbers instead of 3"),
        (data("[1.0,NaN,2.0]"), "JSON"),
        (data("[1.0,null,2.0]"), "no number"),
        (data("[1.0,1e39,2.0]"), "no number"),
        (data("[0.0,0.0,0.0]"), "without a direction"),
        (data("\"AAAA\""), "something else than a vector"),
    ] {
        server
            .next
            .lock()
            .unwrap()
            .push_back(Next::Says(200, None, body.clone()));
        match embed(&model, &["tea"]).await {
            Err(EmbedError::RequestFailed { reason }) => {
                assert!(reason.contains(expected), "{body}: {reason}")
            }
            other => panic!("{body}: {other:?}"),
        }
    }
    assert!(embed(&model, &["tea"]).await.is_ok(), "the next call works again");
}

#[tokio::test]
async fn failures_are_kept_apart() {
    let (server, model) = connected(Provider::OpenAi).await;
    let says = |status, after| Next::Says(status, after, "no".to_owned());
    let next = |all: Vec<Next>| server.next.lock().unwrap().extend(all);
    next(vec![says(401, None)]);
    assert!(matches!(
        embed(&model, &["a"]).await,
        Err(EmbedError::NoKey { .. })
    ));
    next(vec![says(404, None)]);
    assert!(matches!(
        embed(&model, &["a"]).await,
        Err(EmbedError::ModelLoadFailed { .. })
    ));
    next(vec![says(429, Some("60"))]);
    let limited = EmbedError::RateLimited {
        retry_after_seconds: Some(60),
    };
    assert_eq!(embed(&model, &["a"]).await, Err(limited));
    next(vec![Next::Sleeps]);
    assert_eq!(embed(&model, &["a"]).await, Err(EmbedError::Timeout));
    next(vec![says(503, None), says(429, Some("0"))]);
    assert!(embed(&model, &["a"]).await.is_ok(), "asked again twice");
    next(vec![says(500, None), says(500, None), says(500, None)]);
    assert!(matches!(
        embed(&model, &["a"]).await,
        Err(EmbedError::RequestFailed { .. })
    ));
    assert!(server.next.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_text_with_a_secret_is_never_sent() {
    let (server, model) = connected(Provider::OpenAi).await;
    let secret = format!("the key is {}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let texts = ["tea".to_owned(), secret.clone(), "녹차".to_owned()];
    let vectors = model.embed(&texts, EmbedPurpose::Passage).await.unwrap();
    assert_eq!(vectors[1], [0.0, 0.0, 0.0], "near to nothing");
    assert!(vectors[0][0] > 0.0 && vectors[2][0] > 0.0);
    assert!(
        model
            .embed(std::slice::from_ref(&secret), EmbedPurpose::Query)
            .await
            .is_err()
    );
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(!asked.iter().any(|body| body.to_string().contains("ghp_")));
}

#[tokio::test]
async fn without_a_key_or_a_server_the_reason_is_said() {
    let place = Place::parse("openai/text-embedding-3-small").unwrap();
    match RemoteEmbedder::connect(place, None, LIMITS).await {
        Err(EmbedError::NoKey { reason }) => assert!(reason.contains("OPENAI_API_KEY")),
        other => panic!("{other:?}"),
    }
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let place = Place::new(Provider::Ollama, "m", &format!("http://{free}/embed")).unwrap();
    match RemoteEmbedder::connect(place, None, LIMITS).await {
        Err(EmbedError::RequestFailed { reason }) => {
            assert!(reason.contains("cannot be reached"), "{reason}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_and_addresses() {
    let place = Place::parse("http://127.0.0.1:8080/v1/#bge/m3").unwrap();
    assert_eq!(place.url.as_str(), "http://127.0.0.1:8080/v1/embeddings");
    assert_eq!(place.space_model(), "127.0.0.1/bge/m3");
    assert_eq!(
        Place::parse("voyage/voyage-3.5").unwrap().space_model(),
        "voyage/voyage-3.5"
    );
    for wrong in ["", "openai", "openai/", "magic/model", "http://127.0.0.1/v1"] {
        assert_eq!(Place::parse(wrong), Err(PlaceError::Form), "{wrong}");
    }
    assert_eq!(
        Place::parse("http://example.org/v1#m"),
        Err(PlaceError::InTheClear)
    );
}

#[test]
fn long_texts_are_cut_and_nothing_is_lost() {
    for sentence in [
        "The saw is mended on Fridays. ",
        "톱은 금요일에 고칩니다. ",
        "鋸は金曜日に直します。",
    ] {
        let note: String = (1..=200).map(|number| format!("{number} {sentence}")).collect();
        let chunks = crate::chunks::chunks(&note);
        assert!(chunks.len() > 2);
        let mut covered = 0;
        for chunk in &chunks {
            let start = note.find(chunk.as_str()).unwrap();
            assert!(start <= covered, "nothing between two chunks");
            covered = start + chunk.len();
        }
        assert_eq!(covered, note.len());
    }
    assert_eq!(crate::chunks::chunks(""), [""]);
}
