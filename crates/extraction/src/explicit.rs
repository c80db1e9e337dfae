//! "Remember that …", "… 기억해 줘": the user asks for something to be kept.

use crate::rules::{chars_before, pattern};
use memory_model::Language;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:hey|ok|okay|so|and|also|please|pls|could you|can you|i want you to|i'd like you to)[, ]+)*",
        r"(?:remember|memori[sz]e|note|make a note|keep in mind|don't forget|do not forget|save to memory|remember this|note this down|for future reference)",
        r"(?: that |: ?| (?P<own>(?:i|i'm|i've|i'll|my|we|our|we're)\b))(?P<o>\S.*?)[.!?]*$",
    ))
});

static KOREAN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:꼭|이거|이건|이것 좀|이것|잘)[ ,]+)*(?:기억해 ?(?:줘|둬|주세요|두세요|줘요)?|메모해 ?(?:줘|둬|주세요)|알아 ?(?:둬|두세요)|명심해)[:,.!] ?(?P<after>\S.*)$",
        r"|^(?:(?P<said>\S.*?(?:다|라))고|(?P<before>\S.*?)(?:[.,]|다는 ?(?:거|것|걸)(?:을|를)?|는 ?(?:거|것|걸)(?:을|를)?)?) (?:좀 |꼭 |잘 )?(?:기억해 ?(?:줘|둬|주세요|두세요|줘요|주라)|기억해|알아 ?(?:둬|두세요|둬요))[.!~ ]*$",
    ))
});

/// The words to be kept, as characters of the folded sentence; `None` when the sentence does not ask for that.
pub(crate) fn remember_this(folded: &str, language: Language) -> Option<Range<usize>> {
    let span = match language {
        Language::En => {
            let found = ENGLISH.captures(folded)?;
            let words = found.name("o")?;
            found.name("own").map_or(words.start(), |own| own.start())..words.end()
        }
        Language::Ko => {
            let found = KOREAN.captures(folded)?;
            let words = found
                .name("after")
                .or_else(|| found.name("said"))
                .or_else(|| found.name("before"))?;
            words.start()..words.end()
        }
    };
    Some(chars_before(folded, span.start)..chars_before(folded, span.end))
}
