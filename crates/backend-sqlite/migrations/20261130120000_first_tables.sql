-- The first tables. Later migrations only add; this file stays as it is.
-- Times are milliseconds since the Unix epoch, UTC. JSON is kept as text.

CREATE TABLE memories (
    row               INTEGER PRIMARY KEY,
    id                TEXT    NOT NULL UNIQUE,
    owner             TEXT    NOT NULL,
    namespace         TEXT    NOT NULL,
    key               TEXT    NOT NULL,
    memory_type       TEXT    NOT NULL,
    category          TEXT    NOT NULL,
    text              TEXT    NOT NULL,
    value             TEXT    NOT NULL,
    polarity          TEXT    NOT NULL,
    subject           TEXT    NOT NULL,
    slot_name         TEXT,
    slot_value        TEXT,
    topic             TEXT    NOT NULL,
    tags              TEXT    NOT NULL,
    language          TEXT    NOT NULL,
    evidence_thread   TEXT,
    evidence_message  TEXT,
    evidence_start    INTEGER,
    evidence_end      INTEGER,
    evidence_quote    TEXT,
    evidence_said_at  INTEGER,
    source            TEXT    NOT NULL,
    trust             TEXT    NOT NULL,
    confidence        REAL    NOT NULL,
    valid_from        INTEGER NOT NULL,
    valid_to          INTEGER,
    status            TEXT    NOT NULL,
    pinned            INTEGER NOT NULL,
    content_hash      TEXT    NOT NULL,
    version           INTEGER NOT NULL,
    supersedes        TEXT,
    superseded_by     TEXT,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    last_confirmed_at INTEGER NOT NULL,
    confirmations     INTEGER NOT NULL,
    recall_count      INTEGER NOT NULL,
    last_recalled_at  INTEGER
) STRICT;

-- One active memory for each key of an owner: the last word when two programs write at once.
CREATE UNIQUE INDEX memories_active_key ON memories (owner, key) WHERE status = 'active';
CREATE INDEX memories_active_slot ON memories (owner, slot_name) WHERE status = 'active' AND slot_name IS NOT NULL;
CREATE INDEX memories_by_update ON memories (owner, status, updated_at DESC, id DESC);
CREATE INDEX memories_by_creation ON memories (owner, status, created_at DESC, id DESC);
CREATE INDEX memories_by_category ON memories (owner, status, category);
CREATE INDEX memories_by_thread ON memories (evidence_thread) WHERE evidence_thread IS NOT NULL;

-- Every state that a memory was in, as JSON.
CREATE TABLE memory_versions (
    memory     INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    snapshot   TEXT    NOT NULL,
    changed_at INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    change_id  TEXT    NOT NULL,
    PRIMARY KEY (memory, version)
) STRICT;
CREATE INDEX memory_versions_by_change ON memory_versions (change_id);

-- One action, one Undo. `touched` counts its memories, so that an erased one is missed.
CREATE TABLE changes (
    id      TEXT    PRIMARY KEY,
    owner   TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    undoes  TEXT
) STRICT, WITHOUT ROWID;

-- Batches of turns that were applied. Results hold ids and versions, never words.
CREATE TABLE applied_batches (
    turn_id   TEXT NOT NULL,
    reason    TEXT NOT NULL,
    change_id TEXT,
    results   TEXT NOT NULL,
    PRIMARY KEY (turn_id, reason)
) STRICT, WITHOUT ROWID;

-- The keyword index: tokens of text and quote, without a second copy of the words.
CREATE VIRTUAL TABLE memories_fts USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 tokenchars '+#.-_'"
);

CREATE TABLE spaces (
    id        INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;

-- One row for each chunk of a memory: little-endian 32-bit floats.
CREATE TABLE vectors (
    space        INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    memory       INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    chunk        INTEGER NOT NULL,
    content_hash TEXT    NOT NULL,
    vector       BLOB    NOT NULL,
    PRIMARY KEY (space, memory, chunk)
) STRICT;
CREATE INDEX vectors_by_memory ON vectors (memory);

-- What the vector indexes in memory, of this and of other programs, must look at again.
CREATE TABLE vector_log (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL
) STRICT;

CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    INSERT INTO vector_log (memory) VALUES (new.memory);
END;
CREATE TRIGGER vectors_changed AFTER UPDATE ON vectors BEGIN
    INSERT INTO vector_log (memory) VALUES (new.memory);
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO vector_log (memory) VALUES (old.memory);
END;
CREATE TRIGGER memories_filtered_differently AFTER UPDATE ON memories
WHEN old.owner <> new.owner OR old.status <> new.status OR old.category <> new.category OR old.pinned <> new.pinned
    OR old.evidence_thread IS NOT new.evidence_thread
BEGIN
    INSERT INTO vector_log (memory) VALUES (new.row);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
    INSERT INTO vector_log (memory) VALUES (old.row);
END;

CREATE TABLE threads (
    id                TEXT    PRIMARY KEY,
    owner             TEXT    NOT NULL,
    title             TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    archived          INTEGER NOT NULL DEFAULT 0,
    temporary         INTEGER NOT NULL DEFAULT 0,
    deleted_at        INTEGER,
    extraction_cursor INTEGER NOT NULL DEFAULT 0,
    summary           TEXT,
    summary_up_to     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX threads_by_use ON threads (owner, archived, updated_at DESC);

CREATE TABLE messages (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    thread_id   TEXT    NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    role        TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    answered_by TEXT,
    turn_id     TEXT
) STRICT;
CREATE INDEX messages_of_thread ON messages (thread_id, seq);

-- The checkpointer. `next` is NULL when the turn has ended.
CREATE TABLE turns (
    id           TEXT    PRIMARY KEY,
    owner        TEXT    NOT NULL,
    thread_id    TEXT    NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    user_message TEXT,
    started_at   INTEGER NOT NULL,
    state        TEXT    NOT NULL,
    next         TEXT,
    output       TEXT
) STRICT;
CREATE INDEX turns_of_thread ON turns (thread_id, started_at, id);
CREATE INDEX turns_unfinished ON turns (owner, started_at, id) WHERE next IS NOT NULL;

CREATE TABLE review_items (
    id          TEXT    PRIMARY KEY,
    owner       TEXT    NOT NULL,
    waiting     TEXT    NOT NULL,
    existing_id TEXT,
    turn_id     TEXT,
    thread_id   TEXT,
    message_id  TEXT,
    created_at  INTEGER NOT NULL,
    status      TEXT    NOT NULL,
    decision    TEXT,
    decided_at  INTEGER,
    change_id   TEXT
) STRICT;
CREATE INDEX review_items_by_status ON review_items (owner, status, created_at, id);
CREATE INDEX review_items_of_thread ON review_items (thread_id, status);
CREATE INDEX review_items_by_change ON review_items (change_id) WHERE change_id IS NOT NULL;

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was done: ids and counts, never words.
CREATE TABLE audit_log (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    owner   TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    target  TEXT    NOT NULL,
    details TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_log_of_owner ON audit_log (owner, seq);
