//! From a message to candidates: which sentences are read, and what becomes of each.

use crate::gates::{Gate, turned_away};
use crate::page::{MASK, Page};
use crate::rules::Match;
use crate::split::{Clause, clauses, sentences, without_closing_marks};
use crate::{dates, english, explicit, injection, keys, korean, rules::pattern, secret, slots};
use memory_model::{
    Candidate, Category, Evidence, Extracted, Language, MessageId, Polarity, Role, SkipReason, Skipped, Slot,
    ThreadId, Timestamp, cut_chars, nfc,
};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A memory says at least this much (spec extraction, «Limits»), in characters.
pub const TEXT_CHARS_MIN: usize = 3;

/// A memory says at most this much (spec extraction, «Limits»), in characters.
pub const TEXT_CHARS_MAX: usize = 500;

/// Characters of a message that are read. What a person types is far shorter; what follows is a pasted document,
/// and reading it would cost time and find somebody else's words.
pub const MESSAGE_CHARS_MAX: usize = 16_384;

/// Candidates that one message may give. More than that is a document, not a conversation.
pub const CANDIDATES_MAX: usize = 20;

/// Skipped statements that are reported for one message; a person does not read a longer list.
const SKIPPED_MAX: usize = 40;

/// Characters of a skipped statement that are shown.
const SKIPPED_CHARS_MAX: usize = 160;

/// A sentence beyond this many characters has no sentence marks at all and is taken for pasted.
const SENTENCE_CHARS_MAX: usize = 2_000;

/// A message to read.
#[derive(Clone, Copy, Debug)]
pub struct SourceMessage<'a> {
    /// The conversation, where there is one.
    pub thread_id: Option<&'a ThreadId>,
    /// The message, where it is kept.
    pub message_id: Option<&'a MessageId>,
    /// Who speaks.
    pub role: Role,
    /// What is said. Spans count the characters of its NFC form, which is what the store keeps.
    pub text: &'a str,
    /// When it was said.
    pub said_at: Timestamp,
    /// How far the user's clock was ahead of UTC then, in minutes: "yesterday" is a day of that clock.
    pub utc_offset_minutes: i32,
}

/// Finds candidates and skipped statements in one message. An assistant's message yields no candidates, only
/// [`SkipReason::AssistantWords`] for what would have been one.
pub fn extract(message: &SourceMessage<'_>) -> Extracted {
    let text = nfc(message.text);
    let read = cut_chars(&text, MESSAGE_CHARS_MAX);
    let mut reader = Reader {
        message,
        page: Page::read(read),
        found: Vec::new(),
        skipped: Vec::new(),
    };
    reader.read_sentences();
    reader.read_quoted();
    if let Some(rest) = text.get(read.len()..)
        && !rest.trim().is_empty()
    {
        reader.skip(
            cut_chars(rest.trim(), SKIPPED_CHARS_MAX).to_owned(),
            SkipReason::TooLong,
        );
    }
    reader.finish()
}

/// Compiles the rules, which takes a few hundred milliseconds the first time: called in the background when the app
/// starts, so that the first turn does not wait for it.
pub fn warm_up() {
    for text in ["I like tea.", "저는 차를 좋아해요."] {
        let found = extract(&SourceMessage {
            thread_id: None,
            message_id: None,
            role: Role::User,
            text,
            said_at: Timestamp::from_millis(0),
            utc_offset_minutes: 0,
        });
        crate::judge::judge(found.candidates, &[], &[], &crate::judge::Policy::default());
    }
}

/// A candidate and the sentence it is from.
struct Found {
    sentence: usize,
    candidate: Candidate,
}

/// Whether the gates are still to be asked about a clause.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gates {
    /// They are.
    Ask,
    /// They let it pass already.
    Asked,
    /// The user asked for it to be remembered, so they do not matter.
    Explicit,
}

