//! A model that is loaded in the background. Nobody waits for it: until it is there, search goes by words.

use futures::channel::oneshot;
use ports::{EmbedError, Embedder, EmbeddingSpace};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Finds and loads a model. Its calls may touch the disk.
pub trait EmbedderLoader: Send + Sync {
    /// The space of the vectors that the model will make.
    fn space(&self) -> EmbeddingSpace;

    /// A text that changes when the model's files change; `None` while there are none. Quick: it is asked
    /// again and again to see whether loading once more could help.
    fn fingerprint(&self) -> Option<String>;

    /// Loads the model. May take seconds.
    ///
    /// # Errors
    /// `ModelLoadFailed` with what is wrong and what to do about it.
    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError>;
}

/// How far a model is.
#[derive(Clone)]
pub enum EmbedderState {
    /// Switched off.
    Off,
    /// Being loaded.
    Loading,
    /// Works.
    Ready(Arc<dyn Embedder>),
    /// Could not be loaded; the reason says what to do about it.
    Failed(String),
}

impl std::fmt::Debug for EmbedderState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Off => f.write_str("Off"),
            Self::Loading => f.write_str("Loading"),
            Self::Ready(embedder) => write!(f, "Ready({})", embedder.space().name()),
            Self::Failed(reason) => write!(f, "Failed({reason})"),
        }
    }
}

/// Holds a model that comes later or not at all. Cheap to clone; the clones are one.
#[derive(Clone)]
pub struct LazyEmbedder {
    shared: Arc<Shared>,
}

struct Shared {
    loader: Box<dyn EmbedderLoader>,
    held: Mutex<Held>,
}

struct Held {
    state: EmbedderState,
    /// What the files looked like when they were last tried.
    tried: Option<String>,
    waiting: Vec<oneshot::Sender<()>>,
}

impl LazyEmbedder {
    /// Holds nothing yet; [`Self::start`] begins.
    pub fn new(loader: impl EmbedderLoader + 'static) -> Self {
        let held = Held {
            state: EmbedderState::Off,
            tried: None,
            waiting: Vec::new(),
        };
        Self {
            shared: Arc::new(Shared {
                loader: Box::new(loader),
                held: Mutex::new(held),
            }),
        }
    }

    /// Begins to load in the background, unless that is happening or has happened.
    pub fn start(&self) {
        {
            let mut held = self.shared.lock();
            if matches!(held.state, EmbedderState::Loading | EmbedderState::Ready(_)) {
                return;
            }
            held.state = EmbedderState::Loading;
        }
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("embedding-load".to_owned());
        if let Err(error) = thread.spawn(move || shared.load()) {
            let reason = format!("the loading thread could not be started: {error}");
            Shared::settle(self.shared.lock(), EmbedderState::Failed(reason));
        }
    }

    /// Switches the model off and frees its memory once nobody uses it any more.
    pub fn stop(&self) {
        Shared::settle(self.shared.lock(), EmbedderState::Off);
    }

    /// Loads again after a failure if the files have changed since, for instance because they have arrived.
    /// Asks the disk: call it from a timer or when somebody looks at the state, not in every search.
    /// Returns whether loading began.
    pub fn retry_if_changed(&self) -> bool {
        let tried = {
            let held = self.shared.lock();
            if !matches!(held.state, EmbedderState::Failed(_)) {
                return false;
            }
            held.tried.clone()
        };
        let changed = self.shared.loader.fingerprint() != tried;
        if changed {
            self.start();
        }
        changed
    }

    /// How far the model is now. Never waits.
    pub fn state(&self) -> EmbedderState {
        self.shared.lock().state.clone()
    }

    /// The model if it works now. Never waits.
    pub fn ready(&self) -> Option<Arc<dyn Embedder>> {
        match self.state() {
            EmbedderState::Ready(embedder) => Some(embedder),
            EmbedderState::Off | EmbedderState::Loading | EmbedderState::Failed(_) => None,
        }
    }

    /// The space of the vectors that the model makes or will make.
    pub fn space(&self) -> EmbeddingSpace {
        // A better model whose files have arrived since is not the one that is loaded.
        match self.ready() {
            Some(embedder) => embedder.space().clone(),
            None => self.shared.loader.space(),
        }
    }

    /// Waits until loading has ended one way or the other. For the command line, which has nothing else
    /// to do, and for a background task that wants to go on afterwards.
    pub async fn settled(&self) -> EmbedderState {
        loop {
            let woken = {
                let mut held = self.shared.lock();
                if !matches!(held.state, EmbedderState::Loading) {
                    return held.state.clone();
                }
                let (wake, woken) = oneshot::channel();
                held.waiting.push(wake);
                woken
            };
            // Either a word or a dropped sender: the state has changed.
            let _ = woken.await;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Held> {
        // Every change is one assignment, so a panic elsewhere leaves nothing half done.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self) {
        // Looked at before loading: files that arrive meanwhile count as changed and are tried again.
        let fingerprint = self.loader.fingerprint();
        self.lock().tried = fingerprint;
        let loaded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.loader.load()));
        let state = match loaded {
            Ok(Ok(embedder)) => EmbedderState::Ready(embedder),
            Ok(Err(EmbedError::ModelLoadFailed { reason })) => EmbedderState::Failed(reason),
            Ok(Err(other)) => EmbedderState::Failed(other.to_string()),
            Err(_) => EmbedderState::Failed("loading stopped unexpectedly".to_owned()),
        };
        let held = self.lock();
        // Switched off in between: off it stays.
        if matches!(held.state, EmbedderState::Loading) {
            Self::settle(held, state);
        }
    }

    fn settle(mut held: MutexGuard<'_, Held>, state: EmbedderState) {
        held.state = state;
        for waiting in held.waiting.drain(..) {
            // Somebody may have stopped waiting.
            let _ = waiting.send(());
        }
    }
}
