//! How the parts of the engine are.

use crate::{EmbeddingHealth, Engine, EngineError, ErrorCodeAndMessage, Health, Trouble, TroubleKind};
use embedding::EmbedderState;
use std::sync::PoisonError;

impl Engine {
    /// Asks every part. Never fails: what does not answer is part of the report.
    pub async fn health(&self) -> Health {
        let space = self.inner.models.space();
        let counts = self.inner.store.counts(&self.user()).await;
        let error = counts.as_ref().err().map(|error| ErrorCodeAndMessage {
            code: EngineError::code_of(error),
            message: crate::error::chain(error),
        });
        let counts = counts.unwrap_or_default();
        let without_vector = self
            .inner
            .store
            .without_vector(&self.user(), &space)
            .await
            .unwrap_or_default();
        self.inner.models.retry_if_changed();
        let model = space.model;
        Health {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_dir: self.inner.data_dir.display().to_string(),
            memories: counts.memories,
            waiting: counts.waiting,
            without_vector,
            store_ok: error.is_none(),
            store_error: error,
            database_bytes: self.inner.store.size_bytes().await.unwrap_or_default(),
            embedding: match self.inner.models.state() {
                EmbedderState::Off => EmbeddingHealth::Off,
                EmbedderState::Loading => EmbeddingHealth::Loading { model },
                EmbedderState::Ready(_) => EmbeddingHealth::Ready { model },
                EmbedderState::Failed(reason) => EmbeddingHealth::Failed { model, reason },
            },
            reembedding: self.inner.switch.progress(),
            chat_model: self.chat_model().map(|model| model.name().to_owned()),
            chat_problem: self
                .inner
                .chat
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .problem(),
            troubles: self.stepped_down().into_iter().chain(self.troubles()).collect(),
        }
    }

    /// Why a better embedding source is not the one that works, as long as that holds.
    fn stepped_down(&self) -> Vec<Trouble> {
        let at = self.inner.clock.now();
        let trouble = |message| Trouble {
            kind: TroubleKind::Embedding,
            message,
            at,
            times: 1,
        };
        self.inner.steps_down.reasons().into_iter().map(trouble).collect()
    }
}
