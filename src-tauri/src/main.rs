//! The desktop shell: one window, one line for each command. Everything the app knows is in `engine`.

#![cfg_attr(
    all(not(debug_assertions), target_os = "windows"),
    windows_subsystem = "windows"
)]

mod commands;
mod session;

use session::Session;
use tauri::Manager;

fn main() {
    logs();
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _arguments, _folder| {
            show(app)
        }))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .setup(|app| {
            let session = Session::new(app.handle().clone());
            session.open_in_background();
            app.manage(session);
            Ok(())
        })
        .invoke_handler(commands::handler())
        .build(tauri::generate_context!());
    match app {
        Ok(app) => app.run(|app, event| {
            if let tauri::RunEvent::Exit = event {
                app.state::<Session>().close();
            }
        }),
        Err(error) => {
            tracing::error!(%error, "the window could not be made");
            start_again();
            std::process::exit(1);
        }
    }
}

/// An instance that has just ended owns its name on the message bus for a moment longer; what cannot be forwarded to
/// it is started afresh in the place of this process, a few times.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the attempts are counted over new starts of the program"
)]
fn start_again() {
    use std::os::unix::process::CommandExt as _;
    const ATTEMPT: &str = "REVERIE_START_ATTEMPT";
    const ATTEMPTS_MAX: u32 = 8;
    let attempt = std::env::var(ATTEMPT)
        .ok()
        .and_then(|text| text.parse::<u32>().ok())
        .unwrap_or(0);
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    if attempt < ATTEMPTS_MAX {
        std::thread::sleep(std::time::Duration::from_millis(400));
        // Returns only when it fails, and then there is nothing left to try.
        let error = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(ATTEMPT, (attempt + 1).to_string())
            .exec();
        tracing::error!(%error, "the window could not be started again");
    }
}

/// The message bus is a matter of Linux.
#[cfg(not(unix))]
fn start_again() {}

/// A second start shows the window that is already there.
fn show(app: &tauri::AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Info and above; never what people wrote, and never a statement of the database.
fn logs() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("REVERIE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,sqlx=warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
