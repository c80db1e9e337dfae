//! Journeys through the whole app, and the program that measures it.

#![expect(
    clippy::disallowed_methods,
    reason = "support code starts programs and reads case files"
)]

pub mod measure;
pub mod programs;

/// Writes a database that a later version of the app would have made.
///
/// # Errors
/// When the folder cannot be written.
pub fn newer_database(file: &std::path::Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        backend_sqlite::SqliteStore::open(file).await?.close().await;
        anyhow::Ok(())
    })?;
    let mut bytes = std::fs::read(file)?;
    // `PRAGMA user_version` is the big-endian number at byte 60 of a database (SQLite file format, section 1.3).
    bytes[60..64].copy_from_slice(&2_000_000_000_u32.to_be_bytes());
    std::fs::write(file, bytes)?;
    Ok(())
}
