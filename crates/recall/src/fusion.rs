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
        fused.score += share(rank, k);
    }
    for (rank, hit) in (1_u32..).zip(vector) {
        let fused = by_id.entry(&hit.id).or_insert_with(|| empty(&hit.id));
        fused.vector_rank = Some(rank);
        fused.similarity = Some(hit.similarity);
        fused.score += share(rank, k);
    }
    let mut list: Vec<Fused> = by_id.into_values().collect();
    list.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| {
                b.similarity
                    .unwrap_or(-1.0)
                    .total_cmp(&a.similarity.unwrap_or(-1.0))
            })
            .then_with(|| a.id.cmp(&b.id))
    });
    list
}

/// What one list adds to a score: 1 / (k + rank).
pub fn share(rank: u32, k: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^23")]
    let denominator = (k + rank) as f32;
    1.0 / denominator
}

fn empty(id: &MemoryId) -> Fused {
    Fused {
        id: id.clone(),
        keyword_rank: None,
        bm25: None,
        vector_rank: None,
        similarity: None,
        score: 0.0,
    }
}
