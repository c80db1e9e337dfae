//! What can be typed behind `reverie`.

use clap::{Args, Parser, Subcommand, ValueEnum};
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
}

#[derive(Debug, Args)]
pub(crate) struct Review {
    /// The item's id, or its first characters; without one the waiting items are listed.
    pub id: Option<String>,
    /// Keep it; in a conflict it replaces the old memory.
    #[arg(long, requires = "id", group = "decision")]
    pub approve: bool,
    /// Do not keep it; in a conflict the old memory stays.
    #[arg(long, requires = "id", group = "decision")]
    pub reject: bool,
    /// Keep both sides of a conflict.
    #[arg(long, requires = "id", group = "decision")]
    pub keep_both: bool,
    /// Keep it with these words.
    #[arg(long, requires = "id", group = "decision", value_name = "TEXT")]
    pub edit: Option<String>,
    /// Take the decision back.
    #[arg(long, requires = "id", group = "decision")]
    pub undo: bool,
    /// List decided items instead.
    #[arg(long, conflicts_with = "id")]
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
