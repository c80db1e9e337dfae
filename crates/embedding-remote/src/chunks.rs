//! Cuts a long text for a model whose word pieces nobody here knows.

/// Characters of a chunk: about 400 word pieces of English and 1,000 of Korean, well below what the smallest of
/// these models reads (512 word pieces in some of Cohere's and Ollama's, which cut off the rest themselves).
const CHUNK_CHARS: usize = 1_200;

/// Characters that neighbouring chunks share at least: one or two sentences.
const OVERLAP_CHARS: usize = 150;

/// How far back from the end of a chunk a space is looked for.
const SPACE_WITHIN: usize = 200;

/// The chunks of a text; at least one, also for an empty text.
pub(crate) fn chunks(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut chunks = Vec::new();
    let mut start = 0;
    loop {
        let end = start + CHUNK_CHARS;
        let Some(window) = chars.get(start..end).filter(|_| end < chars.len()) else {
            // The last one is filled up from the front, so that it is never three words without context.
            let start = match chunks.is_empty() {
                true => 0,
                false => chars.len().saturating_sub(CHUNK_CHARS),
            };
            chunks.push(chars.iter().skip(start).collect());
            return chunks;
        };
        let space = window
            .iter()
            .rev()
            .take(SPACE_WITHIN)
            .position(|c| c.is_whitespace());
        let kept = CHUNK_CHARS - space.unwrap_or_default();
        chunks.push(window.iter().take(kept).collect());
        start += kept - OVERLAP_CHARS;
    }
}
