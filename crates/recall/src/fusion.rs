//! Two ranked lists become one.

use memory_model::MemoryId;
use ports::{KeywordHit, VectorHit};
use std::collections::HashMap;

/// A memory with its place in each list.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// Which memory.
    pub id: MemoryId,
    /// Place in the keyword list, from 1.
    pub keyword_rank: Option<u32>,
    /// BM25 there.
    pub bm25: Option<f32>,
    /// Place in the vector list, from 1.
    pub vector_rank: Option<u32>,
    /// Cosine there.
    pub similarity: Option<f32>,
    /// Σ 1 / (k + rank).
    pub reciprocal: f32,
    /// By what it is ordered; the same sum until a strategy ranks anew.
    pub score: f32,
}

/// Reciprocal rank fusion with equal weights. Best first; equal scores are ordered by similarity, then by id, so
/// that the same lists always give the same order.
pub fn fuse(keyword: &[KeywordHit], vector: &[VectorHit], k: u32) -> Vec<Fused> {
    let mut by_id: HashMap<&MemoryId, Fused> = HashMap::new();
    for (rank, hit) in (1_u32..).zip(keyword) {
        let fused = by_id.entry(&hit.id).or_insert_with(|| empty(&hit.id));
        fused.keyword_rank = Some(rank);
        fused.bm25 = Some(hit.bm25);
        fused.reciprocal += share(rank, k);
    }
    for (rank, hit) in (1_u32..).zip(vector) {
        let fused = by_id.entry(&hit.id).or_insert_with(|| empty(&hit.id));
        fused.vector_rank = Some(rank);
        fused.similarity = Some(hit.similarity);
        fused.reciprocal += share(rank, k);
    }
    let mut list: Vec<Fused> = by_id
        .into_values()
        .map(|fused| Fused {
            score: fused.reciprocal,
            ..fused
        })
        .collect();
    list.sort_by(best_first);
    list
}

/// The order of a ranking: by score, then by similarity, then by id.
pub fn best_first(a: &Fused, b: &Fused) -> std::cmp::Ordering {
    let similarity = |fused: &Fused| fused.similarity.unwrap_or(-1.0);
    b.score
        .total_cmp(&a.score)
        .then_with(|| similarity(b).total_cmp(&similarity(a)))
        .then_with(|| a.id.cmp(&b.id))
}

/// What one list adds to a score: 1 / (k + rank).
pub fn share(rank: u32, k: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^23")]
    let denominator = (k + rank) as f32;
    1.0 / denominator
}

/// A memory that no list holds.
pub fn empty(id: &MemoryId) -> Fused {
    Fused {
        id: id.clone(),
        keyword_rank: None,
        bm25: None,
        vector_rank: None,
        similarity: None,
        reciprocal: 0.0,
        score: 0.0,
    }
}
