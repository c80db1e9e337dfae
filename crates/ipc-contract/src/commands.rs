//! The commands, one row each: `src-tauri` implements them and grants exactly these to the window.

use engine::{EngineError, Tag};
use serde::{Deserialize, Serialize};

/// A command of the window.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// TypeScript type of its arguments.
    pub arguments: &'static str,
    /// TypeScript type of its answer.
    pub answer: &'static str,
    /// Kinds of data that a read gives.
    pub provides: &'static [Tag],
    /// Kinds of data that a write makes stale.
    pub invalidates: &'static [Tag],
}

const fn read(
    name: &'static str,
    arguments: &'static str,
    answer: &'static str,
    provides: &'static [Tag],
) -> Command {
    Command {
        name,
        arguments,
        answer,
        provides,
        invalidates: &[],
    }
}

const fn write(
    name: &'static str,
    arguments: &'static str,
    answer: &'static str,
    invalidates: &'static [Tag],
) -> Command {
    Command {
        name,
        arguments,
        answer,
        provides: &[],
        invalidates,
    }
}

/// Every command. Arguments are one object, so that a name never depends on an order.
pub const COMMANDS: &[Command] = &[
    read("startup", "{}", "Startup", &[Tag::Health, Tag::Settings]),
    write("first_paint", "{}", "null", &[]),
    read("health", "{}", "Health", &[Tag::Health]),
    read("find_chat_models", "{}", "ChatModelServer[]", &[]),
    read(
        "list_threads",
        "{ search: string | null, archived: boolean }",
        "Array<Thread>",
        &[Tag::Threads],
    ),
    read("open_thread", "{ id: ThreadId }", "ThreadView", &[Tag::Messages]),
    write(
        "create_thread",
        "{ temporary: boolean }",
        "Thread",
        &[Tag::Threads],
    ),
    write(
        "rename_thread",
        "{ id: ThreadId, title: string }",
        "null",
        &[Tag::Threads],
    ),
    write(
        "archive_thread",
        "{ id: ThreadId, archived: boolean }",
        "null",
        &[Tag::Threads],
    ),
    write(
        "delete_thread",
        "{ id: ThreadId, deleted: boolean }",
        "null",
        &[Tag::Threads],
    ),
    write(
        "send_message",
        "{ threadId: ThreadId, text: string }",
        "TurnStarted",
        &[Tag::Threads],
    ),
    write("stop_answer", "{ turnId: TurnId }", "null", &[]),
    write("retry_turn", "{ turnId: TurnId }", "null", &[Tag::Messages]),
    read(
        "list_memories",
        "{ query: MemoryQuery }",
        "MemoryList",
        &[Tag::Memories],
    ),
    read(
        "open_memory",
        "{ id: MemoryId }",
        "MemoryDetail",
        &[Tag::Memories],
    ),
    read(
        "explain_search",
        "{ probe: SearchProbe }",
        "SearchExplained",
        &[Tag::Memories, Tag::Settings],
    ),
    write(
        "add_memory",
        "{ memory: NewMemoryInput }",
        "Written",
        &[Tag::Memories],
    ),
    write(
        "edit_memory",
        "{ id: MemoryId, version: number, patch: MemoryPatch }",
        "Written",
        &[Tag::Memories],
    ),
    write(
        "delete_memory",
        "{ id: MemoryId, version: number }",
        "Written",
        &[Tag::Memories],
    ),
    write(
        "undo_change",
        "{ changeId: ChangeId }",
        "Written",
        &[Tag::Memories],
    ),
    read(
        "list_review",
        "{ status: ReviewStatus }",
        "Array<ReviewItem>",
        &[Tag::Review],
    ),
    write(
        "decide_review",
        "{ id: ReviewId, decision: Decision }",
        "Written",
        &[Tag::Review, Tag::Memories],
    ),
    write(
        "undo_review",
        "{ id: ReviewId }",
        "null",
        &[Tag::Review, Tag::Memories],
    ),
    read("list_settings", "{}", "Array<SettingView>", &[Tag::Settings]),
    write(
        "save_setting",
        "{ name: string, value: JsonValue }",
        "null",
        &[Tag::Settings],
    ),
];

/// The name of the one event that the window listens to; its payload is an [`engine::Event`].
pub const EVENT: &str = "engine";

/// What the window needs for its first frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
pub struct Startup {
    /// Why the data could not be opened; everything else is a default then.
    pub error: Option<EngineError>,
    /// Whose memory this window shows.
    pub user_id: memory_model::UserId,
    /// The settings.
    pub settings: Vec<engine::SettingView>,
    /// The state of the engine; `None` when the data could not be opened.
    pub health: Option<engine::Health>,
}
