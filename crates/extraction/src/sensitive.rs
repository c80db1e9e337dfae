//! Statements about what needs more care: health, belief, politics, sexual life, identity numbers, money, places
//! and children (spec turn, «Rules»).

use crate::rules::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Kind, signs in folded text, and a sentence that shows it.
pub(crate) const KINDS: [(&str, &str, &str); 16] = [
    (
        "health",
        r"\b(?:allerg(?:y|ic|ies)|diabet(?:es|ic)|asthma|cancer|depress(?:ed|ion)|anxiety|adhd|autis\w+|epileps\w+|hiv|pregnan\w+|miscarriage|disab(?:led|ility)|diagnos\w+|medication|antidepressants?|insulin|surgery|therapist|therapy|chemotherapy|bipolar|migraines?|celiac|intoleran\w+|hear voices|addict(?:ed|ion)|alcoholic|eating disorder|wheelchair|blood type|dyslexi\w+)\b",
        "I'm allergic to pollen.",
    ),
    (
        "health",
        r"알레르기|알러지|당뇨|천식|암 ?(?:환자|진단|투병)|우울증|불안장애|공황|임신|유산|장애인|진단|복용|수술|치료|정신과|불내증|고혈압|혈압|혈당|혈액형|색맹|간질|뇌전증|공포증|항암",
        "당뇨가 있어요.",
    ),
    (
        "belief",
        r"\b(?:jewish|muslim|islam\w*|christian\w*|catholic\w*|buddhis\w+|hindu\w*|atheis\w+|agnostic|mormon|church|mosque|synagogue|pray(?:er|ing)?|ramadan|my (?:religion|faith))\b",
        "I'm a Buddhist.",
    ),
    (
        "belief",
        r"기독교|천주교|불교|이슬람|무슬림|무교|성당|교회|절에|모스크|종교|개신교|무신론|신자",
        "저는 천주교 신자예요.",
    ),
    (
        "politics",
        r"\b(?:republican|democrat|conservative party|labour party|communist|socialist|i vote(?:d)?|political(?:ly)?|left-wing|right-wing)\b",
        "I voted for the Greens.",
    ),
    (
        "politics",
        r"투표했|정당|지지 ?정당|보수당|진보당|민주당|국민의힘|정치 ?성향",
        "저는 지난번에 보수당에 투표했어요.",
    ),
    (
        "union",
        r"\b(?:trade union|union member|labou?r union)\b",
        "I'm a union member.",
    ),
    ("union", r"노조|노동조합", "저는 노조에 가입했어요."),
    (
        "sexual_life",
        r"\b(?:gay|lesbian|bisexual|transgender|queer|sexual\w*|non-binary)\b",
        "I'm bisexual.",
    ),
    (
        "sexual_life",
        r"동성애|게이|레즈비언|양성애|트랜스젠더|성적 ?지향|성 ?정체성",
        "저는 양성애자예요.",
    ),
    (
        "ids",
        r"\b(?:ssn|social security|passport (?:number|no)|driver'?s licen[sc]e number|national id|tax id)\b|\b\d{3}-\d{2}-\d{4}\b|\b\d{6}-[1-8]\d{6}\b|주민등록번호|주민번호|여권 ?번호|운전면허 ?번호|외국인등록번호",
        "My SSN is known to them.",
    ),
    (
        "cards_and_accounts",
        r"\b(?:\d[ -]?){13,16}\b|\b(?:iban|credit card|debit card|bank account|account number|savings account|salary|net worth|debt)\b|계좌|카드 ?번호|연봉|월급은|빚이|대출",
        "제 계좌는 두 개예요.",
    ),
    (
        "precise_location",
        r"\b\d{1,5} (?:[a-z]+ ){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|drive|blvd|boulevard)\b|\bmy (?:home )?address\b|집 ?주소|\d+동 ?\d+호|\d+번지",
        "My home address is known.",
    ),
    (
        "contact",
        r"[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}|\b01[016789]-?\d{3,4}-?\d{4}\b|\+\d{1,3}[ -]?\d{2,4}[ -]\d{3,4}[ -]\d{3,4}",
        "저는 kim@example.org 를 써요.",
    ),
    (
        "children",
        r"\bmy (?:\w+[ -])*(?:year[ -]old|toddler|baby)\b|\bmy (?:son|daughter|child|kids?)\b.*\b(?:school|kindergarten|years old)\b|(?:아들|딸|아이|애)(?:이|가|은|는) .*(?:유치원|어린이집|초등학교|중학교|살)",
        "My daughter is four years old.",
    ),
    (
        "biometrics",
        r"\b(?:fingerprint|face id|iris scan|dna|voiceprint)\b|지문|홍채|유전자",
        "My fingerprint opens the door.",
    ),
];

static READY: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    KINDS
        .iter()
        .map(|(kind, sign, _)| (*kind, pattern(sign)))
        .collect()
});

/// The kinds of sensitive content in a text, as settings name them; a kind may come twice.
pub(crate) fn kinds(text: &str) -> impl Iterator<Item = &'static str> {
    let folded = text.to_lowercase().replace(['\u{2018}', '\u{2019}'], "'");
    READY
        .iter()
        .filter(move |(_, sign)| sign.is_match(&folded))
        .map(|(kind, _)| *kind)
}
