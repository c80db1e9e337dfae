//! The engine of this window: opened in the background, so that the first frame does not wait for it.

use engine::{BackupView, Engine, EngineError, EngineResult, Env, ErrorCode, Event, Fault, Options};
use ipc_contract::{EVENT, Startup};
use memory_model::UserId;
use std::path::PathBuf;
use std::sync::Arc;
use tauri::{AppHandle, Emitter, Manager};
use tokio::sync::watch;

/// What opening came to; `None` while it is under way.
type Opened = Option<EngineResult<Engine>>;

/// The open data folder, once it is open.
pub struct Session {
    app: AppHandle,
    opened: watch::Sender<Opened>,
}

impl Session {
    /// Nothing is open yet.
    pub fn new(app: AppHandle) -> Self {
        Self {
            app,
            opened: watch::Sender::new(None),
        }
    }

    /// Begins to open the data folder.
    pub fn open_in_background(&self) {
        let (app, opened) = (self.app.clone(), self.opened.clone());
        tauri::async_runtime::spawn(async move {
            let engine = open().await;
            if let Ok(engine) = &engine {
                forward(engine, app);
            }
            opened.send_replace(Some(engine));
        });
    }

    /// The engine, once it is open.
    ///
    /// # Errors
    /// When the data could not be opened.
    pub async fn engine(&self) -> EngineResult<Engine> {
        let mut opened = self.opened.subscribe();
        match opened.wait_for(Option::is_some).await {
            Ok(opened) => opened.clone().unwrap_or_else(|| Err(closed())),
            Err(_) => Err(closed()),
        }
    }

    /// What the window needs for its first frame. After a failure it opens once more: whatever was in the way may
    /// be gone.
    pub async fn startup(&self) -> Startup {
        if matches!(&*self.opened.borrow(), Some(Err(_))) {
            self.opened.send_replace(None);
            self.open_in_background();
        }
        match self.engine().await {
            Ok(engine) => Startup {
                error: None,
                user_id: engine.user(),
                settings: engine.list_settings(),
                health: Some(engine.health().await),
            },
            Err(error) => Startup {
                error: Some(error),
                user_id: UserId::new(""),
                settings: Vec::new(),
                health: None,
            },
        }
    }

    /// Goes back to the newest sound backup and opens it. The damaged file stays beside it.
    ///
    /// # Errors
    /// When the data is open, so that nothing is damaged, and when there is no sound backup.
    pub async fn restore_backup(&self) -> EngineResult<BackupView> {
        if self.engine().await.is_ok() {
            return Err(EngineError::new(
                ErrorCode::Conflict,
                "The data is open and sound; nothing was restored.",
            ));
        }
        let restored = engine::restore_backup(&data_folder()?).await?;
        self.opened.send_replace(None);
        self.open_in_background();
        self.engine().await?;
        Ok(restored)
    }

    /// Closes the data folder.
    pub fn close(&self) {
        if let Some(Ok(engine)) = &*self.opened.borrow() {
            tauri::async_runtime::block_on(engine.close());
        }
    }
}

fn closed() -> EngineError {
    EngineError::new(ErrorCode::Internal, "The app is closing.")
}

/// Where the data of this window is.
///
/// # Errors
/// When no folder is named and there is no home folder.
pub fn data_folder() -> EngineResult<PathBuf> {
    let env: Env = Arc::new(variable);
    data_dir(&env).ok_or_else(|| {
        EngineError::invalid(
            "REVERIE_DATA_DIR",
            "No home folder was found; name a data folder.",
        )
    })
}

async fn open() -> EngineResult<Engine> {
    let env: Env = Arc::new(variable);
    let data_dir = data_folder()?;
    let exe_dir = std::env::current_exe()
        .ok()
        .and_then(|exe| exe.parent().map(PathBuf::from))
        .unwrap_or_default();
    let fault = env("REVERIE_FAULT").and_then(|text| Fault::parse(&text));
    Engine::open(Options {
        data_dir,
        exe_dir,
        env,
        chat_model: None,
        background: true,
        fault,
    })
    .await
}

#[expect(
    clippy::disallowed_methods,
    reason = "the edge hands the environment to the engine"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn data_dir(env: &Env) -> Option<PathBuf> {
    match env("REVERIE_DATA_DIR") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => directories::ProjectDirs::from("app", "reverie", "reverie")
            .map(|dirs| dirs.data_dir().to_path_buf()),
    }
}

/// Hands every event of the engine to the window. A window that fell behind is told to read everything again.
fn forward(engine: &Engine, app: AppHandle) {
    use engine::Tag;
    let mut events = engine.subscribe();
    tauri::async_runtime::spawn(async move {
        loop {
            let event = match events.recv().await {
                Ok(event) => event,
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => Event::Changed {
                    tags: vec![
                        Tag::Threads,
                        Tag::Messages,
                        Tag::Memories,
                        Tag::Review,
                        Tag::Settings,
                        Tag::Health,
                    ],
                },
                Err(tokio::sync::broadcast::error::RecvError::Closed) => break,
            };
            if let Event::ReviewCount { waiting } = &event {
                count_in_title(&app, *waiting);
            }
            if let Err(error) = app.emit_to("main", EVENT, event) {
                tracing::warn!(%error, "an event did not reach the window");
            }
        }
    });
}

/// What waits stands in the title, so that it is seen also while the window is behind others.
fn count_in_title(app: &AppHandle, waiting: u32) {
    let name = app.package_info().name.clone();
    let title = match waiting {
        0 => name,
        waiting => format!("({waiting}) {name}"),
    };
    if let Some(window) = app.get_webview_window("main")
        && let Err(error) = window.set_title(&title)
    {
        tracing::warn!(%error, "the title was not changed");
    }
}
