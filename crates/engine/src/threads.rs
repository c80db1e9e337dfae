//! Threads: list, open, rename, put away, delete.

use crate::open::not_found;
use crate::{Engine, EngineError, EngineResult, Tag};
use memory_model::{Thread, ThreadId, ThreadView, nfc};
use ports::Conversations;

/// Threads in a list. People search beyond that.
const THREADS_MAX: u32 = 500;

/// Messages of an opened thread. Older ones are in the search.
const MESSAGES_MAX: u32 = 1_000;

/// Characters of a title.
const TITLE_CHARS_MAX: usize = 200;

impl Engine {
    /// Threads, last used first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_threads(&self, search: Option<&str>, archived: bool) -> EngineResult<Vec<Thread>> {
        let search = search.map(nfc).filter(|text| !text.trim().is_empty());
        Ok(self
            .inner
            .store
            .threads(&self.user(), archived, search.as_deref(), THREADS_MAX)
            .await?)
    }

    /// A thread with its messages and turns.
    ///
    /// # Errors
    /// `NotFound` for an unknown thread.
    pub async fn open_thread(&self, id: &ThreadId) -> EngineResult<ThreadView> {
        let owner = self.user();
        let store = &self.inner.store;
        let thread = store
            .thread(&owner, id)
            .await?
            .ok_or_else(|| not_found("thread"))?;
        let messages = store.messages(&owner, id, MESSAGES_MAX).await?;
        let turns = store.turns(&owner, id).await?;
        Ok(ThreadView {
            thread,
            messages,
            turns,
        })
    }

    /// Makes an empty thread.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn create_thread(&self, temporary: bool) -> EngineResult<Thread> {
        let now = self.inner.clock.now();
        let thread = Thread {
            id: ThreadId::generate(),
            title: String::new(),
            snippet: String::new(),
            created_at: now,
            updated_at: now,
            archived: false,
            temporary,
            capture: None,
            recall: None,
            waiting: 0,
        };
        self.inner.store.create_thread(&self.user(), &thread).await?;
        self.changed(&[Tag::Threads]);
        Ok(thread)
    }

    /// Gives a thread another title.
    ///
    /// # Errors
    /// `InvalidInput` for an empty or overlong title.
    pub async fn rename_thread(&self, id: &ThreadId, title: &str) -> EngineResult<()> {
        let title = nfc(title.trim());
        if title.is_empty() || title.chars().count() > TITLE_CHARS_MAX {
            return Err(EngineError::invalid(
                "title",
                format!("title: 1 to {TITLE_CHARS_MAX} characters."),
            ));
        }
        self.inner.store.rename_thread(&self.user(), id, &title).await?;
        self.changed(&[Tag::Threads]);
        Ok(())
    }

    /// Puts a thread away or takes it out again.
    ///
    /// # Errors
    /// `NotFound` for an unknown thread.
    pub async fn archive_thread(&self, id: &ThreadId, archived: bool) -> EngineResult<()> {
        self.inner
            .store
            .archive_thread(&self.user(), id, archived)
            .await?;
        self.changed(&[Tag::Threads]);
        Ok(())
    }

    /// Deletes a thread, or brings it back while its undo window is open.
    ///
    /// # Errors
    /// `NotFound` for a thread that is unknown or already erased.
    pub async fn delete_thread(&self, id: &ThreadId, deleted: bool) -> EngineResult<()> {
        self.inner
            .store
            .delete_thread(&self.user(), id, deleted, self.inner.clock.now())
            .await?;
        self.changed(&[Tag::Threads]);
        Ok(())
    }
}
