//! Words for comparing two statements: stems without endings, and which of them carry numbers or negation.

use crate::korean::without_particle;
use crate::rules::pattern;
use memory_model::is_hangul;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// English words that say nothing about what a statement is about.
const STOP: &[&str] = &[
    "a", "an", "the", "i", "i'm", "i've", "i'll", "i'd", "me", "my", "mine", "we", "our", "us", "you",
    "your", "is", "are", "am", "was", "were", "be", "been", "do", "does", "did", "have", "has", "had", "to",
    "of", "in", "on", "at", "by", "for", "with", "from", "as", "it", "its", "it's", "that", "this", "these",
    "those", "and", "or", "but", "so", "than", "then", "there", "will", "would", "can", "should", "please",
    "very", "really", "just", "always", "usually", "mostly", "most", "more", "much", "any", "some", "all",
    "other", "into", "over", "out", "up", "off", "about", "when", "while", "who", "what", "which", "user",
    "now", "also", "still", "one's", "their", "they", "he", "she", "his", "her",
];

/// English verbs of liking, being and using, in the form [`stem`] gives them: they are the frame, not the subject.
const FRAME: &[&str] = &[
    "prefer",
    "like",
    "love",
    "enjoy",
    "use",
    "keep",
    "favorite",
    "favourite",
    "want",
    "choose",
    "go",
    "take",
    "get",
    "make",
    "run",
    "call",
    "name",
    "best",
    "thing",
    "way",
    "day",
    "usual",
];

/// What a statement says, for comparing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tokens {
    /// Stems of the words that carry meaning.
    pub stems: BTreeSet<String>,
    /// Numbers in it.
    pub numbers: BTreeSet<String>,
    /// Whether it negates or ends something.
    pub negated: bool,
}

static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:not|no|never|nobody|nothing|none|without|isn't|aren't|wasn't|don't|doesn't|didn't|won't|can't|cannot|no longer|hate|dislike|avoid|refuse)\b",
        r"|(?:^| )(?:안|못) |지 ?(?:않|못|마|말)|없|싫|아니(?:에요|다|야|고)",
    ))
});

static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:no longer|any ?more|any longer|stopped|quit|sold|gave up|cancell?ed|passed away|died|left|used to|got rid of|dropped|removed|lifted|outgrew|switched away|is over|has ended|gone|expired|broke up|moved (?:away|off|out)|don't .* any|dont .* any)\b",
        r"|그만|끊었|없어졌|취소|물러났|옮겼|더 이상|더는|이제 (?:안|못)|이제는 (?:안|못)|팔았|헤어|떠났|나았|사라졌|폐지|중단|관뒀|접었|풀었|퇴사|무지개|하늘나라|죽었|잃어버|아니에요|아니야|아닙니다|뺐|해지",
    ))
});

/// Whether a text says that something no longer holds.
pub(crate) fn ended(text: &str) -> bool {
    ENDED.is_match(&fold(text))
}

pub(crate) fn fold(text: &str) -> String {
    text.to_lowercase().replace(['\u{2018}', '\u{2019}'], "'")
}

/// The words of a text.
pub(crate) fn of(text: &str) -> Tokens {
    let folded = fold(text);
    let mut stems = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for word in folded.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '+' | '#'))) {
        if word.is_empty() || STOP.contains(&word) {
            continue;
        }
        let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            numbers.insert(digits);
        }
        let stem = if word.chars().any(is_hangul) {
            korean_stem(word)
        } else {
            stem(word)
        };
        if !stem.is_empty() && !FRAME.contains(&stem.as_str()) && !KOREAN_FRAME.contains(&stem.as_str()) {
            stems.insert(stem);
        }
    }
    Tokens {
        stems,
        numbers,
        negated: NEGATION.is_match(&folded),
    }
}

/// Korean words of liking, being and using, without endings.
const KOREAN_FRAME: &[&str] = &[
    "저",
    "나",
    "제",
    "내",
    "우리",
    "저희",
    "제일",
    "가장",
    "더",
    "정말",
    "진짜",
    "좋아",
    "좋",
    "선호",
    "좋아하",
    "주로",
    "보통",
    "항상",
    "늘",
    "하",
    "해",
    "있",
    "쓰",
    "써",
    "씁",
    "사용",
    "이",
    "가",
    "되",
    "돼",
    "것",
    "거",
    "걸",
    "게",
    "때",
    "중",
    "편",
    "이제",
    "요즘",
    "평소",
    "대체",
    "대부분",
    "으로",
    "님",
];

/// Endings of Korean verbs, adjectives and the copula, longest first.
const KOREAN_ENDINGS: &[&str] = &[
    "하는편이에요",
    "했습니다",
    "하고있어요",
    "합니다",
    "입니다",
    "습니다",
    "하는",
    "하기",
    "해요",
    "이에요",
    "예요",
    "에요",
    "했어요",
    "했어",
    "해서",
    "하고",
    "하면",
    "하지",
    "어요",
    "아요",
    "여요",
    "니다",
    "네요",
    "군요",
    "거든요",
    "세요",
    "지요",
    "죠",
    "이야",
    "이다",
    "한다",
    "는다",
    "이고",
    "지만",
    "는데",
    "은데",
    "해줘",
    "해주세요",
    "하세요",
    "할게요",
    "겠어요",
    "았어요",
    "었어요",
    "였어요",
    "았습니다",
    "었습니다",
    "았다",
    "었다",
    "았어",
    "었어",
    "면",
    "서",
    "고",
    "다",
    "요",
    "음",
    "짜리",
    "쪽",
    "씩",
    "들",
    "용",
    "하게",
];

fn korean_stem(word: &str) -> String {
    let mut stem = without_particle(word);
    for ending in KOREAN_ENDINGS {
        if let Some(rest) = stem.strip_suffix(ending)
            && !rest.is_empty()
        {
            stem = without_particle(rest);
            break;
        }
    }
    // Two syllables tell most Korean words apart, and longer ones differ in endings that no short list covers.
    stem.chars().take(KOREAN_STEM_CHARS).collect()
}

/// Syllables of a Korean word that are compared.
const KOREAN_STEM_CHARS: usize = 2;

/// A light English stem: plural and verb endings off.
fn stem(word: &str) -> String {
    let word = word.trim_matches('\'').trim_end_matches("'s");
    let long = word.chars().count() > 4;
    let ends = [
        ("ies", "y"),
        ("sses", "ss"),
        ("ings", ""),
        ("ing", ""),
        ("edly", ""),
        ("ed", ""),
        ("es", ""),
        ("ly", ""),
        ("s", ""),
    ];
    if long {
        for (end, put) in ends {
            if let Some(rest) = word.strip_suffix(end)
                && rest.chars().count() >= 3
                && !(end == "s" && rest.ends_with('s'))
            {
                return undoubled(&format!("{rest}{put}"));
            }
        }
    }
    if word.chars().count() == 4
        && let Some(rest) = word.strip_suffix('s')
        && !rest.ends_with(['s', 'u', 'i'])
    {
        return rest.to_owned();
    }
    word.trim_end_matches('e').to_owned()
}

fn undoubled(stem: &str) -> String {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !"aeiousl".contains(a) => {
            let mut stem = stem.to_owned();
            stem.pop();
            stem
        }
        _ => stem.trim_end_matches('e').to_owned(),
    }
}

/// Shared words over all words, 0 to 1.
pub(crate) fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let shared = a.intersection(b).count();
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { shared as f32 / all as f32 }
}
