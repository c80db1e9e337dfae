//! English: what a clause means and how it is shown.

mod classes;
pub(crate) mod gates;
mod narrow;
mod table;
mod wide;
pub(crate) mod wording;

use crate::rules::{Match, ReadyRule, Rule, chars_before, pattern, ready};
use memory_model::{Category, Polarity};
use regex::Regex;
use std::sync::LazyLock;

/// Every rule in the order they are tried.
pub(crate) fn tables() -> impl Iterator<Item = &'static Rule> {
    [narrow::RULES, table::RULES, wide::RULES].into_iter().flatten()
}

static RULES: LazyLock<Vec<ReadyRule>> = LazyLock::new(|| ready(tables(), &classes::PIECES));

/// What people say before they come to the point, and a circumstance before "I".
static LEAD_IN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:(?:yeah|yes|yep|yup|nope|oh|ah|well|so|and|but|also|ok|okay|hey|hi|hello|honestly|actually|by the way|btw|fyi|",
        r"just so you know|for the record|note that|to be honest|tbh|thanks|right|haha|plus|anyway|look|listen|personally|in general|",
        r"generally|as for me|for me|good morning|morning|good evening|these days|nowadays|lately|recently|now|as of now|from now on|",
        r"going forward|keep in mind(?: that)?|remember(?: that)?|please remember(?: that)?|don't forget(?: that)?|do not forget(?: that)?|",
        r"please note(?: that)?|you should know(?: that)?|for your information|i should mention(?: that)?|i must say(?: that)?|",
        r"i think(?: that)?|as i said|like i said|turns out|unfortunately|sadly|luckily|because|since|as)\b|(?:oh|ah) (?:yeah|yes|no)\b|no[,.!;:])",
        r"[ ,!.:;-]*)*",
    ))
});

static CIRCUMSTANCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:when|whenever|in|at|on|during|after|before|due to|because of|given|as an?|for|while|with|from|since|because|out of|owing to|to|by|",
        r"over|despite|although|though|being|every|each|most|outside)\b[^,]{1,90}, ",
        r"|^(?:when|whenever|after|before|while) (?:i|we)\b[^,]{0,60}?(?P<after> )(?:i|we)(?:'\w+)? ",
        r"|^(?:in|at|on|during|after|before|for|every|each|most|because of|due to|with|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekday|weekend)\b[^,]{0,60}?(?P<me> )(?:i|we)(?:'\w+)? ",
    ))
});

static OCCASIONS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:when|whenever|on|every|each|most|before|after|during|at|for (?:each|every)|\w+day|in the)\b",
    )
});

static CIRCUMSTANCE_START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:when|whenever|in|at|on|during|after|before|due to|because of|given|as an?|for|while|with|out of|owing to|despite|being)\b",
    )
});

/// Whether folded words before a comma only lead to the statement behind it ("Actually, …", "When I travel, …").
pub(crate) fn opens(words: &str) -> bool {
    let words = words.trim();
    let rest = words.get(said_from(words)..).unwrap_or("");
    rest.is_empty() || CIRCUMSTANCE_START.is_match(rest)
}

