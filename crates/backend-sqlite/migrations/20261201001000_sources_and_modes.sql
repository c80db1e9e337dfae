-- Who wrote a memory, what a thread may capture and recall, when the owner last looked, and which messages another
-- program has taken care of.

ALTER TABLE memories ADD COLUMN source_id TEXT;
CREATE INDEX memories_by_source ON memories (owner, source, source_id);

-- NULL follows the settings.
ALTER TABLE threads ADD COLUMN capture TEXT;
ALTER TABLE threads ADD COLUMN recall INTEGER;

-- Who said what waits, as JSON; NULL is the user.
ALTER TABLE review_items ADD COLUMN source TEXT;

CREATE TABLE last_seen (
    owner TEXT    PRIMARY KEY,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Messages from which another program has written a memory itself: extraction leaves them alone.
CREATE TABLE written_ranges (
    thread_id TEXT    NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    PRIMARY KEY (thread_id, first_seq, last_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX changes_of_owner ON changes (owner, at DESC, id DESC);
CREATE INDEX changes_by_undone ON changes (undoes) WHERE undoes IS NOT NULL;
