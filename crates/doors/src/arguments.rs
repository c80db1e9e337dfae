//! What can be typed behind `reverie`.

use crate::since::Since;
use clap::{Args, Parser, Subcommand, ValueEnum};
use memory_model::Source;
use std::path::PathBuf;

/// Your assistant's memory, on your machine. Without a verb the window opens.
#[derive(Debug, Parser)]
#[command(
    name = "reverie",
    version,
    after_help = "Exit codes: 0 done, 1 failed, 2 not understood, 3 nothing found, 4 turn failed or decided before."
)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print one JSON value instead of text; a talk without `--once` prints one a message.
    #[arg(long, global = true)]
    pub json: bool,
    /// The data folder; the default is the one of the app.
    #[arg(long, global = true, env = "REVERIE_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Talk: each line is a message. `--once` reads one message from standard input and prints the result.
    Chat(Chat),
    /// Remember a sentence.
    Remember(Remember),
    /// Search the memory.
    Recall(Recall),
    /// List memories.
    List(List),
    /// Show one memory with its evidence and history.
    Show {
        /// The memory's id, or its first characters.
        id: String,
    },
    /// Delete a memory; it can be taken back for 30 seconds.
    Forget(Forget),
    /// See and decide what waits.
    Review(Review),
    /// What appeared since you last looked.
    New(New),
    /// Put away everything that a source ever wrote.
    Rollback(Rollback),
    /// Who wrote what is remembered.
    Sources,
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The thread to talk in; a new one when it is not given.
    #[arg(long, value_name = "ID")]
    pub thread: Option<String>,
    /// Read one message from standard input to its end, answer it, and stop.
    #[arg(long)]
    pub once: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// What to remember; standard input when it is not given.
    pub text: Vec<String>,
    /// What it is about.
    #[arg(long, value_name = "KIND")]
    pub category: Option<Kind>,
    /// Who says it, such as `agent:my-script` or `file:notes.md`; you, when it is not given. What reads like an
    /// order and is not yours waits for review.
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<Source>,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Keep that you have looked: the next time only what is newer is shown.
    #[arg(long)]
    pub seen: bool,
    /// Rows at most.
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// Whose: `agent:NAME`, `tool:NAME`, `file:PATH`, `peer:DEVICE`, `user:THREAD`, or a kind alone for all of it.
    #[arg(long, value_name = "SOURCE")]
    pub source: Source,
    /// Only what was kept since then: `30m`, `12h`, `2d`, `1w` ago, or a day such as 2026-11-30 (UTC).
    #[arg(long, value_name = "TIME", value_parser = crate::since::parse)]
    pub since: Option<Since>,
    /// Count and show; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// How many memories you saw; without it nothing is asked and the count of this moment is taken.
    #[arg(long, value_name = "COUNT")]
    pub expect: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// What to look for.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Hits at most.
    #[arg(long, default_value_t = 10)]
    pub limit: u32,
    /// Show also what is below the relevance floor.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only this kind.
    #[arg(long, value_name = "KIND")]
    pub category: Option<Kind>,
    /// Only memories in this state.
    #[arg(long, value_name = "STATE", default_value = "active")]
    pub status: State,
    /// Only pinned ones.
    #[arg(long)]
    pub pinned: bool,
    /// Rows at most.
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
    /// Rows to leave out at the start.
    #[arg(long, default_value_t = 0)]
    pub offset: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// The memory's id, or its first characters.
    #[arg(required_unless_present = "undo")]
    pub id: Option<String>,
    /// Take back a change instead; `forget` prints its id.
    #[arg(long, value_name = "CHANGE", conflicts_with = "id")]
    pub undo: Option<String>,
    /// Erase it at once and for good, and print where it was removed.
    #[arg(long, requires = "id")]
    pub erase: bool,
    /// With --erase: blacken its words in the conversations too.
    #[arg(long, requires = "erase")]
    pub words: bool,
    /// With --erase: only say what would be removed.
    #[arg(long, requires = "erase")]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Review {
    /// The items' ids, or parts of them; without one the waiting items are listed.
    pub ids: Vec<String>,
    /// Every item that waits, instead of ids.
    #[arg(long, conflicts_with = "ids", requires = "decision")]
    pub all: bool,
    /// Only items with this reason, such as `conflict` or `quarantined`.
    #[arg(long, value_name = "REASON", conflicts_with = "ids")]
    pub reason: Option<String>,
    /// Keep it; in a conflict it replaces the old memory.
    #[arg(long, group = "decision")]
    pub approve: bool,
    /// Do not keep it; in a conflict the old memory stays.
    #[arg(long, group = "decision")]
    pub reject: bool,
    /// Keep both sides of a conflict.
    #[arg(long, group = "decision")]
    pub keep_both: bool,
    /// The new side of a conflict replaces the old one.
    #[arg(long, group = "decision")]
    pub newer_wins: bool,
    /// Keep it with these words.
    #[arg(long, group = "decision", value_name = "TEXT")]
    pub edit: Option<String>,
    /// Take the decision back.
    #[arg(long, group = "decision")]
    pub undo: bool,
    /// List decided items instead.
    #[arg(long, conflicts_with = "ids")]
    pub decided: bool,
}

/// Kinds of memory.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kind {
    Preference,
    Decision,
    Pattern,
    Profile,
    Instruction,
    Project,
    Reference,
}

impl From<Kind> for memory_model::Category {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Preference => Self::Preference,
            Kind::Decision => Self::Decision,
            Kind::Pattern => Self::Pattern,
            Kind::Profile => Self::Profile,
            Kind::Instruction => Self::Instruction,
            Kind::Project => Self::Project,
            Kind::Reference => Self::Reference,
        }
    }
}

/// States of a memory.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum State {
    Active,
    Superseded,
    Archived,
}

impl From<State> for memory_model::Status {
    fn from(state: State) -> Self {
        match state {
            State::Active => Self::Active,
            State::Superseded => Self::Superseded,
            State::Archived => Self::Archived,
        }
    }
}
