//! The same vectors as sentence-transformers makes. `tests/fixtures/README.md` says how those were made.

use crate::{cosine, model};
use ports::{EmbedPurpose, Embedder as _};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("../fixtures/reference.json")).unwrap()
}

/// Half a hundred times finer than what tells two texts apart; f32 sums in another order stay far below.
const COSINE_MIN: f32 = 0.9999;

#[tokio::test]
async fn every_text_has_the_vector_of_sentence_transformers_alone_and_in_batches() {
    let references = references();
    assert!(references.len() >= 24);
    let texts: Vec<String> = references
        .iter()
        .map(|reference| reference.text.clone())
        .collect();
    let together = model().embed(&texts, EmbedPurpose::Passage).await.unwrap();
    for (reference, in_batch) in references.iter().zip(&together) {
        let alone = model()
            .embed(std::slice::from_ref(&reference.text), EmbedPurpose::Query)
            .await
            .unwrap();
        for vector in [in_batch, &alone[0]] {
            assert_eq!(vector.len(), 384);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!(
                (length - 1.0).abs() < 1e-5,
                "length {length} of {:?}",
                reference.text
            );
            let cosine = cosine(vector, &reference.vector);
            assert!(cosine >= COSINE_MIN, "cosine {cosine} of {:?}", reference.text);
        }
    }
}

#[tokio::test]
async fn what_belongs_together_is_nearer_than_what_does_not() {
    let floor = embedding::ALL_MINILM_L6_V2.thresholds.relevance_floor;
    let texts = [
        "Which seat should I book on the plane?",
        "She always takes a seat by the aisle when she flies.",
        "The sourdough starter has to be fed on Sundays.",
    ]
    .map(str::to_owned);
    let vectors = model().embed(&texts, EmbedPurpose::Query).await.unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > floor);
    assert!(cosine(&vectors[0], &vectors[2]) < floor);
}

#[tokio::test]
async fn korean_texts_that_have_nothing_in_common_stay_below_the_floor_for_korean() {
    let texts = [
        "비행기 좌석은 어디로 할까요?",
        "일요일마다 발효종에 밥을 줘야 합니다.",
        "우리 팀은 화요일에 배포해요.",
    ]
    .map(str::to_owned);
    let floor = embedding::ALL_MINILM_L6_V2
        .thresholds_for(&texts[0])
        .relevance_floor;
    let vectors = model().embed(&texts, EmbedPurpose::Query).await.unwrap();
    for other in &vectors[1..] {
        let cosine = cosine(&vectors[0], other);
        assert!(cosine < floor, "{cosine}");
    }
}
