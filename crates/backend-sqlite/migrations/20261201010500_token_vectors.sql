-- The word pieces of memories, a byte a number; see ports::TokenMatrix. `used` counts up, so the smallest was
-- recalled longest ago.
CREATE TABLE token_vectors (
    space        INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    memory       INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
    content_hash TEXT    NOT NULL,
    used         INTEGER NOT NULL,
    vectors      BLOB    NOT NULL,
    PRIMARY KEY (space, memory)
) STRICT;
CREATE INDEX token_vectors_by_memory ON token_vectors (memory);
CREATE INDEX token_vectors_by_use ON token_vectors (used, memory);