/// The first rule that a folded clause matches, with its object.
pub(crate) fn read(clause: &str) -> Option<Match> {
    let said = said_from(clause);
    let mut starts = vec![(said, false)];
    if let Some(rest) = clause.get(said..)
        && let Some(found) = CIRCUMSTANCE.captures(rest)
    {
        // Where no comma parts them, the circumstance ends before "I".
        let behind = found.get(0).map_or(0, |whole| whole.end());
        let behind = found
            .name("me")
            .or_else(|| found.name("after"))
            .map_or(behind, |space| space.end());
        starts.insert(0, (said + behind, OCCASIONS.is_match(rest)));
    }
    let announced = clause
        .get(..said)
        .is_some_and(|words| FROM_NOW_ON.is_match(words));
    starts.iter().find_map(|&(start, occasion)| {
        let rest = clause.get(start..)?;
        let first_person = rest.starts_with(['i', 'w']) || rest.starts_with("my ");
        RULES.iter().find_map(|ready| {
            // Matching is many times faster than capturing, and nearly every row fails.
            // What is done on an occasion that comes again is a habit, which the whole clause says.
            let deed = wide::DEEDS.contains(&ready.rule.name);
            if occasion && ready.rule.category == Category::Profile && !deed {
                return None;
            }
            if (ready.first_person && !first_person) || !ready.regex.is_match(rest) {
                return None;
            }
            let found = ready.regex.captures(rest)?;
            let object = OBJECTS.iter().find_map(|group| found.name(group))?;
            if !lasts(ready.rule, object.as_str())
                || (deed && ready.rule.name != wide::DEEDS[0] && OF_TALK.is_match(object.as_str()))
            {
                return None;
            }
            let habit = ready.rule.category == Category::Pattern;
            let object = trimmed_object(object.as_str(), object.start(), habit)?;
            let from = start + object.start;
            let to = start + object.end;
            Some(Match {
                rule: match (announced, occasion && deed) {
                    (true, _) => decided(ready.rule),
                    (false, true) => &wide::ON_OCCASION,
                    (false, false) => ready.rule,
                },
                object: chars_before(clause, from)..chars_before(clause, to),
            })
        })
    })
}

/// Groups that hold the object: a rule with several forms names one for each.
const OBJECTS: [&str; 6] = ["o", "o2", "o3", "o4", "o5", "o6"];

static FROM_NOW_ON: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:from now on|going forward|as of now)\b"));

/// What is done from now on was decided: it is no habit yet.
fn decided(rule: &'static Rule) -> &'static Rule {
    match rule.category {
        Category::Pattern | Category::Project | Category::Profile => &wide::FROM_NOW_ON,
        _ => rule,
    }
}

/// Where a folded clause comes to the point, in bytes.
pub(crate) fn said_from(clause: &str) -> usize {
    let end = LEAD_IN.find(clause).map_or(0, |found| found.end());
    let because_of = clause.get(end..).is_some_and(|rest| rest.starts_with("of "));
    // "Because I …" leads in, "because of my back I …" is a circumstance.
    let cause = clause.get(..end).and_then(|words| words.rfind("because"));
    cause.filter(|_| because_of).unwrap_or(end)
}

static OBJECT_TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:,? (?:because|due to|since|as i|as it|as they|so that|so i|which|even if|even though|although|though|when they|that's why|in order to)\b.*",
        r"|,? (?:a lot|very much|so much|the most|most of all|any ?more|any longer|these days|nowadays|now|as well|too|instead|in general|generally|either|at all|please|lol|haha|though|from now on|going forward))$",
    ))
});

static OBJECT_HEAD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:(?:to|the|a|an|my|some|any|very|that|being|it when|using|of) )+"));

/// Objects that name nothing.
static EMPTY_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:it|that|this|these|those|them|him|her|you|your|u|so|how|what|why|know|think|see|say|mean|he|she|they|who|if)(?:[ ,'].*)?",
        r"|(?:all|both|one|ones|either|everything|to|here|there|more|better)",
        r"|(?:the )?(?:way|idea|sound|look|option|version|first|second|third|last)(?: (?:one|option|version|of|that|you)(?: .*)?| \w+)?",
        r"|an? (?:bit|little|moment|second|question|minute|feeling|look|idea|point|problem|meeting|appointment)\b.*)$",
    ))
});

/// Verbs of the moment: with them, a time names an occasion and no habit.
static OCCASION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:gets? (?:an? |the |this |that |no |\d)|got|need|want|think|know|mean|hope|guess|found|felt|wait|was|will|am|have to|had|received?|tried|copied|pasted|used to|broke|lost|should|must|could|would|might|first|saw|ran|went|took|made|did|left|gave|came|held|met|said|told|[a-z]+[^e]ed|here|there|down|glad|happy to|open|available|excited|looking|on the|up for|grateful|amazed|impressed)\b",
    )
});

