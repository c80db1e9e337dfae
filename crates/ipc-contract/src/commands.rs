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
    read(
        "review_page",
        "{ query: ReviewQuery }",
        "ReviewPage",
        &[Tag::Review],
    ),
    write(
        "decide_reviews",
        "{ decisions: Array<ReviewDecision> }",
        "Array<ReviewOutcome>",
        &[Tag::Review, Tag::Memories],
    ),
    write(
        "undo_reviews",
        "{ ids: Array<ReviewId> }",
        "Array<ReviewOutcome>",
        &[Tag::Review, Tag::Memories],
    ),
    read(
        "list_audit",
        "{ limit: number }",
        "Array<AuditView>",
        &[Tag::Review],
    ),
    read(
        "memory_history",
        "{ id: MemoryId }",
        "MemoryHistory",
        &[Tag::Memories],
    ),
    read(
        "list_changes",
        "{ offset: number, limit: number }",
        "Array<ChangeView>",
        &[Tag::Memories],
    ),
    write(
        "change_memories",
        "{ memories: Array<MemoryRef>, patch: MemoryPatch }",
        "Written",
        &[Tag::Memories],
    ),
    write(
        "confirm_memory",
        "{ id: MemoryId, version: number }",
        "Written",
        &[Tag::Memories],
    ),
    // Without `done` it is a preview: nothing is erased, and the receipt says what would be.
    write(
        "erase_memory",
        "{ id: MemoryId, words: boolean, done: boolean }",
        "EraseReceipt",
        &[Tag::Memories, Tag::Messages, Tag::Review],
    ),
    read("list_sources", "{}", "Array<SourceView>", &[Tag::Memories]),
    read(
        "preview_rollback",
        "{ source: Source, since: Timestamp | null }",
        "RollbackPreview",
        &[Tag::Memories],
    ),
    write(
        "rollback_source",
        "{ source: Source, since: Timestamp | null, expected: number }",
        "RolledBack",
        &[Tag::Memories, Tag::Review],
    ),
    read("news", "{ limit: number }", "News", &[Tag::Memories]),
    write("mark_seen", "{ at: Timestamp }", "null", &[Tag::Memories]),
    read("list_namespaces", "{}", "Array<NamespaceView>", &[Tag::Settings]),
    write(
        "set_namespace",
        "{ switch: NamespaceSwitch }",
        "null",
        &[Tag::Settings],
    ),
    write(
        "set_thread_mode",
        "{ id: ThreadId, mode: ThreadMode }",
        "null",
        &[Tag::Threads],
    ),
    // These two also work while the data cannot be opened.
    read("list_backups", "{}", "Array<BackupView>", &[Tag::Health]),
    write(
        "restore_backup",
        "{}",
        "BackupView",
        &[
            Tag::Threads,
            Tag::Messages,
            Tag::Memories,
            Tag::Review,
            Tag::Settings,
            Tag::Health,
        ],
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
