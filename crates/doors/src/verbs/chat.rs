//! `reverie chat`.

use super::standard_input;
use crate::arguments::Chat;
use crate::words::Words;
use crate::{Ended, open, print};
use engine::{Engine, EngineResult, Event};
use memory_model::{FinalOutput, ThreadId, TurnInput, TurnStatus};
use std::io::IsTerminal;
use tokio::io::{AsyncBufReadExt, BufReader};

pub(crate) async fn run(engine: &Engine, chat: Chat, json: bool, words: Words) -> EngineResult<Ended> {
    engine.wait_for_model().await;
    let thread_id = match chat.thread {
        Some(id) => ThreadId::new(id),
        // It is made with its first message, so an empty talk leaves no empty thread.
        None => ThreadId::generate(),
    };
    if chat.once {
        let text = standard_input().await;
        let output = turn(engine, &thread_id, strip_line_end(text), !json).await;
        report(&output, json, words);
        open::catch_up(engine).await;
        let failed = output.status == TurnStatus::Failed;
        return Ok(if failed { Ended::Refused } else { Ended::Done });
    }
    let terminal = std::io::stdin().is_terminal();
    if terminal && !json {
        print::line(words.pick(
            "Say something, or ask what I know. An empty line or Ctrl-D ends.",
            "무엇이든 말하거나, 무엇을 아는지 물어보세요. 빈 줄이나 Ctrl-D로 끝나요.",
        ));
    }
    let mut input = BufReader::new(tokio::io::stdin());
    let mut any_failed = false;
    loop {
        if terminal && !json {
            print::piece("> ");
        }
        let mut line = Vec::new();
        // An input that breaks off ends the talk like its end does.
        if input.read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
            break;
        }
        let text = strip_line_end(String::from_utf8_lossy(&line).into_owned());
        match (text.trim().is_empty(), terminal) {
            (true, true) => break,
            // In a piped text a blank line says nothing.
            (true, false) => continue,
            (false, _) => {}
        }
        let output = turn(engine, &thread_id, text, !json).await;
        any_failed |= output.status == TurnStatus::Failed;
        report(&output, json, words);
    }
    open::catch_up(engine).await;
    Ok(if any_failed { Ended::Refused } else { Ended::Done })
}

/// Runs a turn; the answer is printed while it is made.
async fn turn(engine: &Engine, thread_id: &ThreadId, text: String, stream: bool) -> FinalOutput {
    let mut events = engine.subscribe();
    let input = TurnInput {
        input: text,
        user_id: Some(engine.user()),
        thread_id: Some(thread_id.clone()),
    };
    let running = engine.run_turn(input);
    tokio::pin!(running);
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(Event::AnswerPiece { piece, .. }) if stream => print::piece(&piece),
                Ok(_) => {}
                Err(_) => return running.await,
            },
            output = &mut running => {
                while let Ok(event) = events.try_recv() {
                    if let Event::AnswerPiece { piece, .. } = event && stream {
                        print::piece(&piece);
                    }
                }
                return output;
            }
        }
    }
}

fn report(output: &FinalOutput, json: bool, words: Words) {
    if json {
        print::json(output);
        return;
    }
    print::line("");
    print::outcome(output, words);
}

/// The line end that `echo` and editors put behind a message is no part of it.
fn strip_line_end(mut text: String) -> String {
    while text.ends_with(['\n', '\r']) {
        text.pop();
    }
    text
}
