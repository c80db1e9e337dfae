//! What stands beside a memory in its conversation. Nothing is kept for it: the order of the rows is the order in
//! which things were said, so an erased neighbour leaves no trace behind.

use crate::error::Doing;
use crate::tables::{BINDS_MAX, memories};
use memory_model::{MemoryId, ThreadId, UserId};
use ports::{Beside, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading what stands beside memories";

/// What is read of a row, under the name `beside`.
const COLUMNS: &str = "SELECT here.id, beside.id, CASE WHEN beside.evidence_quote IS NULL \
    OR beside.evidence_quote = beside.text THEN beside.text ELSE beside.text || char(10) || beside.evidence_quote END, \
    beside.subject, beside.evidence_thread FROM memories AS here CROSS JOIN memories AS beside ";

type Row = (String, String, String, String, Option<String>);

/// The memories themselves, and at most `each_side` active ones before and after each.
pub(crate) async fn of_memories(
    connection: &mut SqliteConnection,
    owner: &UserId,
    ids: &[MemoryId],
    each_side: u32,
) -> StoreResult<Vec<Beside>> {
    let mut found = Vec::new();
    for part in ids.chunks(BINDS_MAX / 2) {
        let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
        query
            .push("ON beside.row = here.row WHERE here.owner = ")
            .push_bind(owner.as_str());
        query.push(" AND here.id IN ");
        memories::push_list(&mut query, part.iter().map(MemoryId::as_str));
        let rows = query
            .build_query_as()
            .fetch_all(&mut *connection)
            .await
            .doing(READING)?;
        push(&mut found, rows, 0);
        if each_side == 0 || found.iter().all(|row| row.thread.is_none()) {
            continue;
        }
        for (side, order, step) in [("<", "DESC", -1), (">", "ASC", 1)] {
            // Each subquery takes its few rows from the index of the thread, however long the thread is.
            let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
            query.push(
                "ON beside.row IN (SELECT near.row FROM memories AS near \
                 WHERE near.evidence_thread = here.evidence_thread AND near.row ",
            );
            query.push(side);
            query.push(" here.row AND near.owner = here.owner AND near.status = 'active' ORDER BY near.row ");
            query.push(order).push(" LIMIT ").push_bind(each_side);
            query.push(") WHERE here.owner = ").push_bind(owner.as_str());
            query.push(" AND here.evidence_thread IS NOT NULL AND here.id IN ");
            memories::push_list(&mut query, part.iter().map(MemoryId::as_str));
            query.push(" ORDER BY here.row, beside.row ").push(order);
            let rows = query
                .build_query_as()
                .fetch_all(&mut *connection)
                .await
                .doing(READING)?;
            push(&mut found, rows, step);
        }
    }
    Ok(found)
}

/// Adds rows. Those of one memory follow one another, the nearest first, each one `step` farther.
fn push(found: &mut Vec<Beside>, rows: Vec<Row>, step: i32) {
    let mut before: Option<(MemoryId, i32)> = None;
    for (of, id, text, subject, thread) in rows {
        let of = MemoryId::new(of);
        let distance = match before {
            Some((before, distance)) if before == of => distance + step,
            _ => step,
        };
        before = Some((of.clone(), distance));
        found.push(Beside {
            of,
            id: MemoryId::new(id),
            distance,
            text,
            subject,
            thread: thread.map(ThreadId::new),
        });
    }
}
