-- What a search by words asks of each memory that holds them, side by side: a row of `memories` is ten times
-- as long, and thousands of them are looked at in one search.
CREATE INDEX memories_for_search ON memories (row, owner, status, category, pinned, evidence_thread, id);
