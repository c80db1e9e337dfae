//! A message as the rules read it: its characters, a folded copy of the same length, and the spans that are
//! quoted, pasted or code. Positions in the folded copy are positions in the message.

use crate::rules::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Stands in the folded copy for a character that is not the user's own word. No rule matches it.
pub(crate) const MASK: char = '\u{FFFC}';

/// A quotation of at most this many words stays readable: it is a name or a term (a cat called "Mango"),
/// not somebody's statement.
const TERM_WORDS_MAX: usize = 2;

/// An opening quotation mark without its partner within this many characters is taken for an apostrophe.
const QUOTATION_CHARS_MAX: usize = 2_000;

/// A message under the eyes of the rules.
pub(crate) struct Page {
    /// The characters of the message.
    pub chars: Vec<char>,
    /// The same number of characters: lower case, straight quotation marks, plain spaces, masked quotations.
    pub plain: Vec<char>,
    /// What was masked.
    pub quoted: Vec<Range<usize>>,
}

impl Page {
    /// Folds a text and masks what is not the user's own.
    pub(crate) fn read(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let plain = chars.iter().map(|&c| fold(c)).collect();
        let mut page = Self {
            chars,
            plain,
            quoted: Vec::new(),
        };
        page.mask_fences_and_pasted_lines();
        page.mask_quotations();
        page.mask_after_announcement();
        page
    }

    /// The words of a span as they were written.
    pub(crate) fn words(&self, span: &Range<usize>) -> String {
        self.chars
            .get(span.clone())
            .map(|chars| chars.iter().collect())
            .unwrap_or_default()
    }

    /// The folded words of a span.
    pub(crate) fn folded(&self, span: &Range<usize>) -> String {
        self.plain
            .get(span.clone())
            .map(|chars| chars.iter().collect())
            .unwrap_or_default()
    }

    fn mask(&mut self, span: Range<usize>) {
        for c in self.plain.get_mut(span.clone()).into_iter().flatten() {
            if *c != '\n' {
                *c = MASK;
            }
        }
        if !span.is_empty() {
            self.quoted.push(span);
        }
    }

    fn lines(&self) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for (at, &c) in self.plain.iter().enumerate() {
            if c == '\n' {
                lines.push(start..at);
                start = at + 1;
            }
        }
        lines.push(start..self.plain.len());
        lines
    }

    fn mask_fences_and_pasted_lines(&mut self) {
        let mut fence = None;
        for line in self.lines() {
            let text = self.folded(&line);
            let bare = text.trim_start();
            if bare.starts_with("```") || bare.starts_with("~~~") {
                match fence.take() {
                    Some(start) => self.mask(start..line.end),
                    None => fence = Some(line.start),
                }
            } else if fence.is_none() && is_pasted_line(bare) {
                self.mask(line);
            }
        }
        if let Some(start) = fence {
            self.mask(start..self.plain.len());
        }
    }

    fn mask_quotations(&mut self) {
        let mut at = 0;
        while at < self.plain.len() {
            match self.quotation_from(at) {
                Some(end) => {
                    let inside = at + 1..end;
                    if self.folded(&inside).split_whitespace().count() > TERM_WORDS_MAX {
                        self.mask(inside);
                    }
                    at = end + 1;
                }
                None => at += 1,
            }
        }
    }

    /// Where the quotation that opens at `at` closes.
    fn quotation_from(&self, at: usize) -> Option<usize> {
        let open = *self.plain.get(at)?;
        let close = match open {
            '"' | '\'' => open,
            '「' => '」',
            '『' => '』',
            '«' => '»',
            _ => return None,
        };
        let starts_word = at == 0 || self.plain.get(at - 1).is_some_and(|c| !c.is_alphanumeric());
        if open == '\'' && !starts_word {
            return None;
        }
        let until = self.plain.len().min(at + QUOTATION_CHARS_MAX);
        (at + 1..until).find(|&end| {
            let closes = self.plain.get(end) == Some(&close);
            let ends_word =
                close != '\'' || self.plain.get(end + 1).is_none_or(|c| !c.is_ascii_alphanumeric());
            closes && ends_word
        })
    }

    /// "Translate this: …" and "다음 문장을 고쳐 줘: …" announce words that are not the user's.
    fn mask_after_announcement(&mut self) {
        let text: String = self.plain.iter().collect();
        if let Some(found) = ANNOUNCEMENT.find(&text) {
            let start = text.get(..found.end()).map_or(0, |before| before.chars().count());
            self.mask(start..self.plain.len());
        }
    }
}

static ANNOUNCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:\b(?:translate|proofread|rephrase|rewrite|paraphrase|summari[sz]e|correct|fix|edit|improve|polish|review)\b[^.?!\n:]{0,60}",
        r"|\b(?:wrote|writes|said|says|goes|quote[sd]?|reads|script|transcript|example sentence|the text|the email|this email|the message|lyrics)\b[^.?!\n:]{0,30}",
        r"|(?:번역|고쳐|교정|요약|다듬어|바꿔|맞춤법|다음 문장|다음 글|예문|대화야|대화예요|대화입니다|인용|원문|가사|적혀|쓰여)[^.?!\n:]{0,25}",
        r"|(?:대화|대본)[^\n:]{0,12}[.!] ?[a-z가-힣]{1,6}",
        r"):\s|(?:^|[.!?\n] )[a-z]: [^\n]{1,200} [a-z]: ",
    ))
});

static PASTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"^(?:>|\||\{|\}|\[[{"\d]|</?[a-z!]|\$ |#!|"[^"]+" ?:|at [\w.$]+\(|(?:error|warn|info|debug|trace|fatal)\b[:\] ]"#,
        r"|\[?\d{4}-\d\d-\d\d[t ]\d\d:|\d\d:\d\d:\d\d|(?:import|from|def|fn|func|class|const|let|var|public|private|return|select|insert|export) .*[;={(:]",
        r"|(?:from|to|subject|date|sent|보낸 사람|받는 사람|제목): |diff --git|@@ |[+-]{3} |[a-z]: .+ [a-z]: )",
    ))
});

/// A line that came from a log, a program, a table, a mail or a quotation rather than from the keyboard.
fn is_pasted_line(line: &str) -> bool {
    PASTED.is_match(line) || (line.ends_with(['{', '}', ';']) && line.len() > 1)
}

/// One character in the form the rules are written in. Always one for one.
fn fold(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}' | '\u{201B}' | '\u{0060}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{FF02}' | '\u{201E}' => '"',
        '\u{2013}' | '\u{2014}' | '\u{2212}' => '-',
        '\u{FF0C}' => ',',
        '\u{FF1F}' => '?',
        '\u{FF01}' => '!',
        '\u{3002}' => '.',
        '\u{FF1A}' => ':',
        '\n' => '\n',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}
