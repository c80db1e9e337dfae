//! Slots: positions that can be filled once at a time, such as seat = aisle. Two statements meet in a slot even
//! when their words, or their languages, differ.

use crate::page::Page;
use crate::rules::{Rule, pattern};
use crate::{keys, korean};
use memory_model::{Category, Language, Slot};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A slot with a known set of values.
pub(crate) struct Choice {
    /// The slot.
    pub name: &'static str,
    /// Words that show that the slot is meant.
    pub about: &'static str,
    /// Canonical value and the words for it.
    pub values: &'static [(&'static str, &'static str)],
}

/// Slots with a known set of values, English and Korean side by side.
pub(crate) const CHOICES: &[Choice] = &[
    Choice {
        name: "seat",
        about: r"\bseats?\b|^(?:the |an )?(?:aisle|window)$|\baisle\b|좌석|자리|통로|창가",
        values: &[
            ("aisle", r"aisle|통로"),
            ("window", r"window|창가|창문"),
            ("middle", r"middle|가운데|중간"),
            ("front", r"\bfront\b|앞자리|앞쪽"),
            ("back", r"\bback\b|뒷자리|뒤쪽"),
        ],
    },
    Choice {
        name: "flight_time",
        about: r"\bflights?\b|\bfly\b|비행기|항공편|비행편",
        values: &[
            ("morning", r"morning|아침|오전"),
            ("afternoon", r"afternoon|오후"),
            ("evening", r"evening|저녁"),
            ("night", r"\bnight\b|red-eye|overnight|밤|심야|야간"),
        ],
    },
    Choice {
        name: "theme",
        about: r"\b(?:themes?|mode)\b|테마|모드|화면",
        values: &[
            ("dark", r"\bdark\b|다크|어두운"),
            ("light", r"\blight\b|라이트|밝은"),
        ],
    },
    Choice {
        name: "indentation",
        about: r"\bindent\w*|\btabs?\b.*\bspaces?\b|\bspaces\b|들여쓰기",
        values: &[
            (
                "tabs",
                r"\btabs?\b(?:.* (?:over|to|than|instead) .*)?|탭(?:으로|을)",
            ),
            ("two spaces", r"\b(?:two|2)[ -]?spaces?|(?:두|2) ?칸"),
            ("four spaces", r"\b(?:four|4)[ -]?spaces?|(?:네|4) ?칸"),
            ("spaces", r"\bspaces\b|스페이스"),
        ],
    },
    Choice {
        name: "answer_length",
        about: r"\b(?:answers?|replies|responses?|explanations?)\b|답변|대답|설명|답은",
        values: &[
            ("short", r"\b(?:short|brief|concise)\b|짧|간결|간단"),
            (
                "detailed",
                r"\b(?:long|detailed|thorough|in[- ]depth)\b|길게|자세|상세",
            ),
        ],
    },
    Choice {
        name: "answer_language",
        about: r"\b(?:answer|reply|respond|speak|talk|write)\w*\b.*\bin\b|(?:로|으로) ?(?:만 )?(?:답|대답|말|응답|써)",
        values: &[
            ("korean", r"\bkorean\b|한국어|한글"),
            ("english", r"\benglish\b|영어"),
            ("japanese", r"\bjapanese\b|일본어"),
            ("french", r"\bfrench\b|프랑스어|불어"),
            ("german", r"\bgerman\b|독일어"),
            ("spanish", r"\bspanish\b|스페인어"),
            ("chinese", r"\bchinese\b|중국어"),
        ],
    },
    Choice {
        name: "speech_level",
        about: r"존댓말|반말|존대",
        values: &[("polite", r"존댓말|존대"), ("plain", r"반말")],
    },
    Choice {
        name: "units",
        about: r"\bunits?\b|단위|\bmetric\b|\bimperial\b|미터법",
        values: &[
            ("metric", r"\bmetric\b|미터법"),
            ("imperial", r"\bimperial\b|야드"),
        ],
    },
    Choice {
        name: "diet",
        about: r"\b(?:diet|vegan|vegetarian|pescatarian|keto|halal|kosher)\b|채식|비건|육식|식단",
        values: &[
            ("vegan", r"\bvegan\b|비건"),
            ("vegetarian", r"\bvegetarian\b|채식"),
            ("pescatarian", r"pescatarian|페스코"),
            ("keto", r"\bketo\b|키토"),
            ("halal", r"\bhalal\b|할랄"),
            ("kosher", r"\bkosher\b|코셔"),
        ],
    },
    Choice {
        name: "hotel_floor",
        about: r"\bfloors?\b|저층|고층|층은|층이",
        values: &[
            ("low", r"\b(?:low|lower|ground)\b|저층|낮은 층"),
            ("high", r"\b(?:high|higher|top)\b|고층|높은 층"),
        ],
    },
    Choice {
        name: "clock",
        about: r"\b(?:12|24)[- ]?hour\b|(?:12|24) ?시간제",
        values: &[("24", r"24"), ("12", r"12")],
    },
    Choice {
        name: "handedness",
        about: r"handed\b|손잡이",
        values: &[
            ("left", r"left|왼손"),
            ("right", r"right|오른손"),
            ("both", r"ambidextrous|양손"),
        ],
    },
];

