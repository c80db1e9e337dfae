//! Korean: what a clause means. The verb stands at the end, so rules are read from the ending backwards.

mod classes;
pub(crate) mod gates;
mod narrow;
pub(crate) mod table;
mod wide;
pub(crate) mod wording;

use crate::rules::{Match, ReadyRule, Rule, chars_before, pattern, ready};
use memory_model::Category;
use regex::Regex;
use std::sync::LazyLock;

/// Every rule in the order they are tried.
pub(crate) fn tables() -> impl Iterator<Item = &'static Rule> {
    [narrow::RULES, table::RULES, wide::RULES].into_iter().flatten()
}

static RULES: LazyLock<Vec<ReadyRule>> = LazyLock::new(|| ready(tables(), &classes::PIECES));

static LEAD_IN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:네네|네|예|응|아니|아니요|아|오|음|그리고|그런데|근데|그래서|하지만|또|참고로|사실|사실은|솔직히|일단은|안녕하세요|고마워요|감사합니다|맞아요|",
        r"참|아참|기억해 줘|기억해 주세요|기억해줘|기억해주세요|기억해|알아 두세요|알아둬|개인적으로|개인적으론)[ ,.!:~]+)*",
        r"(?:(?:저는|나는|난|전|저도|나도|제가|내가|저|저희는|우리는|저한테는|나한테는|저에게는|제게는|저의 경우|제 경우에는|제 경우)[ ,]+)?",
        r"(?:(?:요즘은|요즘|요즘엔|이제는|이제|이젠|지금은|보통은)[ ,]+)?",
    ))
});

static USER_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:저|나|저는|나는|난|전|저도|나도|제가|내가|이제|이젠|이제는|요즘|요즘은|요즘엔) *")
});

/// Where a folded clause comes to the point, in bytes.
pub(crate) fn said_from(clause: &str) -> usize {
    LEAD_IN.find(clause).map_or(0, |found| found.end())
}

/// The first rule that a folded clause matches, with its object.
pub(crate) fn read(clause: &str) -> Option<Match> {
    let start = said_from(clause);
    let rest = clause.get(start..)?;
    let names_the_user = USER_SUBJECT.is_match(clause.get(..start)?);
    RULES.iter().find_map(|ready| {
        if !names_the_user && table::NEED_SUBJECT.contains(&ready.rule.name) {
            return None;
        }
        // Matching is many times faster than capturing, and nearly every row fails.
        if !ready.regex.is_match(rest) {
            return None;
        }
        if !lasts(ready.rule, rest) {
            return None;
        }
        let found = ready.regex.captures(rest)?;
        let object = found.name("o")?;
        let object = core_object(object.as_str(), object.start())?;
        Some(Match {
            rule: ready.rule,
            object: chars_before(clause, start + object.start)..chars_before(clause, start + object.end),
        })
    })
}

/// The ends of what was done once, or is about to be done.
static OCCASION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[았었했갔왔봤샀썼됐랐렸셨졌났탔잤겠였녔](?:어요|습니다|어|다|음|네요?|지|죠|거든요?|는데요?|더라\S*)|(?:[할갈볼살쓸먹을잘탈올릴]) ?(?:게요?|거예요|거야|겁니다|예정\S*|생각\S*|래요?)|싶\S*|모르겠\S*|것 같\S*|중이야|중요\S*|필요\S*|야 (?:해요|합니다|해|돼요|됩니다|한다))[ .!~]*$",
    )
});

/// What is at hand in the conversation ("이 방법이 좋아요") is no lasting taste.
static POINTED_AT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:이|그|저|요|이런|그런|저런) \S+(?:은|는|이|가|을|를) |^(?:여기|거기|이건|그건|저건)(?:는|은|가)? ",
    )
});

/// How somebody feels just now, and what is good for everybody.
static OF_THE_MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:기분|컨디션|날씨|눈|목|배|머리|허리|어깨|속)(?:이|가|은|는|도)? (?:너무 |정말 |좀 |참 )*(?:좋|안 좋|나쁘|아프|아파|피곤|시리|뻐근|결려)|(?:건강|몸|피부|눈|간|뇌|관절|무릎|다이어트|기억력)에 (?:좋|안 좋|나쁘|해로|도움)",
    )
});

/// An engagement on a day; it is a habit only where it comes again.
static ENGAGEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:약속|시험|회의|일정|휴가|면접|예약|모임|행사|발표|마감|출장)(?:이|가|도)? ?있")
});

