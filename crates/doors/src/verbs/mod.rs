//! One file for each group of verbs.

mod chat;
mod memory;
mod review;
mod sources;

use crate::Ended;
use crate::arguments::Verb;
use crate::words::Words;
use engine::{Engine, EngineResult};

/// Runs a verb on the open engine.
pub(crate) async fn run(engine: &Engine, verb: Verb, json: bool, words: Words) -> EngineResult<Ended> {
    match verb {
        Verb::Chat(chat) => chat::run(engine, chat, json, words).await,
        Verb::Remember(remember) => memory::remember(engine, remember, json, words).await,
        Verb::Recall(recall) => memory::recall(engine, recall, json, words).await,
        Verb::List(list) => memory::list(engine, list, json).await,
        Verb::Show { id } => memory::show(engine, &id, json, words).await,
        Verb::Forget(forget) => memory::forget(engine, forget, json, words).await,
        Verb::Review(review) => review::run(engine, review, json, words).await,
        Verb::New(new) => sources::new(engine, new, json, words).await,
        Verb::Rollback(rollback) => sources::rollback(engine, rollback, json, words).await,
        Verb::Sources => sources::list(engine, json).await,
    }
}

/// Standard input to its end. Bytes that are no UTF-8 become replacement characters, so nothing is lost silently.
pub(crate) async fn standard_input() -> String {
    use tokio::io::AsyncReadExt;
    let mut bytes = Vec::new();
    // What was read before an error is used; an empty message is refused with words.
    let _ = tokio::io::stdin().read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}
