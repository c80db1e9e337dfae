//! Batches.

use super::state::{Change, State, Touched};
use memory_model::{
    ChangeId, Evidence, Memory, MemoryId, MemoryPatch, Namespace, NewMemory, Status, WriteBatch, WriteOp,
    WriteResult, WriteStatus, Written, content_hash,
};

/// Applies a batch; a turn's batch that was applied before only returns its first outcome.
pub(super) fn apply(state: &mut State, batch: WriteBatch) -> Written {
    if let Some(mark) = &batch.turn
        && let Some((.., written)) = state.applied.iter().find(|(owner, applied, reason, _)| {
            owner == &batch.owner && applied == mark && reason == &batch.reason
        })
    {
        return written.clone();
    }
    let mut run = Run {
        state,
        batch: &batch,
        change_id: ChangeId::generate(),
        touched: Vec::new(),
    };
    let results: Vec<WriteResult> = batch.ops.iter().cloned().map(|op| run.write(op)).collect();
    let Run {
        change_id, touched, ..
    } = run;
    let change_id = (!touched.is_empty()).then_some(change_id);
    if let Some(id) = &change_id {
        state.changes.insert(
            id.clone(),
            Change {
                owner: batch.owner.clone(),
                touched,
            },
        );
    }
    let written = Written { change_id, results };
    if let Some(mark) = batch.turn {
        state.move_cursor(&batch.owner, &mark.thread_id, mark.cursor);
        state
            .applied
            .push((batch.owner, mark, batch.reason, written.clone()));
    }
    written
}

/// One batch while it is written.
struct Run<'a> {
    state: &'a mut State,
    batch: &'a WriteBatch,
    change_id: ChangeId,
    touched: Vec<Touched>,
}

impl Run<'_> {
    fn write(&mut self, op: WriteOp) -> WriteResult {
        match op {
            WriteOp::Create { memory } => self.create(memory),
            WriteOp::Update {
                id,
                expected_version,
                patch,
            } => self.update(&id, expected_version, patch),
            WriteOp::Supersede {
                old,
                expected_version,
                memory,
            } => self.supersede(&old, expected_version, memory),
            WriteOp::Confirm { id, evidence } => self.confirm(&id, evidence),
        }
    }

    fn create(&mut self, new: NewMemory) -> WriteResult {
        if new.owner != self.batch.owner {
            return foreign(&new);
        }
        if let Some(holder) = self.state.holder(&new.owner, &new.key, None) {
            return outcome(WriteStatus::AlreadyExists, holder.clone());
        }
        let memory = new.into_memory(MemoryId::generate(), self.batch.at);
        self.keep(None, memory.clone());
        outcome(WriteStatus::Created, memory)
    }

    fn update(&mut self, id: &MemoryId, expected_version: u32, patch: MemoryPatch) -> WriteResult {
        let Some(before) = self.state.memory(&self.batch.owner, id).cloned() else {
            return self.not_found();
        };
        if before.version != expected_version {
            return outcome(WriteStatus::VersionConflict, before);
        }
        let after = Memory {
            updated_at: self.batch.at,
            version: before.version + 1,
            ..patched(&before, patch)
        };
        if after.status == Status::Active
            && let Some(holder) = self.state.holder(&after.owner, &after.key, Some(id))
        {
            return outcome(WriteStatus::AlreadyExists, holder.clone());
        }
        self.keep(Some(before), after.clone());
        outcome(WriteStatus::Updated, after)
    }

    fn supersede(&mut self, old: &MemoryId, expected_version: u32, new: NewMemory) -> WriteResult {
        if new.owner != self.batch.owner {
            return foreign(&new);
        }
        let Some(before) = self.state.memory(&self.batch.owner, old).cloned() else {
            return self.not_found();
        };
        if before.version != expected_version || before.status != Status::Active {
            return outcome(WriteStatus::VersionConflict, before);
        }
        if let Some(holder) = self.state.holder(&new.owner, &new.key, Some(old)) {
            return outcome(WriteStatus::AlreadyExists, holder.clone());
        }
        let begun = new.into_memory(MemoryId::generate(), self.batch.at);
        let begun = Memory {
            supersedes: Some(old.clone()),
            trust: begun.trust_after(&before),
            ..begun
        };
        let ended = Memory {
            status: Status::Superseded,
            superseded_by: Some(begun.id.clone()),
            // A memory that began after its replacement held for no time at all.
            valid_to: Some(begun.valid_from.max(before.valid_from)),
            updated_at: self.batch.at,
            version: before.version + 1,
            ..before.clone()
        };
        self.keep(Some(before.clone()), ended);
        self.keep(None, begun.clone());
        WriteResult {
            replaced: Some(before),
            ..outcome(WriteStatus::Superseded, begun)
        }
    }

    fn confirm(&mut self, id: &MemoryId, evidence: Option<Evidence>) -> WriteResult {
        let Some(before) = self.state.memory(&self.batch.owner, id).cloned() else {
            return self.not_found();
        };
        let after = Memory {
            confirmations: before.confirmations + 1,
            last_confirmed_at: self.batch.at,
            evidence: before.evidence.clone().or(evidence),
            version: before.version + 1,
            ..before.clone()
        };
        self.keep(Some(before), after.clone());
        outcome(WriteStatus::Confirmed, after)
    }

    fn keep(&mut self, before: Option<Memory>, after: Memory) {
        match self.touched.iter_mut().find(|touched| touched.id == after.id) {
            Some(touched) => touched.version_after = after.version,
            None => self.touched.push(Touched {
                id: after.id.clone(),
                before,
                version_after: after.version,
            }),
        }
        self.state
            .keep(after, self.batch.at, self.batch.reason, &self.change_id);
    }

    fn not_found(&self) -> WriteResult {
        WriteResult {
            namespace: Namespace(vec![self.batch.owner.as_str().to_owned()]),
            key: String::new(),
            status: WriteStatus::NotFound,
            memory: None,
            replaced: None,
            error: Some("there is no such memory".to_owned()),
        }
    }
}

