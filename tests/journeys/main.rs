//! What people do, on the real engine, the real database and the real model: one file for each.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests that start programs and read files"
)]

mod people;

mod a_killed_turn_goes_on;
#[cfg(target_os = "linux")]
mod a_model_answers;
mod a_preference_is_remembered;
mod changes_can_be_taken_back;
mod erased_means_everywhere;
mod many_are_decided_at_once;
mod modes_are_kept;
mod review_has_one_winner;
mod sources_can_be_taken_back;
mod the_command_line_talks;
mod two_programs_share_the_data;
mod what_cannot_be_done_is_said;
