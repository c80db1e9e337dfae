//! What went wrong lately, so that the health screen can say it together with the next step.

use crate::open::lock;
use crate::{Engine, Tag, Trouble, TroubleKind};
use memory_model::{Problem, ProblemCode};

/// Troubles that are kept: one screen full. The same trouble again counts up and takes no new place.
const TROUBLES_MAX: usize = 12;

impl Engine {
    /// Remembers that something failed. Messages name files and parts, and hold no words of a person.
    pub(crate) fn trouble(&self, kind: TroubleKind, message: impl std::fmt::Display) {
        let message = message.to_string();
        let at = self.inner.clock.now();
        let mut troubles = lock(&self.inner.troubles);
        let same = troubles
            .iter()
            .position(|trouble| trouble.kind == kind && trouble.message == message);
        let times = match same.and_then(|index| troubles.remove(index)) {
            Some(before) => before.times.saturating_add(1),
            None => 1,
        };
        troubles.push_front(Trouble {
            kind,
            message,
            at,
            times,
        });
        troubles.truncate(TROUBLES_MAX);
        drop(troubles);
        if times == 1 {
            self.changed(&[Tag::Health]);
        }
    }

    /// Remembers what failed in a turn. What the person did, such as stopping an answer, is no trouble.
    pub(crate) fn note_problems(&self, problems: &[Problem]) {
        for problem in problems {
            let kind = match problem.code {
                ProblemCode::MeaningSearchOff => TroubleKind::Embedding,
                ProblemCode::ModelFailed => TroubleKind::Chat,
                ProblemCode::DiskFull | ProblemCode::ReadOnly | ProblemCode::RetrievalFailed => {
                    TroubleKind::Store
                }
                _ => continue,
            };
            self.trouble(kind, &problem.message);
        }
    }

    /// The last troubles of this run, newest first.
    pub(crate) fn troubles(&self) -> Vec<Trouble> {
        lock(&self.inner.troubles).iter().cloned().collect()
    }
}
