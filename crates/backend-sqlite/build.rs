//! A new migration file must lead to a new build: `sqlx::migrate!` reads the folder at compile time.

#![expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
