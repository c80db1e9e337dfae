//! The vectors of the word pieces of memories, which the finest step of a ranking compares. They are made when there
//! is nothing better to do, and a search goes without those that are not there yet.

use crate::EngineResult;
use ports::{EmbedError, EmbedPurpose, Embedder, NewTokenVectors, TokenMatrix, VectorIndex};

/// Memories whose word pieces are made in one go: small enough that closing never waits long.
const AT_ONCE: u32 = 16;

/// Word pieces of a memory that are kept; one that has more is kept without any. Of a text of many pages some piece
/// is near to every question, and it would take the room of forty short ones.
const PIECES_MAX: usize = 1024;

/// Gives word pieces to memories that have none, the newest first, as many as the store has room for. `count` hears
/// of how many memories were done. An error of the model ends it, and the next time it goes on from there.
///
/// # Errors
/// When the store cannot be used.
pub async fn embed_token_vectors(
    store: &dyn VectorIndex,
    embedder: &dyn Embedder,
    count: &(dyn Fn(usize) + Send + Sync),
) -> EngineResult<Option<EmbedError>> {
    let space = embedder.space();
    loop {
        let missing = store.without_token_vectors(space, AT_ONCE).await?;
        let mut rows = Vec::with_capacity(missing.len());
        for memory in missing {
            match token_matrix(embedder, &memory.text).await {
                Ok(Some(tokens)) => rows.push(NewTokenVectors {
                    id: memory.id,
                    content_hash: memory.content_hash,
                    tokens,
                }),
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(error)),
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let done = rows.len();
        store.put_token_vectors(space, rows).await?;
        count(done);
    }
}

/// The word pieces of a text, chunk by chunk; `None` from a source that gives whole texts only.
async fn token_matrix(embedder: &dyn Embedder, text: &str) -> Result<Option<TokenMatrix>, EmbedError> {
    let dimension = embedder.space().dimension;
    let chunks = embedder.chunks(text);
    // Every word is a piece at least.
    if text.split_whitespace().count() > PIECES_MAX {
        return Ok(Some(TokenMatrix::of(dimension, std::iter::empty())));
    }
    let Some(made) = embedder.embed_tokens(&chunks, EmbedPurpose::Passage).await? else {
        return Ok(None);
    };
    let pieces = made.iter().flat_map(|chunk| &chunk.tokens);
    let matrix = TokenMatrix::of(dimension, pieces.map(|piece| piece.numbers.as_slice()));
    match matrix.len() > PIECES_MAX {
        true => Ok(Some(TokenMatrix::of(dimension, std::iter::empty()))),
        false => Ok(Some(matrix)),
    }
}
