//! The protocols against a server on loopback that answers in the recorded shapes, also the broken ones.

use crate::{Connection, ConnectionError, HostedModel};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::any;
use futures::stream;
use memory_model::{PromptContext, PromptMessage, Role, TokenUsage};
use ports::{ChatError, ChatModel};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use test_support::PlainSink;

/// An answer of the server: status, headers, chunks, and whether it stays open and silent at the end.
struct Scripted {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    chunks: Vec<Vec<u8>>,
    hangs: bool,
}

impl Scripted {
    fn stream(events: &[Value]) -> Self {
        let mut text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        text.push_str("data: [DONE]\n\n");
        Self::chunks(vec![text.into_bytes()])
    }

    fn chunks(chunks: Vec<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream")],
            chunks,
            hangs: false,
        }
    }

    fn error(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json")],
            chunks: vec![body.as_bytes().to_vec()],
            hangs: false,
        }
    }
}

#[derive(Clone, Default)]
struct Server {
    script: Arc<Mutex<VecDeque<Scripted>>>,
    seen: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

async fn serve(State(server): State<Server>, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    server.seen.lock().unwrap().push((headers, body));
    let next = server
        .script
        .lock()
        .unwrap()
        .pop_front()
        .expect("a scripted answer");
    let mut response = Response::builder().status(StatusCode::from_u16(next.status).unwrap());
    for (name, value) in next.headers {
        response = response.header(name, value);
    }
    let chunks = stream::iter(
        next.chunks
            .into_iter()
            .map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk))),
    );
    let hangs = next.hangs;
    let rest = stream::unfold((), move |()| async move {
        if hangs {
            std::future::pending::<()>().await;
        }
        None::<(Result<Bytes, Infallible>, ())>
    });
    response
        .body(Body::from_stream(futures::StreamExt::chain(chunks, rest)))
        .unwrap()
}