/// The memory as a patch makes it; version and time are left to the caller.
fn patched(before: &Memory, patch: MemoryPatch) -> Memory {
    let mut after = before.clone();
    if let Some(text) = patch.text {
        after.language = memory_model::Language::of(&text);
        after.text = text;
    }
    after.value = patch.value.unwrap_or(after.value);
    after.key = patch.key.unwrap_or(after.key);
    if let Some(meaning) = patch.meaning {
        after.polarity = meaning.polarity;
        after.slot = meaning.slot;
    }
    after.pinned = patch.pinned.unwrap_or(after.pinned);
    after.status = patch.status.unwrap_or(after.status);
    after.topic = patch.topic.unwrap_or(after.topic);
    after.trust = patch.trust.unwrap_or(after.trust);
    if let Some(mut tags) = patch.tags {
        tags.sort();
        after.tags = tags;
    }
    after.content_hash = content_hash(&after.text, after.category.name(), &after.topic, &after.tags);
    after
}

fn outcome(status: WriteStatus, memory: Memory) -> WriteResult {
    let error = match status {
        WriteStatus::AlreadyExists => Some("an active memory has this key".to_owned()),
        WriteStatus::VersionConflict => Some("the memory was changed in between".to_owned()),
        _ => None,
    };
    WriteResult {
        namespace: memory.namespace.clone(),
        key: memory.key.clone(),
        status,
        memory: Some(memory),
        replaced: None,
        error,
    }
}

fn foreign(new: &NewMemory) -> WriteResult {
    WriteResult {
        namespace: new.namespace.clone(),
        key: new.key.clone(),
        status: WriteStatus::Failed,
        memory: None,
        replaced: None,
        error: Some("the memory belongs to another owner than the batch".to_owned()),
    }
}
