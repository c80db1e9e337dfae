//! Opens a data folder: builds the adapters and starts what runs in the background.

use crate::background;
use crate::chat::Chat;
use crate::observer::Fault;
use crate::sources;
use crate::{EngineError, EngineResult, Event, ModelSwitch, OpenModel, SystemClock, Tag, Trouble};
use backend_sqlite::{Runner, SqliteStore};
use embedding::{
    CacheLimits, CachedEmbedder, EmbedderLoader, LazyEmbedder, StepsDown, Thresholds, VectorCache,
};
use embedding_local::TransformersLoader;
use memory_model::{ThreadId, TurnId, TurnState, UserId};
use ports::{ChatModel, Clock, Embedder, EmbeddingSpace, SettingsStore, StoreError};
use settings::Settings;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Mutex as AsyncMutex, Notify, broadcast};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Events that a slow listener may lag behind before it misses some; it reads the state again then.
const EVENTS_MAX: usize = 4_096;

/// How the engine asks for an environment variable.
pub type Env = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What is needed to open a data folder.
#[derive(Clone)]
pub struct Options {
    /// Where the data is.
    pub data_dir: PathBuf,
    /// Where the program is; model files may lie beside it.
    pub exe_dir: PathBuf,
    /// Environment variables.
    pub env: Env,
    /// The chat model; `None` answers from memory.
    pub chat_model: Option<Arc<dyn ChatModel>>,
    /// Whether this process takes over turns that a dead one left, embeds what has no vector, and erases what
    /// was deleted. A command that lives for a second leaves that to others.
    pub background: bool,
    /// Where a test wants the process to stand still. Works in builds with debug assertions only.
    pub fault: Option<Fault>,
}

/// One open data folder. Cheap to clone; the clones are one.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub data_dir: PathBuf,
    pub store: SqliteStore,
    pub models: LazyEmbedder,
    /// Why a better embedding source is not the one that works.
    pub steps_down: StepsDown,
    /// The loaded model behind its cache, made when the model is first ready.
    pub cached: Mutex<Option<Arc<dyn Embedder>>>,
    pub chat: RwLock<Chat>,
    pub settings: RwLock<Settings>,
    pub env: Env,
    pub clock: Arc<dyn Clock>,
    pub events: broadcast::Sender<Event>,
    pub runner: Runner,
    /// Turns whose answer is not final yet.
    pub answering: Mutex<HashMap<TurnId, Answering>>,
    /// One extraction at a time for each user.
    pub remembering: Mutex<HashMap<UserId, Arc<Remembering>>>,
    /// Which model answers while another one's vectors are made.
    pub switch: ModelSwitch,
    /// Loads a model that was used before.
    pub open_model: Arc<OpenModel>,
    /// Wakes the task that embeds.
    pub wake: Notify,
    /// What went wrong lately, newest first.
    pub troubles: Mutex<VecDeque<Trouble>>,
    pub closing: CancellationToken,
    pub tasks: TaskTracker,
    pub fault: Option<Fault>,
}

/// A turn whose answer is being made.
pub(crate) struct Answering {
    pub thread_id: ThreadId,
    pub stopped: CancellationToken,
}

/// The turns of one user that wait to find out what to keep.
#[derive(Default)]
pub(crate) struct Remembering {
    /// Held by the one that runs.
    pub one_at_a_time: AsyncMutex<()>,
    /// Turns whose extraction has not begun.
    pub waiting: Mutex<Vec<TurnState>>,
    /// Turns that another one ran for, until their own task asks.
    pub ended: Mutex<HashMap<TurnId, TurnState>>,
}

impl Remembering {
    /// Takes a turn and every other one of its thread that waits, oldest first.
    pub fn take_group(&self, turn: &TurnState) -> Vec<TurnState> {
        let mut waiting = lock(&self.waiting);
        let (mut group, others): (Vec<_>, Vec<_>) = waiting
            .drain(..)
            .partition(|other| other.thread_id == turn.thread_id);
        *waiting = others;
        // Ids sort by the time they were made.
        group.sort_by(|a, b| a.turn_id.cmp(&b.turn_id));
        group
    }
}