/// What a rule made of a clause.
struct Said<'a> {
    found: &'a Match,
    /// The subject taken over from the clause before.
    subject: &'static str,
    /// The folded clause, for cues of a changed mind.
    folded: &'a str,
    language: Language,
}

impl Said<'_> {
    fn shown(&self, words: &str) -> String {
        match self.language {
            Language::En => english::wording::shown(words, !self.subject.is_empty()),
            Language::Ko => korean::wording::shown(words),
        }
    }
}

struct Reader<'a> {
    message: &'a SourceMessage<'a>,
    page: Page,
    found: Vec<Found>,
    skipped: Vec<Skipped>,
}

impl Reader<'_> {
    fn read_sentences(&mut self) {
        let secrets = secret::spans(&self.page.chars);
        for (number, sentence) in sentences(&self.page).into_iter().enumerate() {
            if self.found.len() >= CANDIDATES_MAX {
                break;
            }
            if secrets
                .iter()
                .any(|secret| secret.start < sentence.end && sentence.start < secret.end)
            {
                self.skip(String::new(), SkipReason::Secret);
            } else if sentence.len() > SENTENCE_CHARS_MAX {
                self.skip_span(&sentence, SkipReason::TooLong);
            } else {
                self.read_sentence(number, &sentence);
            }
        }
    }

    fn read_sentence(&mut self, number: usize, sentence: &Range<usize>) {
        let folded = self.page.folded(sentence);
        if !folded.chars().any(|c| c.is_alphanumeric()) {
            return;
        }
        let language = Language::of(&folded);
        if injection::suspected(&folded) {
            return self.skip_span(sentence, SkipReason::Injection);
        }
        if let Some(asked) = explicit::remember_this(&folded, language) {
            let inner = sentence.start + asked.start..sentence.start + asked.end;
            return self.read_explicit(number, &inner, language);
        }
        let gate = turned_away(&folded, language);
        if let Some(gate) = gate.filter(|gate| whole_sentence(gate.reason)) {
            return self.turn_away(number, sentence, gate);
        }
        let parts = clauses(&self.page, sentence);
        let question =
            asks(&folded) && (parts.len() == 1 || begins_as_question(&folded) || offers_a_choice(&folded));
        if question {
            return self.skip_span(sentence, gate.map_or(SkipReason::Question, |gate| gate.reason));
        }
        if gate.is_none() && parts.len() == 1 {
            // The gates have been asked about these very words.
            return parts
                .iter()
                .for_each(|clause| self.read_clause(number, clause, language, Gates::Asked));
        }
        for (index, clause) in parts.iter().enumerate() {
            if asks(&folded) && index + 1 == parts.len() {
                let reason = turned_away(&self.page.folded(&clause.span), language).map(|gate| gate.reason);
                self.skip_span(&clause.span, reason.unwrap_or(SkipReason::Question));
            } else {
                self.read_clause(number, clause, language, Gates::Ask);
            }
        }
    }

    /// "Remember that …": what follows is kept even where no rule knows it.
    fn read_explicit(&mut self, number: usize, inner: &Range<usize>, language: Language) {
        let folded = self.page.folded(inner);
        if let Some(gate) = turned_away(&folded, language)
            && !matches!(gate.reason, SkipReason::ThirdPerson)
        {
            return self.skip_span(inner, gate.reason);
        }
        let before = self.found.len();
        for clause in clauses(&self.page, inner) {
            self.read_clause(number, &clause, language, Gates::Explicit);
        }
        if self.found.len() == before {
            let span = without_closing_marks(&self.page.plain, inner.clone());
            let words = self.page.words(&span);
            if let Ok(mut candidate) = crate::by_hand::candidate_by_hand(&words, None, self.message.said_at) {
                candidate.evidence = self.evidence(&span);
                mark_explicit(&mut candidate);
                self.found.push(Found {
                    sentence: number,
                    candidate,
                });
            }
        }
    }

    fn turn_away(&mut self, number: usize, sentence: &Range<usize>, gate: &Gate) {
        self.skip_span(sentence, gate.reason);
        if gate.takes_back {
            let (taken_back, kept) = std::mem::take(&mut self.found)
                .into_iter()
                .partition(|found| found.sentence + 1 == number);
            self.found = kept;
            let taken_back: Vec<Found> = taken_back;
            for found in taken_back {
                self.skip(found.candidate.evidence.quote, gate.reason);
            }
        }
    }

    fn read_clause(&mut self, number: usize, clause: &Clause, language: Language, gates: Gates) {
        let span = self.without_filler(without_closing_marks(&self.page.plain, clause.span.clone()));
        let folded = format!("{}{}", clause.subject, self.page.folded(&span));
        let found = match language {
            Language::En => english::read(&folded),
            Language::Ko => korean::read(&folded),
        };
        let instruction = found
            .as_ref()
            .is_some_and(|found| found.rule.category == Category::Instruction);
        if !instruction
            && gates == Gates::Ask
            && let Some(gate) = turned_away(&folded, language)
        {
            return self.skip_span(&clause.span, gate.reason);
        }
        let Some(found) = found else { return };
        if self.page.folded(&span).contains(MASK) {
            return self.skip_span(&clause.span, SkipReason::Quoted);
        }
        let said = match language {
            Language::En => english::said_from(&folded),
            Language::Ko => 0,
        };
        let prefix = clause.subject.chars().count();
        let start = span.start + crate::rules::chars_before(&folded, said).saturating_sub(prefix);
        let shift = |at: usize| (span.start + at).saturating_sub(prefix);
        let object = shift(found.object.start)..shift(found.object.end);
        match self.fitting(start..span.end) {
            Some(words) => {
                let said = Said {
                    found: &found,
                    subject: clause.subject,
                    folded: &folded,
                    language,
                };
                for mut candidate in self.candidates(&said, words, object) {
                    if gates == Gates::Explicit {
                        mark_explicit(&mut candidate);
                    }
                    self.found.push(Found {
                        sentence: number,
                        candidate,
                    });
                }
            }
            None => self.skip_span(&clause.span, SkipReason::TooLong),
        }
    }

    /// A span without the words that people hang on a statement (", just so you know").
    fn without_filler(&self, span: Range<usize>) -> Range<usize> {
        let folded = self.page.folded(&span);
        match FILLER.find(&folded) {
            Some(filler) if filler.start() > 0 => {
                span.start..span.start + crate::rules::chars_before(&folded, filler.start())
            }
            _ => span,
        }
    }

    /// A span short enough for a memory, cut at a comma where it is not; `None` when there is no such place.
    fn fitting(&self, span: Range<usize>) -> Option<Range<usize>> {
        if span.len() <= TEXT_CHARS_MAX {
            return Some(span);
        }
        let window = self.page.plain.get(span.start..span.start + TEXT_CHARS_MAX)?;
        let cut = window.iter().rposition(|c| matches!(c, ',' | ';'))?;
        (cut >= TEXT_CHARS_MIN).then(|| span.start..span.start + cut)
    }

    /// One candidate, or one for each slot that the parts of the object fill.
    fn candidates(&self, said: &Said<'_>, words: Range<usize>, object: Range<usize>) -> Vec<Candidate> {
        let object = object.start..object.end.min(words.end);
        let parts = slots::parts(&self.page, &object, said.found.rule.category);
        if let [first, second] = parts.as_slice() {
            let verb = self.page.words(&(words.start..first.start));
            let head = self.candidate(said, words.start..first.end, first);
            let mut tail = self.candidate(said, second.clone(), second);
            tail.text = match said.language {
                Language::En => said.shown(&format!("{verb}{}", self.page.words(second))),
                Language::Ko => self.page.words(second),
            };
            return vec![head, tail];
        }
        vec![self.candidate(said, words, &object)]
    }

    fn candidate(&self, said: &Said<'_>, words: Range<usize>, object: &Range<usize>) -> Candidate {
        let quote = self.page.words(&words);
        let object = self.page.words(object);
        let rule = said.found.rule;
        let slot = slots::of(&object, &quote, rule, said.language);
        let mut candidate = Candidate {
            category: rule.category,
            polarity: rule.polarity,
            key: keys::key(rule.category, rule.name, &object, slot.as_ref()),
            text: said.shown(&quote),
            value: value_of(&object, slot.as_ref()),
            subject: "user".to_owned(),
            slot,
            changed_mind: changed_mind(said.folded),
            evidence: self.evidence(&words),
            confidence: rule.confidence,
            language: said.language,
        };
        let when = dates::resolve(said.folded, self.message.said_at, self.message.utc_offset_minutes);
        if let Some(when) = when {
            dates::note(&mut candidate, &when, TEXT_CHARS_MAX);
        }
        candidate
    }

    fn evidence(&self, span: &Range<usize>) -> Evidence {
        Evidence {
            thread_id: self.message.thread_id.cloned(),
            message_id: self.message.message_id.cloned(),
            start: u32::try_from(span.start).unwrap_or(u32::MAX),
            end: u32::try_from(span.end).unwrap_or(u32::MAX),
            quote: self.page.words(span),
            said_at: self.message.said_at,
        }
    }

    /// Reports what is quoted, pasted or code where it would have been a statement or carries an instruction.
    fn read_quoted(&mut self) {
        for span in self.page.quoted.clone().into_iter().take(CANDIDATES_MAX) {
            let words = self.page.words(&span);
            let folded = Page {
                plain: self.page.chars.clone(),
                chars: Vec::new(),
                quoted: Vec::new(),
            }
            .folded(&span)
            .to_lowercase();
            let language = Language::of(&folded);
            let trimmed = folded.trim().trim_end_matches(['.', '!', '?']);
            let means_something = match language {
                Language::En => english::read(trimmed).is_some(),
                Language::Ko => korean::read(trimmed).is_some(),
            };
            if injection::suspected(&folded) {
                self.skip(
                    cut_chars(words.trim(), SKIPPED_CHARS_MAX).to_owned(),
                    SkipReason::Injection,
                );
            } else if secret::find_secret(&words).is_some() {
                self.skip(String::new(), SkipReason::Secret);
            } else if means_something {
                self.skip(
                    cut_chars(words.trim(), SKIPPED_CHARS_MAX).to_owned(),
                    SkipReason::Quoted,
                );
            }
        }
    }

    fn skip_span(&mut self, span: &Range<usize>, reason: SkipReason) {
        let words = self.page.words(span);
        self.skip(cut_chars(words.trim(), SKIPPED_CHARS_MAX).to_owned(), reason);
    }

    fn skip(&mut self, words: String, reason: SkipReason) {
        let already = self
            .skipped
            .iter()
            .any(|skipped| skipped.candidate == words && skipped.reason == reason);
        if self.skipped.len() < SKIPPED_MAX && !already {
            self.skipped.push(Skipped::new(words, reason));
        }
    }

    fn finish(mut self) -> Extracted {
        if self.message.role != Role::User {
            let words = std::mem::take(&mut self.found)
                .into_iter()
                .map(|found| found.candidate.evidence.quote);
            let skipped = words
                .map(|words| Skipped::new(words, SkipReason::AssistantWords))
                .collect();
            return Extracted {
                candidates: Vec::new(),
                skipped,
            };
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for Found { candidate, .. } in std::mem::take(&mut self.found) {
            if candidate.text.chars().count() < TEXT_CHARS_MIN {
                self.skip(candidate.evidence.quote, SkipReason::TooShort);
                continue;
            }
            match candidates.iter_mut().find(|kept| kept.key == candidate.key) {
                Some(kept) => {
                    let (left, reason) = keep_one(kept, candidate);
                    self.skip(left, reason);
                }
                None => candidates.push(candidate),
            }
        }
        candidates.truncate(CANDIDATES_MAX);
        Extracted {
            candidates,
            skipped: self.skipped,
        }
    }
}

