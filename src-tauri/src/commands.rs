//! The commands of the window: each hands over to the engine. `ipc_contract::COMMANDS` lists them.

use crate::session::Session;
use engine::{
    AuditView, BackupView, ChangeView, ChatModelServer, EngineResult, EraseReceipt, Health, MemoryDetail,
    MemoryHistory, MemoryList, MemoryQuery, MemoryRef, NamespaceView, NewMemoryInput, News, ReviewOutcome,
    RollbackPreview, RolledBack, SearchExplained, SearchProbe, SettingView, SourceView, ThreadMode,
    TurnStarted,
};
use ipc_contract::Startup;
use memory_model::{
    ChangeId, Decision, MemoryId, MemoryPatch, NamespaceSwitch, ReviewDecision, ReviewId, ReviewItem,
    ReviewPage, ReviewQuery, ReviewStatus, Source, Thread, ThreadId, ThreadView, Timestamp, TurnId, Written,
};
use serde_json::Value;
use tauri::State;
use tauri::ipc::Invoke;

type Window<'a> = State<'a, Session>;

/// Every command, for the builder.
pub fn handler() -> impl Fn(Invoke<tauri::Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        startup,
        first_paint,
        health,
        find_chat_models,
        list_threads,
        open_thread,
        create_thread,
        rename_thread,
        archive_thread,
        delete_thread,
        send_message,
        stop_answer,
        retry_turn,
        list_memories,
        open_memory,
        explain_search,
        add_memory,
        edit_memory,
        delete_memory,
        undo_change,
        list_review,
        decide_review,
        undo_review,
        review_page,
        decide_reviews,
        undo_reviews,
        list_audit,
        memory_history,
        list_changes,
        change_memories,
        confirm_memory,
        erase_memory,
        list_sources,
        preview_rollback,
        rollback_source,
        news,
        mark_seen,
        list_namespaces,
        set_namespace,
        set_thread_mode,
        list_backups,
        restore_backup,
        list_settings,
        save_setting,
    ]
}

#[tauri::command]
async fn startup(window: Window<'_>) -> EngineResult<Startup> {
    Ok(window.startup().await)
}

/// The window has shown its first frame. `cargo xtask measure startup` waits for this line.
#[tauri::command]
fn first_paint() {
    tracing::info!("first paint");
}

#[tauri::command]
async fn find_chat_models(window: Window<'_>) -> EngineResult<Vec<ChatModelServer>> {
    Ok(window.engine().await?.find_chat_models().await)
}

#[tauri::command]
async fn health(window: Window<'_>) -> EngineResult<Health> {
    Ok(window.engine().await?.health().await)
}

#[tauri::command]
async fn list_threads(
    window: Window<'_>,
    search: Option<String>,
    archived: bool,
) -> EngineResult<Vec<Thread>> {
    window
        .engine()
        .await?
        .list_threads(search.as_deref(), archived)
        .await
}

#[tauri::command]
async fn open_thread(window: Window<'_>, id: ThreadId) -> EngineResult<ThreadView> {
    window.engine().await?.open_thread(&id).await
}

#[tauri::command]
async fn create_thread(window: Window<'_>, temporary: bool) -> EngineResult<Thread> {
    window.engine().await?.create_thread(temporary).await
}

#[tauri::command]
async fn rename_thread(window: Window<'_>, id: ThreadId, title: String) -> EngineResult<()> {
    window.engine().await?.rename_thread(&id, &title).await
}

#[tauri::command]
async fn archive_thread(window: Window<'_>, id: ThreadId, archived: bool) -> EngineResult<()> {
    window.engine().await?.archive_thread(&id, archived).await
}

#[tauri::command]
async fn delete_thread(window: Window<'_>, id: ThreadId, deleted: bool) -> EngineResult<()> {
    window.engine().await?.delete_thread(&id, deleted).await
}

#[tauri::command]
async fn send_message(window: Window<'_>, thread_id: ThreadId, text: String) -> EngineResult<TurnStarted> {
    window.engine().await?.send_message(thread_id, text).await
}

#[tauri::command]
async fn stop_answer(window: Window<'_>, turn_id: TurnId) -> EngineResult<()> {
    window.engine().await?.stop_answer(&turn_id);
    Ok(())
}

#[tauri::command]
async fn retry_turn(window: Window<'_>, turn_id: TurnId) -> EngineResult<()> {
    window.engine().await?.retry_turn(&turn_id).await
}

#[tauri::command]
async fn list_memories(window: Window<'_>, query: MemoryQuery) -> EngineResult<MemoryList> {
    window.engine().await?.list_memories(&query).await
}

#[tauri::command]
async fn open_memory(window: Window<'_>, id: MemoryId) -> EngineResult<MemoryDetail> {
    window.engine().await?.open_memory(&id).await
}

#[tauri::command]
async fn explain_search(window: Window<'_>, probe: SearchProbe) -> EngineResult<SearchExplained> {
    window.engine().await?.explain_search(&probe).await
}

#[tauri::command]
async fn add_memory(window: Window<'_>, memory: NewMemoryInput) -> EngineResult<Written> {
    window.engine().await?.add_memory(&memory).await
}

#[tauri::command]
async fn edit_memory(
    window: Window<'_>,
    id: MemoryId,
    version: u32,
    patch: MemoryPatch,
) -> EngineResult<Written> {
    window.engine().await?.edit_memory(&id, version, patch).await
}

#[tauri::command]
async fn delete_memory(window: Window<'_>, id: MemoryId, version: u32) -> EngineResult<Written> {
    window.engine().await?.delete_memory(&id, version).await
}

