//! Long and strange texts, English and Korean.

use crate::{cosine, model};
use ports::{EmbedPurpose, Embedder as _};

/// A hundred sentences of which only the last is about a key.
fn long_note(sentence: &str, last: &str) -> String {
    let mut note: String = (1..=100).map(|number| format!("{number}. {sentence} ")).collect();
    note.push_str(last);
    note
}

#[tokio::test]
async fn the_last_sentence_of_a_long_note_is_found() {
    for (sentence, last, question) in [
        (
            "The meeting went over the budget for the coming quarter once more.",
            "The spare key of the cabin hangs behind the red barrel.",
            "Where is the key of the cabin?",
        ),
        (
            "회의에서는 다음 분기 예산을 한 번 더 살펴보았습니다.",
            "오두막 열쇠는 빨간 통 뒤에 걸려 있습니다.",
            "오두막 열쇠는 어디에 있나요?",
        ),
    ] {
        let note = long_note(sentence, last);
        let chunks = model().chunks(&note);
        assert!(chunks.len() > 5, "{}", chunks.len());
        assert!(
            note.starts_with(&chunks[0]),
            "the beginning is in the first chunk"
        );
        assert!(
            chunks.last().unwrap().ends_with(last),
            "the end is in the last chunk"
        );

        // Whole: the vector of a chunk changes when its last word does, so nothing of it was cut.
        let with_end = chunks.last().unwrap().clone();
        let without_end = with_end.strip_suffix(last).unwrap().to_owned();
        let asked = [with_end, without_end, last.to_owned(), question.to_owned()];
        let vectors = model().embed(&asked, EmbedPurpose::Passage).await.unwrap();
        assert!(
            cosine(&vectors[0], &vectors[1]) < 0.999,
            "the last sentence is part of the vector"
        );
        assert!(cosine(&vectors[2], &vectors[3]) > cosine(&vectors[1], &vectors[3]));
    }
}

#[test]
fn neighbouring_chunks_share_words_and_lose_none() {
    for sentence in [
        "Marta mends the large saw on Fridays, not before noon.",
        "목공소는 금요일 오후에만 큰 톱을 고칩니다.",
    ] {
        let note = long_note(sentence, "End.");
        let chunks = model().chunks(&note);
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
        assert_eq!(covered, note.len());
    }
}

#[test]
fn short_texts_are_one_chunk_as_they_are() {
    let long_url = format!("https://example.org/{}", "a".repeat(600));
    for text in ["", " ", "\n", "녹차", "I like tea. ", "🌙", long_url.as_str()] {
        assert_eq!(model().chunks(text), [text]);
    }
}

#[tokio::test]
async fn strange_texts_have_a_vector() {
    let texts = [
        "\u{0}\u{1}\u{7f}".to_owned(),
        "\u{202e}\u{feff}\u{200d}".to_owned(),
        "[CLS] [SEP] [MASK]".to_owned(),
        "ㄱㄴㄷ ㅋㅋㅋㅋ ㅠㅠ".to_owned(),
        "👩‍👩‍👧".repeat(500),
        "가".repeat(5000),
        "x".repeat(100_000),
        "a b ".repeat(50_000),
    ];
    let vectors = model().embed(&texts, EmbedPurpose::Passage).await.unwrap();
    assert_eq!(vectors.len(), texts.len());
    assert!(vectors.iter().flatten().all(|number| number.is_finite()));
}

#[test]
fn decomposed_hangul_is_cut_between_characters() {
    let decomposed =
        "\u{1110}\u{1169}\u{11BC}\u{1105}\u{1169} \u{110C}\u{116A}\u{1109}\u{1165}\u{11A8} ".repeat(200);
    let chunks = model().chunks(&decomposed);
    assert!(chunks.len() > 2);
    assert!(chunks.iter().all(|chunk| decomposed.contains(chunk.as_str())));
}
