//! The vectors of word pieces, of both models.

use crate::{cosine, e5, model};
use embedding_local::LocalEmbedder;
use ports::{EmbedPurpose, EmbeddedTokens, Embedder as _};

const TEXTS: [&str; 5] = [
    "Bread is baked at five in the morning.",
    "빵은 새벽 다섯 시에 구워요.",
    "  두 칸 띄운   문장도 있어요  ",
    "naïve café — ½ ㎏ of 밀가루 (flour) 🍞",
    "C++ 코드는 node.js보다 빨라요",
];

async fn made(model: &LocalEmbedder, text: &str, purpose: EmbedPurpose) -> EmbeddedTokens {
    let made = model
        .embed_tokens(&[text.to_owned()], purpose)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(made.len(), 1);
    made.into_iter().next().unwrap()
}

#[tokio::test]
async fn pieces_stand_where_they_say_and_their_mean_is_the_vector_of_the_text() {
    for (name, model) in [("MiniLM", model()), ("E5", e5::model())] {
        for text in TEXTS {
            for purpose in [EmbedPurpose::Query, EmbedPurpose::Passage] {
                let made = made(model, text, purpose).await;
                let whole = model.embed(&[text.to_owned()], purpose).await.unwrap();
                let near = cosine(&made.whole, &whole[0]);
                assert!(near >= 0.999_9, "{name}: {near} of {text:?}");
                assert!(
                    made.tokens.len() >= text.split_whitespace().count(),
                    "{name}: {text:?}"
                );
                let mut end = 0;
                for token in &made.tokens {
                    assert_eq!(token.numbers.len(), 384);
                    let length = token.numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
                    assert!((length - 1.0).abs() < 1e-4);
                    let piece = text.get(token.bytes.clone());
                    assert!(piece.is_some(), "{name}: {:?} of {text:?}", token.bytes);
                    assert!(
                        token.bytes.start >= end || token.bytes.is_empty(),
                        "{name}: {text:?}"
                    );
                    end = end.max(token.bytes.start);
                }
                let covered = made.tokens.last().map_or(0, |token| token.bytes.end);
                assert_eq!(
                    covered,
                    text.trim_end().len(),
                    "{name}: the last piece ends the text {text:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn the_same_word_in_two_sentences_is_nearer_than_another_word() {
    for (question, text, word) in [
        ("언제 빵을 구워요?", "매일 새벽에 빵을 구워서 팔아요", "빵"),
        (
            "When is bread baked?",
            "We sell bread that we bake at dawn",
            "bread",
        ),
    ] {
        let model = e5::model();
        let asked = made(model, question, EmbedPurpose::Query).await;
        let kept = made(model, text, EmbedPurpose::Passage).await;
        let at = question.find(word).unwrap();
        let piece = asked
            .tokens
            .iter()
            .find(|token| token.bytes.contains(&at))
            .unwrap();
        let best = (kept.tokens.iter())
            .max_by(|a, b| cosine(&a.numbers, &piece.numbers).total_cmp(&cosine(&b.numbers, &piece.numbers)))
            .unwrap();
        let there = text.find(word).unwrap();
        assert!(
            best.bytes.contains(&there),
            "{question}: {:?}",
            text.get(best.bytes.clone())
        );
    }
}

#[tokio::test]
async fn no_text_at_all_and_a_text_that_is_too_long_have_pieces_too() {
    for model in [model(), e5::model()] {
        let nothing = made(model, "", EmbedPurpose::Passage).await;
        assert_eq!((nothing.tokens.len(), nothing.whole.len()), (0, 384));
        let long = made(model, &"강아지와 산책해요. ".repeat(400), EmbedPurpose::Passage).await;
        assert!(long.tokens.len() > 100 && long.tokens.len() <= 512);
    }
}