#[tauri::command]
async fn undo_change(window: Window<'_>, change_id: ChangeId) -> EngineResult<Written> {
    window.engine().await?.undo_change(&change_id).await
}

#[tauri::command]
async fn list_review(window: Window<'_>, status: ReviewStatus) -> EngineResult<Vec<ReviewItem>> {
    window.engine().await?.list_review(status).await
}

#[tauri::command]
async fn decide_review(window: Window<'_>, id: ReviewId, decision: Decision) -> EngineResult<Written> {
    window.engine().await?.decide_review(&id, &decision).await
}

#[tauri::command]
async fn undo_review(window: Window<'_>, id: ReviewId) -> EngineResult<()> {
    window.engine().await?.undo_review(&id).await
}

#[tauri::command]
async fn review_page(window: Window<'_>, query: ReviewQuery) -> EngineResult<ReviewPage> {
    window.engine().await?.review_page(&query).await
}

#[tauri::command]
async fn decide_reviews(
    window: Window<'_>,
    decisions: Vec<ReviewDecision>,
) -> EngineResult<Vec<ReviewOutcome>> {
    window.engine().await?.decide_reviews(&decisions).await
}

#[tauri::command]
async fn undo_reviews(window: Window<'_>, ids: Vec<ReviewId>) -> EngineResult<Vec<ReviewOutcome>> {
    window.engine().await?.undo_reviews(&ids).await
}

#[tauri::command]
async fn list_audit(window: Window<'_>, limit: u32) -> EngineResult<Vec<AuditView>> {
    window.engine().await?.list_audit(limit).await
}

#[tauri::command]
async fn memory_history(window: Window<'_>, id: MemoryId) -> EngineResult<MemoryHistory> {
    window.engine().await?.memory_history(&id).await
}

#[tauri::command]
async fn list_changes(window: Window<'_>, offset: u32, limit: u32) -> EngineResult<Vec<ChangeView>> {
    window.engine().await?.list_changes(offset, limit).await
}

#[tauri::command]
async fn change_memories(
    window: Window<'_>,
    memories: Vec<MemoryRef>,
    patch: MemoryPatch,
) -> EngineResult<Written> {
    window.engine().await?.change_memories(&memories, patch).await
}

#[tauri::command]
async fn confirm_memory(window: Window<'_>, id: MemoryId, version: u32) -> EngineResult<Written> {
    window.engine().await?.confirm_memory(&id, version).await
}

#[tauri::command]
async fn erase_memory(
    window: Window<'_>,
    id: MemoryId,
    words: bool,
    done: bool,
) -> EngineResult<EraseReceipt> {
    window.engine().await?.erase_memory(&id, words, done).await
}

#[tauri::command]
async fn list_sources(window: Window<'_>) -> EngineResult<Vec<SourceView>> {
    window.engine().await?.list_sources().await
}

#[tauri::command]
async fn preview_rollback(
    window: Window<'_>,
    source: Source,
    since: Option<Timestamp>,
) -> EngineResult<RollbackPreview> {
    window.engine().await?.preview_rollback(&source, since).await
}

#[tauri::command]
async fn rollback_source(
    window: Window<'_>,
    source: Source,
    since: Option<Timestamp>,
    expected: u32,
) -> EngineResult<RolledBack> {
    window
        .engine()
        .await?
        .rollback_source(&source, since, expected)
        .await
}

#[tauri::command]
async fn news(window: Window<'_>, limit: u32) -> EngineResult<News> {
    window.engine().await?.news(limit).await
}

#[tauri::command]
async fn mark_seen(window: Window<'_>, at: Timestamp) -> EngineResult<()> {
    window.engine().await?.mark_seen(at).await
}

#[tauri::command]
async fn list_namespaces(window: Window<'_>) -> EngineResult<Vec<NamespaceView>> {
    window.engine().await?.list_namespaces().await
}

#[tauri::command]
async fn set_namespace(window: Window<'_>, switch: NamespaceSwitch) -> EngineResult<()> {
    window.engine().await?.set_namespace(&switch).await
}

#[tauri::command]
async fn set_thread_mode(window: Window<'_>, id: ThreadId, mode: ThreadMode) -> EngineResult<()> {
    window.engine().await?.set_thread_mode(&id, mode).await
}

#[tauri::command]
async fn list_backups() -> EngineResult<Vec<BackupView>> {
    engine::list_backups(&crate::session::data_folder()?).await
}

#[tauri::command]
async fn restore_backup(window: Window<'_>) -> EngineResult<BackupView> {
    window.restore_backup().await
}

#[tauri::command]
async fn list_settings(window: Window<'_>) -> EngineResult<Vec<SettingView>> {
    Ok(window.engine().await?.list_settings())
}

#[tauri::command]
async fn save_setting(window: Window<'_>, name: String, value: Value) -> EngineResult<()> {
    window.engine().await?.save_setting(&name, &value).await
}

#[cfg(test)]
mod tests {
    /// The names that `build.rs` denies by default and the capability file grants.
    const GRANTED: &[&str] = include!("../commands.in");

    #[test]
    fn the_contract_the_build_and_the_capability_name_the_same_commands() {
        let contract: Vec<&str> = ipc_contract::COMMANDS
            .iter()
            .map(|command| command.name)
            .collect();
        assert_eq!(contract, GRANTED);
        let capability: serde_json::Value =
            serde_json::from_str(include_str!("../capabilities/main.json")).unwrap();
        let granted: Vec<String> = capability["permissions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|permission| Some(permission.as_str()?.strip_prefix("allow-")?.replace('-', "_")))
            .collect();
        assert_eq!(granted, contract);
    }
}