struct ReadyChoice {
    name: &'static str,
    about: Regex,
    values: Vec<(&'static str, Regex)>,
}

static READY: LazyLock<Vec<ReadyChoice>> = LazyLock::new(|| {
    CHOICES
        .iter()
        .map(|choice| ReadyChoice {
            name: choice.name,
            about: pattern(choice.about),
            values: choice
                .values
                .iter()
                .map(|(value, words)| (*value, pattern(words)))
                .collect(),
        })
        .collect()
});

/// The slot with a known set of values that a folded text fills.
pub(crate) fn choice(folded: &str) -> Option<Slot> {
    READY.iter().find_map(|choice| {
        if !choice.about.is_match(folded) {
            return None;
        }
        let preferred = preferred_part(folded);
        let value = choice
            .values
            .iter()
            .find(|(_, words)| words.is_match(preferred))?
            .0;
        Some(Slot {
            name: choice.name.to_owned(),
            value: value.to_owned(),
        })
    })
}

static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?P<en>.+?) (?:over|to|rather than|instead of|more than|than) |^.*(?:보다|말고|대신에?) (?P<ko>.+)$",
    )
});

/// Of "tabs over spaces" and "탭보다 스페이스" the side that is preferred.
fn preferred_part(folded: &str) -> &str {
    let Some(found) = COMPARED.captures(folded) else {
        return folded;
    };
    found
        .name("en")
        .or_else(|| found.name("ko"))
        .map_or(folded, |part| part.as_str())
}

/// The slot that a statement fills.
pub(crate) fn of(object: &str, words: &str, rule: &Rule, language: Language) -> Option<Slot> {
    let folded: String = fold(object);
    if let Some(slot) = choice(&folded).or_else(|| choice(&fold(words))) {
        return Some(slot);
    }
    let open = |name: &str, value: &str| {
        let value = keys::slug(value).replace('_', " ");
        (!value.is_empty()).then(|| Slot {
            name: name.to_owned(),
            value,
        })
    };
    match (rule.category, rule.name) {
        (Category::Profile, "name") => open("name", object),
        (Category::Profile, "from" | "lives in" | "moved") if lives(words) => open("home", place(object)),
        (Category::Profile, "work" | "works") if is_job(words) => open("job", object),
        (_, "attribute" | "favourite" | "our work" | "the work") => attribute_slot(object, language),
        _ => None,
    }
}

fn fold(text: &str) -> String {
    text.to_lowercase().replace(['\u{2018}', '\u{2019}'], "'")
}

static LIVES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:live|living|based|lived in|(?:moved|relocated) (?:here |back |out |over |away |down |up )?to|reside)\b|살|삽니다|산다|거주|이사",
    )
});

fn lives(words: &str) -> bool {
    LIVES.is_match(words)
}

static JOB: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bwork(?:ing)? as\b|(?:으로|로) ?(?:일하|일해|일합|근무)"));

fn is_job(words: &str) -> bool {
    JOB.is_match(words)
}

static PLACE_TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:, (?:so|and|but)\b.*| (?:now|with|for|since|right now|yesterday|again|last (?:week|month|year|summer|winter|spring|fall|autumn|\w+day)|(?:a|an|\w+) (?:days?|weeks?|months?|years?) ago|in \d{4}|this (?:week|month|year|morning))\b.*)$",
    )
});

static TIME_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:지금|현재|다시|어제|그저께|오늘|작년에|올해|지난\s?\S+에?|다음\s?\S+에?|얼마 전에?|최근에?|이제|요즘) )+",
    )
});

