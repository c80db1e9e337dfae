//! The data folder and the window of this machine.

use crate::print;
use crate::words::Words;
use engine::{Engine, EngineError, EngineResult, Env, Fault, Options};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;

/// Opens the engine on the data folder. Background work is left to the window; `catch_up` does what is due.
pub(crate) async fn engine(data_dir: Option<PathBuf>) -> EngineResult<Engine> {
    let env: Env = Arc::new(variable);
    let data_dir = data_dir
        .or_else(|| {
            directories::ProjectDirs::from("app", "reverie", "reverie").map(|d| d.data_dir().to_path_buf())
        })
        .ok_or_else(|| EngineError::invalid("data-dir", "No home folder was found; name a data folder."))?;
    let fault = env("REVERIE_FAULT").and_then(|text| Fault::parse(&text));
    Engine::open(Options {
        data_dir,
        exe_dir: exe_dir(),
        env,
        chat_model: None,
        background: false,
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

fn exe_dir() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|exe| exe.parent().map(PathBuf::from))
        .unwrap_or_default()
}

/// Does what is due in the background. What fails is tried again by the next program; no verb fails because of it.
pub(crate) async fn catch_up(engine: &Engine) {
    if let Err(error) = engine.catch_up().await {
        tracing::warn!(%error, "background work not done");
    }
}

/// Opens the window: the program beside this one, or the one on the path.
pub(crate) fn window(words: Words) -> ExitCode {
    let name = format!("reverie-desktop{}", std::env::consts::EXE_SUFFIX);
    let beside = exe_dir().join(&name);
    let started = Command::new(&beside)
        .spawn()
        .or_else(|_| Command::new(&name).spawn());
    match started {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => {
            print::error_line(words.pick(
                "The app is not installed here. `reverie chat` talks in the terminal; `reverie --help` lists the rest.",
                "여기에는 앱이 설치되어 있지 않아요. `reverie chat`으로 터미널에서 대화할 수 있고, `reverie --help`가 나머지를 보여 줘요.",
            ));
            ExitCode::from(1)
        }
    }
}

/// Warnings and above on standard error, unless `REVERIE_LOG` asks for more.
pub(crate) fn logs() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("REVERIE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