/// Verbs of the conversation itself, of the past and of wishing, and objects that only the conversation knows: "I …"
/// with one of these tells nothing of a life.
static OF_TALK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:already |\w+ly |also |even )*(?:agree|see|hope|know|think|understand|bet|believe|appreciate|need|want|wish|guess|mean|get|feel|wonder|promise|doubt|suppose|assume|expect|imagine|remember|forget|look|say|tell|ask|thank|apologi[sz]e|recommend|suggest|try|find|have|am|was|were|can|can't|cannot|could|will|won't|would|shall|should|must|may|might|do|did|don't|didn't|dont|never|just|always|not|no|like|love|hate|prefer|enjoy|admit|notice|reali[sz]e|decide|disagree|confirm|swear|insist|request|require|beg|hereby|keep|gotta|wanna|gonna|held|rec+om+end|first|seem|sound|wait|care|mind|miss|come|copy|paste|click|press|enter|type|open|call|invoke|import|compile|install|execute|read|receive|upload|download|\w+ed|got|went|had|made|said|saw|took|came|ate|drank|found|thought|told|left|lost|met|bought|sent|wrote|ran|sat|stood|slept|heard|felt|kept|knew|began|broke|spent|built|paid|put|cut|set|hit|let|quit|read|won|gave|forgot|fell|drove|flew|'\w+)\b",
        r"|^\w+ (?:(?:up|out|in|on|off|at|with|for|to|into|from|about|by|of) )?(?:the|this|that|these|those|it|you|your|following|him|her|them|me|us|so|what|how|why|if|whether|\d+)\b|\b(?:error|fails?|failed|crash\w*|doesn't work|exception|now)\b",
    ))
});

/// What somebody has in passing: no possession.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:an? |the |some |this |another |following |\d+ |\w+ )?(?:questions?|problems?|issues?|errors?|bugs?|meetings?|appointments?|headache|lists?|tables?|arrays?|datasets?|dataframes?|functions?|files?|scripts?|strings?|codes?|prompts?|doubts?|exams?|deadlines?|interview|flight|cold|fever|requests?|homework|assignments?|essay)\b|(?:anything|something|such)\b)",
    )
});

/// What is liked or disliked is no sentence about the user.
static OF_ONESELF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:i|we|i'\w+|we'\w+|they|he|she) |(?:the|those|these|your|that|this|how the) (?:colou?rs?|views?|photos?|pictures?|pics?|vibes?|idea|looks?|design|paintings?|energy|attitude|enthusiasm|sound of (?:it|that)|name|outfit)(?:[ ,'].*)?$)",
    )
});

/// Good resolutions of a conversation, which decide nothing.
static OF_RESOLVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:give up|forget|quit$|let you|let them|regret|lie|disappoint|say|know|be able|be there|be back|believe)\b|must've|must have been",
    )
});

/// Whether what a rule found may be what it says: habits are deeds, and a life is made of what stays.
fn lasts(rule: &Rule, object: &str) -> bool {
    match rule.category {
        Category::Preference => !OF_ONESELF.is_match(object),
        Category::Decision => !OF_RESOLVE.is_match(object),
        // What was never done stays undone.
        Category::Pattern if rule.polarity == Polarity::Negative => !object.contains("seen anything"),
        Category::Pattern => !OCCASION.is_match(object),
        Category::Profile => !PASSING.is_match(object),
        _ => true,
    }
}

/// The object without reasons and fillers, as bytes; `None` when nothing is left that could be meant.
fn trimmed_object(object: &str, offset: usize, deed: bool) -> Option<std::ops::Range<usize>> {
    let sees = deed && object.starts_with("see ");
    if !sees && EMPTY_OBJECT.is_match(object) {
        return None;
    }
    let mut end = object
        .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | ')'))
        .len();
    while let Some(tail) = object.get(..end).and_then(|object| OBJECT_TAIL.find(object)) {
        if tail.start() == 0 {
            break;
        }
        end = tail.start();
    }
    let start = object
        .get(..end)
        .and_then(|object| OBJECT_HEAD.find(object))
        .map_or(0, |head| head.end());
    (start < end).then_some(offset + start..offset + end)
}