static AGAIN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"마다|매일|매주|매달|매년|항상|늘 |자주|보통|격주"));

/// Whether what a rule found may be what it says: a habit is not told as something that happened once.
fn lasts(rule: &Rule, clause: &str) -> bool {
    match rule.category {
        Category::Pattern => {
            let once = ENGAGEMENT.is_match(clause) && !AGAIN.is_match(clause);
            !OCCASION.is_match(clause) && !POINTED_AT.is_match(clause) && !once
        }
        Category::Preference => !POINTED_AT.is_match(clause) && !OF_THE_MOMENT.is_match(clause),
        _ => true,
    }
}

/// The ends of phrases that only lead to the object: a comparison, a reason, a place or a circumstance.
static BEFORE_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^.*(?:보다|보다는|말고|중에서|중에는|중엔|때문에|아서|어서|해서|워서|라서|대신|편해서|되고|에서는)[ ,]+(?P<rest>\S.*)$",
    )
});

static EMPTY_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:그거|그게|이거|이게|저거|그건|이건|그것|이것|다|너|당신|그렇게|이렇게|정말|진짜|참|아주|아|오|와|네|그럼|그|이|더|것|게|거|안|못|잘|이쪽|저쪽|전자|후자|(?:첫|두|세|네) ?번째(?: \S+)?|\d+번째?|뭐|뭔가|제|내|너무|매우|완전|훨씬|모두|전부|요)$",
    )
});

/// The object alone, as bytes; `None` when it names nothing.
fn core_object(object: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    if let Some(rest) = BEFORE_OBJECT
        .captures(object)
        .and_then(|found| found.name("rest"))
    {
        start = rest.start();
    }
    let end = object
        .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | ')' | '^'))
        .len();
    let kept = object.get(start..end)?.trim();
    let bare = without_particle(kept);
    (!bare.is_empty() && !EMPTY_OBJECT.is_match(bare) && !EMPTY_OBJECT.is_match(kept))
        .then_some(offset + start..offset + start + bare.len())
}

static HABIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:앞으로는?|이제부터는?|다음부터는?|매번|무조건|항상|늘|언제나|보통|주로|자주|평소에?는?|대체로|대개|꼭|원래|종종|가끔|절대로?) )*(?P<core>\S.*?)(?:하는|했|하|한|해)?$",
    )
});

/// What is done, without how often and without the ending: the part of a habit or a decision that decides its key.
pub(crate) fn deed(object: &str) -> &str {
    HABIT
        .captures(object)
        .and_then(|found| found.name("core"))
        .map_or(object, |core| core.as_str())
}

/// Particles at the end of a noun, longest first.
const PARTICLES: &[&str] = &[
    "에서는",
    "으로는",
    "에게는",
    "한테는",
    "까지는",
    "부터는",
    "이라는",
    "에서",
    "으로",
    "에게",
    "한테",
    "까지",
    "부터",
    "이랑",
    "하고",
    "에는",
    "에도",
    "에선",
    "로는",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "도",
    "만",
    "로",
    "에",
    "랑",
];

/// Words whose last syllable only looks like a particle.
const NOT_PARTICLES: &[&str] = &[
    "고양이",
    "나이",
    "아이",
    "종이",
    "오이",
    "메이",
    "놀이",
    "파이",
    "와이파이",
    "휴가",
    "작가",
    "평가",
    "요가",
    "커피숍",
    "회의",
    "도로",
    "진로",
    "물가",
    "국가",
    "가을",
];

/// A noun phrase without the particle at its end.
pub(crate) fn without_particle(phrase: &str) -> &str {
    let last = phrase.rsplit(' ').next().unwrap_or(phrase);
    if NOT_PARTICLES.iter().any(|word| last.ends_with(word)) {
        return phrase;
    }
    for particle in PARTICLES {
        if let Some(stem) = last.strip_suffix(particle)
            && stem.chars().count() >= if particle.chars().count() > 1 { 1 } else { 2 }
            && let Some(bare) = phrase.strip_suffix(particle)
        {
            return bare;
        }
    }
    // A noun of one syllable takes its particle in two ("밤을"); only the unmistakable ones are taken off.
    for particle in ["을", "를", "은", "는"] {
        if let Some(stem) = last.strip_suffix(particle)
            && stem.chars().count() == 1
            && let Some(bare) = phrase.strip_suffix(particle)
        {
            return bare;
        }
    }
    phrase
}