/// Of two statements under one key the later holds; where they say the same, the more specific one does. Gives back
/// the words of the other one and why they are not kept: nothing that was said vanishes.
fn keep_one(kept: &mut Candidate, later: Candidate) -> (String, SkipReason) {
    let same = kept.polarity == later.polarity && kept.slot == later.slot;
    if same && later.text.chars().count() < kept.text.chars().count() {
        return (later.evidence.quote, SkipReason::AlreadyKnown);
    }
    let earlier = std::mem::replace(kept, later);
    let reason = if same {
        SkipReason::AlreadyKnown
    } else {
        SkipReason::SupersededInMessage
    };
    (earlier.evidence.quote, reason)
}

/// Reasons that turn a sentence away as a whole, whatever its clauses say.
fn whole_sentence(reason: SkipReason) -> bool {
    matches!(
        reason,
        SkipReason::NegatedIntention | SkipReason::Sarcasm | SkipReason::Hypothetical | SkipReason::Quoted
    )
}

fn asks(folded: &str) -> bool {
    folded
        .trim_end_matches(['"', '\'', ')', ' ', '.', '!'])
        .ends_with('?')
}

static FILLER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:,? (?:just so you know|fyi|btw|by the way|lol|haha|you know|for the record|thanks|thank you|please remember(?: (?:that|this|it))?))+$|,? ?(?:참고로요?|ㅎ+|ㅋ+)$",
    )
});