/// A server with a script, and a model that talks to it.
async fn model_on(provider: &str, script: Vec<Scripted>) -> (HostedModel, Server) {
    let server = Server::default();
    server.script.lock().unwrap().extend(script);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1/", listener.local_addr().unwrap());
    let app = Router::new()
        .route("/{*path}", any(serve))
        .with_state(server.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let key = SecretString::from(["key", "for", "tests"].join("-"));
    let connection = Connection::new(&format!("{provider}/small"), Some(&address), Some(key)).unwrap();
    (HostedModel::new(connection, 64).unwrap(), server)
}

fn prompt() -> PromptContext {
    let message = |role, text: &str, block: &str| PromptMessage {
        role,
        text: text.to_owned(),
        memory_block: block.to_owned(),
    };
    PromptContext {
        system: "You are the user's assistant.".to_owned(),
        messages: vec![
            message(
                Role::User,
                "I fly on Friday.",
                "<memories>[1] aisle seats</memories>",
            ),
            message(Role::Assistant, "Have a good flight.", ""),
            message(Role::User, "어느 좌석이 좋을까?", ""),
        ],
        memory_block: "<memories>[1] 아침 비행기</memories>".to_owned(),
        ..PromptContext::default()
    }
}

fn piece(text: &str) -> Value {
    json!({"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]})
}

fn ending(usage: &Value) -> Value {
    json!({"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage})
}

async fn ask(model: &HostedModel) -> (Result<TokenUsage, ChatError>, String) {
    let mut sink = PlainSink::default();
    let ended = model.answer(&prompt(), &mut sink).await;
    (ended, sink.pieces.concat())
}

#[tokio::test]
async fn an_answer_streams_and_its_cached_tokens_are_known() {
    let usage = json!({"prompt_tokens": 418, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 403}});
    let script = Scripted::stream(&[piece("통로 "), piece("좌석이요 [1]"), ending(&usage)]);
    let (model, server) = model_on("compatible", vec![script]).await;
    let (ended, text) = ask(&model).await;
    assert_eq!(text, "통로 좌석이요 [1]");
    let expected = TokenUsage {
        prompt_tokens: Some(418),
        cached_tokens: Some(403),
        answer_tokens: Some(9),
    };
    assert_eq!(ended, Ok(expected));
    let seen = server.seen.lock().unwrap();
    let (headers, body) = &seen[0];
    assert_eq!(headers["authorization"], "Bearer key-for-tests");
    assert_eq!(body["stream"], true);
    assert_eq!(body["messages"][0]["role"], "system");
}

#[tokio::test]
async fn the_prompt_of_the_next_turn_begins_with_the_bytes_of_this_one() {
    let answer = || Scripted::stream(&[piece("네."), ending(&json!({}))]);
    let (model, server) = model_on("compatible", vec![answer(), answer()]).await;
    let first = prompt();
    let mut second = first.clone();
    second.messages[2].memory_block.clone_from(&first.memory_block);
    second.messages.push(PromptMessage {
        role: Role::Assistant,
        text: "네.".to_owned(),
        memory_block: String::new(),
    });
    second.messages.push(PromptMessage {
        role: Role::User,
        text: "Thanks. And the hotel?".to_owned(),
        memory_block: String::new(),
    });
    second.memory_block.clear();
    for prompt in [&first, &second] {
        model.answer(prompt, &mut PlainSink::default()).await.unwrap();
    }
    let seen = server.seen.lock().unwrap();
    let texts = |index: usize| -> Vec<String> {
        let messages = seen[index].1["messages"].as_array().unwrap();
        messages
            .iter()
            .map(|message| message["content"].to_string())
            .collect()
    };
    let (before, after) = (texts(0), texts(1));
    assert!(
        before[3].contains("아침 비행기") && before[3].contains("어느 좌석"),
        "{before:?}"
    );
    assert_eq!(after[..before.len()], before[..]);
}

#[tokio::test]
async fn characters_that_are_split_over_chunks_arrive_whole() {
    let text = format!(
        "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
        piece("기억 🚀"),
        ending(&json!({}))
    );
    let bytes: Vec<Vec<u8>> = text.into_bytes().into_iter().map(|byte| vec![byte]).collect();
    let (model, _) = model_on("compatible", vec![Scripted::chunks(bytes)]).await;
    let (ended, text) = ask(&model).await;
    assert_eq!(text, "기억 🚀");
    assert!(ended.is_ok());
}

#[tokio::test]
async fn each_refusal_has_its_own_remedy() {
    let name = "compatible/small".to_owned();
    let cases = [
        (401, "{}", ChatError::KeyRefused { model: name.clone() }),
        (404, "{}", ChatError::ModelUnknown { model: name.clone() }),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded"}}"#,
            ChatError::ContextFull { model: name.clone() },
        ),
        (
            400,
            r#"{"error":"request (5000 tokens) exceeds the available context size"}"#,
            ChatError::ContextFull { model: name.clone() },
        ),
    ];
    for (status, body, expected) in cases {
        let (model, _) = model_on("compatible", vec![Scripted::error(status, body)]).await;
        assert_eq!(ask(&model).await.0, Err(expected), "{status} {body}");
    }
}

#[tokio::test]
async fn no_error_repeats_what_the_server_said() {
    let secret = ["key", "for", "tests"].join("-");
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {secret}"}}}}"#);
    for status in [400, 401, 403, 418] {
        let (model, _) = model_on("openai", vec![Scripted::error(status, &body)]).await;
        let error = ask(&model).await.0.unwrap_err();
        assert!(!format!("{error} {error:?}").contains(&secret), "{error:?}");
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_a_long_wait_is_said() {
    let busy = |seconds| Scripted {
        headers: vec![("content-type", "application/json"), ("retry-after", seconds)],
        ..Scripted::error(429, "{}")
    };
    let answer = Scripted::stream(&[piece("Here."), ending(&json!({}))]);
    let (model, server) = model_on("compatible", vec![busy("0"), answer]).await;
    let (ended, text) = ask(&model).await;
    assert!(ended.is_ok() && text == "Here.", "{ended:?}");
    assert_eq!(server.seen.lock().unwrap().len(), 2);

    let (model, server) = model_on("compatible", vec![busy("90")]).await;
    let error = ask(&model).await.0.unwrap_err();
    let expected = ChatError::RateLimited {
        model: "compatible/small".to_owned(),
        wait: Some(Duration::from_secs(90)),
    };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("90 seconds"));
    assert_eq!(server.seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_stream_that_breaks_off_keeps_what_came_and_is_not_repeated() {
    let half = format!("data: {}\n\ndata: {{\"choices\":[{{\"del", piece("The aisle"));
    let (model, server) = model_on("compatible", vec![Scripted::chunks(vec![half.into_bytes()])]).await;
    let (ended, text) = ask(&model).await;
    assert_eq!(text, "The aisle");
    assert!(
        matches!(
            ended,
            Err(ChatError::BrokeOff { .. } | ChatError::BadAnswer { .. })
        ),
        "{ended:?}"
    );
    assert_eq!(server.seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_empty_answer_and_a_page_instead_of_an_answer_are_errors() {
    let (model, _) = model_on("compatible", vec![Scripted::stream(&[ending(&json!({}))])]).await;
    assert!(matches!(ask(&model).await.0, Err(ChatError::Empty { .. })));
    let page = || Scripted {
        headers: vec![("content-type", "text/html")],
        ..Scripted::chunks(vec![b"<html>router login</html>".to_vec()])
    };
    let (model, _) = model_on("compatible", vec![page(), page(), page()]).await;
    let (ended, text) = ask(&model).await;
    assert!(ended.is_err() && text.is_empty(), "{ended:?}");
}

#[tokio::test]
async fn a_stop_ends_a_stream_at_the_next_piece() {
    let pieces: Vec<Value> = (0..50).map(|number| piece(&format!("{number} "))).collect();
    let (model, _) = model_on("compatible", vec![Scripted::stream(&pieces)]).await;
    let mut sink = PlainSink {
        stop_after: Some(3),
        ..PlainSink::default()
    };
    assert_eq!(model.answer(&prompt(), &mut sink).await, Err(ChatError::Stopped));
    assert_eq!(sink.pieces.len(), 3);
}

#[tokio::test]
async fn dropping_the_call_ends_it_while_the_server_is_silent() {
    let silent = Scripted {
        hangs: true,
        ..Scripted::chunks(Vec::new())
    };
    let (model, _) = model_on("compatible", vec![silent]).await;
    let waited = tokio::time::timeout(Duration::from_millis(300), ask(&model)).await;
    assert!(waited.is_err(), "a silent server has nothing to say");
}

#[tokio::test]
async fn nothing_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let model = HostedModel::new(
        Connection::new("compatible/small", Some(&address), None).unwrap(),
        64,
    )
    .unwrap();
    assert!(matches!(ask(&model).await.0, Err(ChatError::Unreachable { .. })));
}

#[tokio::test]
async fn anthropic_gets_a_mark_for_its_cache_and_its_cached_tokens_are_known() {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let text = [
        event(
            "message_start",
            json!({"type": "message_start", "message": {"id": "1", "role": "assistant", "content": [],
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 95, "cache_creation_input_tokens": 0,
                "output_tokens": 1}}}),
        ),
        event(
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
        event(
            "content_block_delta",
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "통로예요."}}),
        ),
        event("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
        event(
            "message_delta",
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
        ),
        event("message_stop", json!({"type": "message_stop"})),
    ]
    .concat();
    let (model, server) = model_on("anthropic", vec![Scripted::chunks(vec![text.into_bytes()])]).await;
    let (ended, text) = ask(&model).await;
    assert_eq!(text, "통로예요.");
    let usage = ended.unwrap();
    assert_eq!(usage.cached_tokens, Some(95));
    assert_eq!(usage.prompt_tokens, Some(100));
    let body = server.seen.lock().unwrap()[0].1.to_string();
    assert!(body.contains("cache_control"), "{body}");
}

#[test]
fn a_connection_is_refused_with_what_to_type() {
    let refused = |name: &str, address: Option<&str>, key: bool| {
        let key = key.then(|| SecretString::from("k"));
        Connection::new(name, address, key).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused("llama", None, false), ConnectionError::Form);
    assert_eq!(refused("ollama/", None, false), ConnectionError::Form);
    assert_eq!(
        refused("compatible/x", None, false),
        ConnectionError::AddressMissing
    );
    assert_eq!(
        refused("compatible/x", Some("file:///etc"), false),
        ConnectionError::Address
    );
    assert_eq!(
        refused("openai/x", Some("http://example.org"), true),
        ConnectionError::KeyInTheClear
    );
    assert!(matches!(
        refused("acme/x", None, false),
        ConnectionError::Provider { .. }
    ));
    assert!(Connection::new("compatible/org/model:7b", Some("http://localhost:8080"), None).is_ok());
}

#[tokio::test]
async fn a_provider_without_its_key_is_not_called() {
    let model = HostedModel::new(Connection::new("anthropic/any", None, None).unwrap(), 64).unwrap();
    assert!(matches!(ask(&model).await.0, Err(ChatError::KeyMissing { .. })));
}
