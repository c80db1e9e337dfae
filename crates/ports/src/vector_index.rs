//! Where embeddings of memories are kept and compared.

use crate::{StoreResult, TokenMatrix};
use async_trait::async_trait;
use memory_model::{MemoryFilter, MemoryId, UserId};

/// An embedding space: vectors are compared only inside one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmbeddingSpace {
    /// The source, such as `transformers`.
    pub source: String,
    /// The model, such as `sentence-transformers/all-MiniLM-L6-v2`.
    pub model: String,
    /// Numbers in a vector.
    pub dimension: usize,
}

impl EmbeddingSpace {
    /// The name under which vectors are stored.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.source, self.model, self.dimension)
    }

    /// The space with a name; `None` for a name that no space has.
    pub fn named(name: &str) -> Option<Self> {
        // A model's own name has a slash in it.
        let (source, rest) = name.split_once('/')?;
        let (model, dimension) = rest.rsplit_once('/')?;
        Some(Self {
            source: source.to_owned(),
            model: model.to_owned(),
            dimension: dimension.parse().ok()?,
        })
    }

    /// The space of the same model computing in another precision, such as `int8`: its vectors differ enough to be
    /// kept apart.
    pub fn in_precision(&self, precision: &str) -> Self {
        Self {
            model: format!("{}@{precision}", self.model),
            ..self.clone()
        }
    }
}

/// A row of the vector list.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorHit {
    /// Which memory.
    pub id: MemoryId,
    /// Cosine of query and best chunk, -1 to 1.
    pub similarity: f32,
}

/// A text that has no vector yet.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingVector {
    /// The memory.
    pub id: MemoryId,
    /// Its content hash: a vector is kept only while the memory still says this.
    pub content_hash: String,
    /// The text to embed.
    pub text: String,
}

/// The chunks of one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVectors {
    /// The memory.
    pub id: MemoryId,
    /// The content hash of the text that was embedded.
    pub content_hash: String,
    /// One L2-normalised vector for each chunk.
    pub chunks: Vec<Vec<f32>>,
}

/// The word pieces of one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTokenVectors {
    /// The memory.
    pub id: MemoryId,
    /// The content hash of the text that was embedded.
    pub content_hash: String,
    /// Its word pieces.
    pub tokens: TokenMatrix,
}

/// Vectors of memories, one set for each embedding space.
#[async_trait]
pub trait VectorIndex: Send + Sync {
    /// At most `limit` active memories without a vector in this space.
    async fn missing(&self, space: &EmbeddingSpace, limit: u32) -> StoreResult<Vec<MissingVector>>;

    /// Keeps vectors. Rows whose memory has changed or gone since are left out.
    async fn put(&self, space: &EmbeddingSpace, rows: Vec<NewVectors>) -> StoreResult<()>;

    /// The vector list: at most `limit` memories nearest to `query` by cosine, best first, filtered before
    /// they are ranked.
    async fn search(
        &self,
        space: &EmbeddingSpace,
        filter: &MemoryFilter,
        query: &[f32],
        limit: u32,
    ) -> StoreResult<Vec<VectorHit>>;

    /// The word pieces of those of `ids` that have them. A store that keeps none answers with nothing, and so the
    /// ranking goes without.
    async fn token_vectors(
        &self,
        owner: &UserId,
        space: &EmbeddingSpace,
        ids: &[MemoryId],
    ) -> StoreResult<Vec<(MemoryId, TokenMatrix)>> {
        let _ = (owner, space, ids);
        Ok(Vec::new())
    }

    /// At most `limit` active memories whose word pieces are wanted and not kept yet.
    async fn without_token_vectors(
        &self,
        space: &EmbeddingSpace,
        limit: u32,
    ) -> StoreResult<Vec<MissingVector>> {
        let _ = (space, limit);
        Ok(Vec::new())
    }

    /// Keeps word pieces, as many as the store has room for. Rows whose memory has changed or gone since are left
    /// out.
    async fn put_token_vectors(&self, space: &EmbeddingSpace, rows: Vec<NewTokenVectors>) -> StoreResult<()> {
        let _ = (space, rows);
        Ok(())
    }
}