impl Engine {
    /// Opens a data folder and makes it when it does not exist yet.
    ///
    /// # Errors
    /// With the code that says what a person can do about it: a full disk, a folder that cannot be written,
    /// damaged data, data of a newer version.
    pub async fn open(options: Options) -> EngineResult<Self> {
        let store = SqliteStore::open(&database(&options.data_dir)).await?;
        let runner = Runner::start(&options.data_dir)?;
        let (settings, problems) = Settings::load(&store.load_settings().await?, &|name| (options.env)(name));
        for problem in problems {
            tracing::warn!(setting = %problem.name, "stored setting cannot be used; the default applies");
        }
        let mut chat = Chat::new(options.chat_model);
        chat.follow(&settings, &options.env);
        let (data_dir, exe_dir) = (options.data_dir.clone(), options.exe_dir.clone());
        let of_settings = sources::loader(&settings, &options.env, &options.data_dir, &options.exe_dir);
        let steps_down = of_settings.steps_down();
        let models = LazyEmbedder::new(of_settings);
        let open_model: Arc<OpenModel> = Arc::new(move |space: &EmbeddingSpace| {
            // A model that cannot be loaded any more answers no questions; its vectors wait for their end.
            TransformersLoader::of_space(&data_dir, &exe_dir, space)?
                .load()
                .ok()
        });
        let inner = Arc::new(Inner {
            data_dir: options.data_dir,
            store,
            models,
            steps_down,
            cached: Mutex::new(None),
            chat: RwLock::new(chat),
            settings: RwLock::new(settings),
            env: options.env,
            clock: Arc::new(SystemClock),
            events: broadcast::channel(EVENTS_MAX).0,
            runner,
            answering: Mutex::default(),
            remembering: Mutex::default(),
            switch: ModelSwitch::default(),
            open_model,
            wake: Notify::new(),
            troubles: Mutex::default(),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            fault: options.fault,
        });
        let engine = Self { inner };
        if engine.settings().embedding_wanted() {
            engine.inner.models.start();
        }
        if options.background {
            background::start(&engine);
        }
        Ok(engine)
    }

    /// Lets background work end and closes the database. Answers that are being made are cut off and kept.
    pub async fn close(&self) {
        self.inner.closing.cancel();
        self.inner.tasks.close();
        // A model call that does not end must not keep the window open.
        let _ = tokio::time::timeout(Duration::from_secs(3), self.inner.tasks.wait()).await;
        self.inner.store.close().await;
    }

    /// Listens to everything that happens from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.inner.events.subscribe()
    }

    /// Whose memory this is.
    pub fn user(&self) -> UserId {
        UserId::new(self.settings().user_id)
    }

    /// The time that this engine goes by.
    pub fn now(&self) -> memory_model::Timestamp {
        self.inner.clock.now()
    }

    /// Where the data is.
    pub fn data_dir(&self) -> &Path {
        &self.inner.data_dir
    }

    /// The settings as they apply now.
    pub(crate) fn settings(&self) -> Settings {
        self.inner
            .settings
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The model that questions are put to now: while the vectors of a new model are made, still the old one.
    /// Never waits.
    pub(crate) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let model = self.new_embedder()?;
        Some(self.inner.switch.answering(model))
    }

    /// What cosines mean for a text in the space that questions are put to now.
    pub(crate) fn thresholds_for(&self, text: &str) -> Thresholds {
        match self.embedder() {
            Some(embedder) => embedding::thresholds_for(embedder.space(), text),
            None => embedding::thresholds_for(&self.inner.models.space(), text),
        }
    }

    /// Stops embedding with a new model, or goes on with it. The old vectors answer as long as it is stopped.
    pub fn pause_reembedding(&self, paused: bool) {
        self.inner.switch.pause(paused);
        self.inner.wake.notify_one();
        self.changed(&[Tag::Health]);
    }

    /// The embedding model of the settings behind its cache, if it works now. Never waits.
    pub(crate) fn new_embedder(&self) -> Option<Arc<dyn Embedder>> {
        let ready = self.inner.models.ready()?;
        let mut cached = lock(&self.inner.cached);
        let embedder = cached.get_or_insert_with(|| {
            let settings = self.settings();
            let limits = CacheLimits {
                entries_max: settings.embedding_cache_max,
                ttl_ms: settings.embedding_cache_ttl_ms,
            };
            Arc::new(CachedEmbedder::new(
                ready,
                VectorCache::new(limits, Arc::clone(&self.inner.clock)),
            ))
        });
        Some(Arc::clone(embedder))
    }

    /// Waits until the embedding model is loaded or cannot be. For commands, which end after one answer.
    pub async fn wait_for_model(&self) {
        let _ = self.inner.models.settled().await;
    }

    /// Tells listeners that data changed, and wakes the task that embeds.
    pub(crate) fn changed(&self, tags: &[Tag]) {
        if tags.contains(&Tag::Memories) {
            self.inner.wake.notify_one();
        }
        if tags.contains(&Tag::Review) {
            let engine = self.clone();
            self.inner
                .tasks
                .spawn(async move { engine.count_reviews().await });
        }
        self.publish(Event::Changed { tags: tags.to_vec() });
    }

    pub(crate) fn publish(&self, event: Event) {
        // Nobody may be listening, and that is fine.
        let _ = self.inner.events.send(event);
    }
}

/// The database in a data folder.
pub fn database(data_dir: &Path) -> PathBuf {
    data_dir.join("reverie.db")
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one step, so a panic elsewhere leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was asked for is not there.
pub(crate) fn not_found(what: &'static str) -> EngineError {
    StoreError::NotFound { what }.into()
}
