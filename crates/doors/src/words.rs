//! What the command line says, in English and Korean.

use engine::{ErasedPlace, ErrorCode};
use memory_model::{ReviewReason, SkipReason};

/// The language of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    En,
    Ko,
}

impl Words {
    /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set decides.
    #[expect(
        clippy::disallowed_methods,
        reason = "the terminal's language is in its environment"
    )]
    pub fn from_environment() -> Self {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok());
        Self::of(
            set.into_iter()
                .find(|value| !value.is_empty())
                .as_deref()
                .unwrap_or_default(),
        )
    }

    pub fn of(locale: &str) -> Self {
        if locale.starts_with("ko") {
            Self::Ko
        } else {
            Self::En
        }
    }

    /// One of two wordings.
    pub fn pick(self, english: &'static str, korean: &'static str) -> &'static str {
        match self {
            Self::En => english,
            Self::Ko => korean,
        }
    }

    /// What to do next after a failure.
    pub fn next_step(self, code: ErrorCode) -> &'static str {
        match code {
            ErrorCode::DiskFull => self.pick(
                "Free some space, then try again.",
                "공간을 비운 뒤 다시 시도하세요.",
            ),
            ErrorCode::ReadOnly => self.pick(
                "Make the data folder writable, or name another one with --data-dir.",
                "데이터 폴더에 쓸 수 있게 하거나 --data-dir로 다른 폴더를 정하세요.",
            ),
            ErrorCode::Busy => self.pick(
                "Another program is using the data. Try again in a moment.",
                "다른 프로그램이 데이터를 쓰고 있어요. 잠시 뒤 다시 시도하세요.",
            ),
            ErrorCode::Damaged => self.pick(
                "The file is kept as it is. Restore a backup, or name another folder with --data-dir.",
                "파일은 그대로 두었어요. 백업을 되살리거나 --data-dir로 다른 폴더를 정하세요.",
            ),
            ErrorCode::NewerData => self.pick(
                "Update the app; nothing was changed.",
                "앱을 업데이트하세요. 아무것도 바꾸지 않았어요.",
            ),
            ErrorCode::NotFound => self.pick(
                "It may have been erased. `reverie list` and `reverie review` show what there is.",
                "지워졌을 수 있어요. `reverie list`와 `reverie review`로 있는 것을 볼 수 있어요.",
            ),
            ErrorCode::Conflict => self.pick(
                "Look at it again, then decide again. Nothing was changed.",
                "다시 확인한 뒤 결정하세요. 아무것도 바꾸지 않았어요.",
            ),
            ErrorCode::InvalidInput => self.pick("Correct it, then try again.", "고친 뒤 다시 시도하세요."),
            ErrorCode::SecretRefused => self.pick(
                "Nothing was saved. Take the secret out, then try again.",
                "저장하지 않았어요. 비밀 정보를 뺀 뒤 다시 시도하세요.",
            ),
            ErrorCode::TurnRunning => self.pick("Wait for the answer.", "답변을 기다리세요."),
            ErrorCode::Internal => self.pick(
                "Try again. If it stays, start it with REVERIE_LOG=debug and report what it prints.",
                "다시 시도하세요. 계속되면 REVERIE_LOG=debug로 실행해 나온 내용을 알려 주세요.",
            ),
        }
    }

    /// Why something was skipped.
    pub fn skipped(self, reason: SkipReason) -> &'static str {
        match self {
            Self::En => reason.sentence(),
            Self::Ko => match reason {
                SkipReason::TransientRequest => "그때만 필요한 부탁",
                SkipReason::Question => "질문",
                SkipReason::Hypothetical => "가정한 이야기",
                SkipReason::Quoted => "인용하거나 붙여 넣은 글",
                SkipReason::ThirdPerson => "다른 사람 이야기",
                SkipReason::AssistantWords => "어시스턴트의 말",
                SkipReason::Sarcasm => "진심이 아닌 말",
                SkipReason::NegatedIntention => "취소한 계획",
                SkipReason::Transient => "잠깐의 상태",
                SkipReason::AlreadyKnown => "이미 아는 내용",
                SkipReason::NotGrounded => "사용자의 말에 없는 내용",
                SkipReason::Sensitive => "민감한 정보(막음)",
                SkipReason::Secret => "비밀 정보는 저장하지 않음",
                SkipReason::TooShort => "너무 짧음",
                SkipReason::TooLong => "너무 김",
                SkipReason::Injection => "내용에 숨은 지시",
                SkipReason::CaptureOff => "저장이 꺼져 있음",
                SkipReason::SupersededInMessage => "같은 메시지의 뒤에서 다르게 말함",
            },
        }
    }

    /// A place that held copies of an erased memory.
    pub fn place(self, place: ErasedPlace) -> &'static str {
        match place {
            ErasedPlace::Memory => self.pick("memory", "기억"),
            ErasedPlace::Versions => self.pick("versions", "이전 판"),
            ErasedPlace::KeywordIndex => self.pick("keyword index", "낱말 색인"),
            ErasedPlace::Vectors => self.pick("vectors", "벡터"),
            ErasedPlace::Checkpoints => self.pick("turns that held it", "내용이 남은 대화 기록"),
            ErasedPlace::ReviewItems => self.pick("review items", "검토 항목"),
            ErasedPlace::Messages => self.pick("messages", "메시지"),
            ErasedPlace::Backups => self.pick("automatic backups", "자동 백업"),
        }
    }

    /// Why something waits.
    pub fn waits(self, reason: ReviewReason) -> &'static str {
        match reason {
            ReviewReason::Conflict => self.pick("conflict", "충돌"),
            ReviewReason::Sensitive => self.pick("sensitive", "민감한 정보"),
            ReviewReason::Procedural => self.pick("a standing instruction", "계속 지킬 지침"),
            ReviewReason::InjectionSuspected => {
                self.pick("looks like a hidden instruction", "숨은 지시로 의심됨")
            }
            ReviewReason::NormalisationFailed => {
                self.pick("not in the form of a memory", "기억의 형식이 아님")
            }
            ReviewReason::RetrievalFailed => {
                self.pick("the memory could not be searched", "기억을 찾지 못함")
            }
            ReviewReason::WriteFailed => self.pick("could not be written", "저장하지 못함"),
            ReviewReason::Confirm => self.pick("asks first", "먼저 물어봄"),
            ReviewReason::Quarantined => self.pick(
                "reads like an order and is not in your words",
                "지시처럼 보이고 직접 한 말이 아님",
            ),
            ReviewReason::SyncConflict => self.pick("changed in two places", "두 곳에서 바뀜"),
            ReviewReason::SecretBlocked => {
                self.pick("holds a secret, not shared", "비밀 정보가 있어 공유하지 않음")
            }
            ReviewReason::DreamUndecided => self.pick("tidying could not tell", "정리하다가 정하지 못함"),
        }
    }
}
