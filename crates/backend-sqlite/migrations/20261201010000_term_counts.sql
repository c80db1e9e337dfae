-- How many memories hold a word: only the rarest words of a long question are searched for.
CREATE VIRTUAL TABLE memories_terms USING fts5vocab(memories_fts, row);