fn place(object: &str) -> &str {
    let end = PLACE_TAIL
        .find(object)
        .map_or(object.len(), |found| found.start());
    let place = object.get(..end).unwrap_or(object);
    let start = TIME_HEAD.find(place).map_or(0, |found| found.end());
    place.get(start..).unwrap_or(place)
}

static ENGLISH_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:.+?)(?:'s)? (?:is|are|was|has|have|runs?|uses?|starts?|ends?|takes place|lives?|listens?|costs?|will be) (?:now |still |called |named )*(?P<v>.+)$",
    )
});

static KOREAN_VALUE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:.+?)(?:은|는|이|가) (?P<v>.+)$"));

static WHEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\bat \d{1,2}(?::\d\d)?|\bnoon\b|\bmidnight\b",
        r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b(?: \d{1,2})?",
        r"|[월화수목금토일]요일|(?:오전|오후) ?|\d{1,2}월|\d{1,2}일|\d{1,2}시(?: ?\d{1,2}분| ?반)?",
    ))
});

static HOW_MANY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:^|[ (~])\d[\d,.]*(?: ?(?:minutes?|hours?|days?|weeks?|months?|years?|percent|%|people|dollars?|euros?|gb|mb))?\b",
        r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b(?:[ -](?:minutes?|hours?|days?|weeks?|months?|years?|people))?",
        r"|(?:^|[ (~])\d[\d,.]*[가-힣]?|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?(?:명|마리|개|살|시간|달|주|번|대|곳)",
    ))
});

/// "My birthday is in May" fills `birthday`; what people say of shared things is kept apart by the kind of answer,
/// because "the sync is on Tuesday" and "the sync takes thirty minutes" do not exclude each other.
fn attribute_slot(object: &str, language: Language) -> Option<Slot> {
    let about = keys::attribute(object);
    let form = match language {
        Language::En => &*ENGLISH_VALUE,
        Language::Ko => &*KOREAN_VALUE,
    };
    let value = form.captures(object)?.name("v")?.as_str();
    let about = keys::slug(about);
    let (kind, value) = if NAMED.is_match(object) {
        ("_name", value.to_owned())
    } else if let Some(when) = measured(&WHEN, value) {
        ("_when", when)
    } else if let Some(count) = measured(&HOW_MANY, value) {
        ("_count", count)
    } else {
        ("", value.to_owned())
    };
    let one_answer = ONE_ANSWER.is_match(&about);
    let value = match language {
        Language::En => keys::slug(&value).replace('_', " "),
        Language::Ko => korean::without_particle(&value).to_owned(),
    };
    let name = if one_answer {
        about
    } else {
        format!("{about}{kind}")
    };
    Some(Slot { name, value })
}

static NAMED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:called|named)\b"));

/// Questions that have one kind of answer anyway.
static ONE_ANSWER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"birthday|생일|deadline|마감|기한|_?age$|나이|name$|이름$|number$|번호$"));

/// The times or amounts in a value, without the words around them; `None` when there are none.
fn measured(what: &Regex, value: &str) -> Option<String> {
    let found: Vec<&str> = what.find_iter(value).map(|found| found.as_str().trim()).collect();
    (!found.is_empty()).then(|| found.join(" ").to_lowercase())
}

/// The two halves of "aisle seats and morning flights" when each fills a slot of its own; else nothing.
pub(crate) fn parts(page: &Page, object: &Range<usize>, category: Category) -> Vec<Range<usize>> {
    if category != Category::Preference {
        return Vec::new();
    }
    let folded = page.folded(object);
    for joint in JOINTS {
        let mut searched = 0;
        while let Some(at) = folded.get(searched..).and_then(|rest| rest.find(joint)) {
            let at = searched + at;
            let (left, right) = (
                folded.get(..at).unwrap_or(""),
                folded.get(at + joint.len()..).unwrap_or(""),
            );
            if let (Some(first), Some(second)) = (choice(left), choice(right))
                && first.name != second.name
            {
                let end = object.start + left.chars().count();
                let start = end + joint.chars().count();
                return vec![object.start..end, start..object.end];
            }
            searched = at + joint.len();
        }
    }
    Vec::new()
}

/// What joins two objects.
const JOINTS: &[&str] = &[" and ", ", ", "이랑 ", "하고 ", "과 ", "와 "];
