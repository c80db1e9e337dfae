//! Table `memories_fts`: the keyword index. Its rows carry the numbers of the rows of `memories`.

use crate::error::Doing;
use crate::tables::memories;
use memory_model::{Memory, MemoryFilter, MemoryId};
use ports::{KeywordHit, StoreResult, TermCounts, TermRange};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use std::collections::HashSet;

const SEARCHING: &str = "searching by words";
const COUNTING: &str = "counting words";
const WRITING: &str = "writing the keyword index";

/// Terms of one query at most; more of them add time and no meaning.
const QUERY_TERMS_MAX: usize = 64;

/// Puts the tokens of a memory into the index, in place of those it had.
pub(crate) async fn put(connection: &mut SqliteConnection, row: i64, memory: &Memory) -> StoreResult<()> {
    sqlx::query("INSERT OR REPLACE INTO memories_fts (rowid, terms) VALUES (?, ?)")
        .bind(row)
        .bind(terms_of(memory))
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// Takes a memory out of the index.
pub(crate) async fn remove(connection: &mut SqliteConnection, row: i64) -> StoreResult<()> {
    sqlx::query("DELETE FROM memories_fts WHERE rowid = ?")
        .bind(row)
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// Rewrites the index without what was taken out. Until then the tokens of removed rows stay in its pages.
pub(crate) async fn forget_removed(connection: &mut SqliteConnection) -> StoreResult<()> {
    sqlx::query("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// Memories that hold at least one of the terms, best first.
pub(crate) async fn search(
    connection: &mut SqliteConnection,
    filter: &MemoryFilter,
    terms: &[String],
    limit: u32,
) -> StoreResult<Vec<KeywordHit>> {
    let Some(expression) = expression(terms) else {
        return Ok(Vec::new());
    };
    // CROSS JOIN fixes the order of the work: first the words, then the memories that hold them. Left to itself
    // SQLite goes through the owner's memories and asks the index anew for each: seconds instead of milliseconds.
    let mut query = QueryBuilder::<Sqlite>::new(
        "SELECT memories.id, bm25(memories_fts) AS score FROM memories_fts \
         CROSS JOIN memories INDEXED BY memories_for_search ON memories.row = memories_fts.rowid \
         WHERE memories_fts MATCH ",
    );
    query.push_bind(expression).push(" AND ");
    memories::push_filter(&mut query, filter, "memories");
    query
        .push(" ORDER BY score, memories.row DESC LIMIT ")
        .push_bind(limit);
    let rows: Vec<(String, f64)> = query
        .build_query_as()
        .fetch_all(connection)
        .await
        .doing(SEARCHING)?;
    // FTS5 gives the better row the smaller number.
    Ok(rows
        .into_iter()
        .map(|(id, score)| KeywordHit {
            id: MemoryId::new(id),
            bm25: -score as f32,
        })
        .collect())
}

/// How many texts hold each term. A term that nobody holds counts 0.
pub(crate) async fn counts(connection: &mut SqliteConnection, terms: &[String]) -> StoreResult<TermCounts> {
    // The highest number of a row stands in for the count, which would have to read them all.
    let texts: i64 = sqlx::query_scalar("SELECT coalesce(max(row), 0) FROM memories")
        .fetch_one(&mut *connection)
        .await
        .doing(COUNTING)?;
    let mut holding = Vec::with_capacity(terms.len());
    for term in terms {
        let doc: Option<i64> = sqlx::query_scalar("SELECT doc FROM memories_terms WHERE term = ?")
            .bind(term)
            .fetch_optional(&mut *connection)
            .await
            .doing(COUNTING)?;
        holding.push(count(doc.unwrap_or_default()));
    }
    Ok(TermCounts {
        texts: count(texts),
        holding,
    })
}

/// Terms in a range, those that most texts hold first.
pub(crate) async fn terms_between(
    connection: &mut SqliteConnection,
    range: &TermRange,
    limit: u32,
) -> StoreResult<Vec<String>> {
    sqlx::query_scalar(
        "SELECT term FROM memories_terms WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?",
    )
    .bind(&range.from)
    .bind(&range.to)
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing("completing a word")
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The tokens of the text and those of the quote that the text does not hold already: words that stand in
/// both would count twice otherwise.
fn terms_of(memory: &Memory) -> String {
    let mut terms = recall::terms::index_terms(&memory.text);
    if let Some(evidence) = &memory.evidence {
        let of_text: HashSet<String> = terms.iter().cloned().collect();
        let of_quote = recall::terms::index_terms(&evidence.quote);
        terms.extend(of_quote.into_iter().filter(|term| !of_text.contains(term)));
    }
    terms.join(" ")
}

/// `"term" OR "term"`: each term is a string, so nothing in it can be query syntax. `None` without terms.
fn expression(terms: &[String]) -> Option<String> {
    let strings: Vec<String> = terms
        .iter()
        .filter(|term| term.chars().any(char::is_alphanumeric) && !term.contains('\0'))
        .take(QUERY_TERMS_MAX)
        .map(|term| format!("\"{}\"", term.replace('"', "\"\"")))
        .collect();
    if strings.is_empty() {
        None
    } else {
        Some(strings.join(" OR "))
    }
}
