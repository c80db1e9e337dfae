//! How much fits into a prompt.

use memory_model::is_hangul;

/// Tokens of a text, estimated on the safe side: about four characters of a Latin word, and one token and a
/// quarter for each Hangul syllable or ideograph (byte-level vocabularies spend one to two on them).
pub fn estimate_tokens(text: &str) -> u32 {
    let (mut wide, mut narrow) = (0_u32, 0_u32);
    for c in text.chars() {
        if is_hangul(c) || u32::from(c) >= 0x3000 {
            wide = wide.saturating_add(1);
        } else {
            narrow = narrow.saturating_add(1);
        }
    }
    narrow
        .div_ceil(4)
        .saturating_add(wide.saturating_mul(5).div_ceil(4))
}

/// Cuts a text so that it fits `tokens_max`, at the end of a sentence where there is one, else at a word.
pub fn cut_to_tokens(text: &str, tokens_max: u32) -> String {
    if estimate_tokens(text) <= tokens_max {
        return text.to_owned();
    }
    let mut kept = String::new();
    for sentence in unicode_segmentation::UnicodeSegmentation::split_sentence_bounds(text) {
        if estimate_tokens(&kept) + estimate_tokens(sentence) > tokens_max {
            break;
        }
        kept.push_str(sentence);
    }
    if !kept.trim().is_empty() {
        return kept.trim_end().to_owned();
    }
    for word in unicode_segmentation::UnicodeSegmentation::split_word_bounds(text) {
        if estimate_tokens(&kept) + estimate_tokens(word) > tokens_max {
            break;
        }
        kept.push_str(word);
    }
    kept.trim_end().to_owned()
}
