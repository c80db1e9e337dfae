//! The real window, driven through tauri-driver and WebKitWebDriver, as `cargo xtask test` starts it: on a screen in
//! memory, with a message bus and a home folder of its own.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that drives programs and says what it could not picture"
)]

mod app;

mod a_preference_survives_a_kill;
mod accessibility;
mod memories_at_another_time;
mod review_by_keyboard;
mod review_decides;
mod the_playground_explains;
mod what_goes_wrong_is_said;