static QUESTION_START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:hey|hi|so|ok|and|but|well|wait)[,.!]* )*(?:do|does|did|can|could|would|will|should|is|are|am|was|were|have|has|had|what|which|who|whose|where|when|why|how|any)\b",
    )
});

/// "Java가 나아요, Kotlin이 나아요?": the first half asks as well.
fn offers_a_choice(folded: &str) -> bool {
    let last = |half: &str| {
        half.trim_end_matches(['?', ' ', '.', '!'])
            .rsplit(' ')
            .next()
            .map(str::to_owned)
    };
    folded.rsplit_once(',').is_some_and(|(first, second)| {
        last(first).is_some_and(|word| word.chars().any(memory_model::is_hangul))
            && last(first) == last(second)
    })
}

fn begins_as_question(folded: &str) -> bool {
    QUESTION_START.is_match(folded)
}

static CHANGED_MIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:now|no longer|any ?more|any longer|these days|nowadays|instead|switched|switching|moved|changed my mind|actually|used to|stopped|gave up|quit|from now on|going forward|recently|lately)\b",
        r"|이제|이젠|더 이상|더는|바꿨|바뀌|바꾸|요즘|그만|끊었|이사|이직|옮겼|옮기|말고|앞으로|생각이 바|전환|갈아탔|대신",
    ))
});

/// Whether folded words say that something changed.
pub(crate) fn changed_mind(folded: &str) -> bool {
    CHANGED_MIND.is_match(folded)
}

/// What a candidate says, for programs.
pub(crate) fn value_of(object: &str, slot: Option<&Slot>) -> serde_json::Value {
    match slot {
        Some(slot) => serde_json::json!({ "object": object, "slot": slot.name, "value": slot.value }),
        None => serde_json::json!({ "object": object }),
    }
}

/// The field of a candidate's value that says that the user asked for it to be remembered.
const EXPLICIT: &str = "explicit";

fn mark_explicit(candidate: &mut Candidate) {
    if let Some(value) = candidate.value.as_object_mut() {
        value.insert(EXPLICIT.to_owned(), true.into());
    }
}

/// Whether the user asked for this to be remembered.
pub(crate) fn is_explicit(candidate: &Candidate) -> bool {
    candidate
        .value
        .get(EXPLICIT)
        .and_then(serde_json::Value::as_bool)
        .unwrap_or(false)
}

/// For a statement that no rule knows.
pub(crate) const UNKNOWN_POLARITY: Polarity = Polarity::Positive;
