//! Journeys through the whole app.
