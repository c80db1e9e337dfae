//! A new migration file must lead to a new build: `sqlx::migrate!` reads the folder at compile time.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
