//! The thread that runs the model. A question goes before everything that is waiting to be stored, and it
//! waits for one batch at most.

use crate::model::ModelError;
use futures::channel::oneshot;
use ports::{EmbedError, EmbedPurpose, EmbeddedTokens};
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Texts that go through the model together. More of them gain nothing on a processor.
const BATCH_TEXTS_MAX: usize = 16;

/// Word pieces in a batch, filled-up places included: about a tenth of a second on two cores, and that is
/// how long a question may have to wait.
const BATCH_TOKENS_MAX: usize = 1024;

/// What the worker asks of a model.
pub(crate) trait TextModel: Send + 'static {
    /// The word pieces of a text, cut to what the model reads.
    fn tokens(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError>;

    /// One vector of length 1 for each text.
    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError>;

    /// The vectors of a text and of each of its word pieces; see [`ports::Embedder::embed_tokens`].
    fn token_vectors(&self, text: &str, purpose: EmbedPurpose) -> Result<EmbeddedTokens, ModelError>;
}

/// What is answered to a job, a value a text.
type Answer<T> = Result<Vec<T>, EmbedError>;

/// The way to the thread. Dropping it ends the thread after the batch it is in; what waits is answered
/// with [`EmbedError::Cancelled`].
pub(crate) struct Worker {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    wake: Condvar,
}

#[derive(Default)]
struct Queues {
    queries: VecDeque<Job>,
    passages: VecDeque<Job>,
    closed: bool,
}

struct Job {
    texts: Vec<String>,
    purpose: EmbedPurpose,
    reply: Reply,
}

/// Who waits, and for what.
enum Reply {
    /// The vectors of whole texts.
    Whole(oneshot::Sender<Answer<Vec<f32>>>),
    /// Those of their word pieces too.
    Tokens(oneshot::Sender<Answer<EmbeddedTokens>>),
}

impl Worker {
    /// Starts the thread.
    pub(crate) fn start(model: impl TextModel) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("embedding".to_owned())
            .spawn(move || run(&model, &of_thread))?;
        Ok(Self { shared })
    }

    /// Embeds texts. The work is queued at once; dropping the future takes it back: what is not begun
    /// is not done.
    pub(crate) fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> impl Future<Output = Answer<Vec<f32>>> + use<> {
        self.queue(texts, purpose, Reply::Whole)
    }

    /// As [`Self::embed`], with the word pieces of each text.
    pub(crate) fn embed_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> impl Future<Output = Answer<EmbeddedTokens>> + use<> {
        self.queue(texts, purpose, Reply::Tokens)
    }

    fn queue<T>(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        reply: fn(oneshot::Sender<Answer<T>>) -> Reply,
    ) -> impl Future<Output = Answer<T>> + use<T> {
        let (sender, answer) = oneshot::channel();
        let job = Job {
            texts,
            purpose,
            reply: reply(sender),
        };
        {
            let mut queues = self.shared.lock();
            match purpose {
                EmbedPurpose::Query => queues.queries.push_back(job),
                EmbedPurpose::Passage => queues.passages.push_back(job),
            }
        }
        self.shared.wake.notify_one();
        async move { answer.await.unwrap_or(Err(EmbedError::Cancelled)) }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut queues = self.shared.lock();
        queues.closed = true;
        // Dropping a job drops its reply, and that is the answer `Cancelled`.
        queues.queries.clear();
        queues.passages.clear();
        drop(queues);
        self.shared.wake.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        // The queues are whole at every point where a panic could happen.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do next; waits when there is nothing and no work is half done.
    fn next(&self, half_done: bool) -> Next {
        let mut queues = self.lock();
        loop {
            if queues.closed {
                return Next::End;
            }
            if let Some(job) = queues.queries.pop_front() {
                return Next::Query(job);
            }
            if half_done {
                return Next::GoOn;
            }
            if let Some(job) = queues.passages.pop_front() {
                return Next::Passages(job);
            }
            queues = self.wake.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

enum Next {
    Query(Job),
    Passages(Job),
    GoOn,
    End,
}

fn run(model: &impl TextModel, shared: &Shared) {
    let mut passages: Option<Work> = None;
    loop {
        match shared.next(passages.is_some()) {
            Next::End => return,
            Next::Query(job) => {
                let mut work = Work::begin(model, job);
                while let Some(unfinished) = work {
                    work = unfinished.step(model);
                }
            }
            Next::Passages(job) => passages = Work::begin(model, job),
            Next::GoOn => passages = passages.and_then(|work| work.step(model)),
        }
    }
}

/// A job on its way through the model.
enum Work {
    Whole(WholeWork),
    Tokens(TokenWork),
}

impl Work {
    /// `None` when the job has ended already: nobody waits for it or it failed.
    fn begin(model: &impl TextModel, job: Job) -> Option<Self> {
        let Job {
            texts,
            purpose,
            reply,
        } = job;
        match reply {
            Reply::Whole(reply) => WholeWork::begin(model, &texts, purpose, reply).map(Self::Whole),
            Reply::Tokens(reply) => Some(Self::Tokens(TokenWork {
                done: Vec::with_capacity(texts.len()),
                waiting: texts.into_iter(),
                purpose,
                reply,
            })),
        }
    }

    /// Does a part that is short enough for a question to wait. `None` when the job has ended.
    fn step(self, model: &impl TextModel) -> Option<Self> {
        match self {
            Self::Whole(work) => work.step(model).map(Self::Whole),
            Self::Tokens(work) => work.step(model).map(Self::Tokens),
        }
    }
}

/// Texts of which each becomes one vector.
struct WholeWork {
    tokens: Vec<Vec<u32>>,
    /// Places in `tokens`, the longest text last, where the next batch is taken from: a batch of texts of
    /// one length wastes nothing on filling up.
    waiting: Vec<usize>,
    done: Vec<Vec<f32>>,
    reply: oneshot::Sender<Answer<Vec<f32>>>,
}

impl WholeWork {
    /// Cuts the texts into word pieces.
    fn begin(
        model: &impl TextModel,
        texts: &[String],
        purpose: EmbedPurpose,
        reply: oneshot::Sender<Answer<Vec<f32>>>,
    ) -> Option<Self> {
        if reply.is_canceled() {
            return None;
        }
        if texts.is_empty() {
            return answer(reply, Ok(Vec::new()));
        }
        let tokens = guarded(|| texts.iter().map(|text| model.tokens(text, purpose)).collect());
        let tokens: Vec<Vec<u32>> = match tokens {
            Ok(tokens) => tokens,
            Err(error) => return answer(reply, Err(error)),
        };
        let mut waiting: Vec<usize> = (0..tokens.len()).collect();
        waiting.sort_by_key(|&place| tokens.get(place).map_or(0, Vec::len));
        Some(Self {
            done: vec![Vec::new(); tokens.len()],
            tokens,
            waiting,
            reply,
        })
    }

    /// Runs one batch.
    fn step(mut self, model: &impl TextModel) -> Option<Self> {
        if self.reply.is_canceled() {
            return None;
        }
        let places = self.next_batch();
        let batch: Vec<&[u32]> = places
            .iter()
            .filter_map(|&place| self.tokens.get(place))
            .map(Vec::as_slice)
            .collect();
        match guarded(|| model.vectors(&batch)) {
            Ok(vectors) => {
                for (place, vector) in places.into_iter().zip(vectors) {
                    if let Some(done) = self.done.get_mut(place) {
                        *done = vector;
                    }
                }
            }
            Err(error) => return answer(self.reply, Err(error)),
        }
        if self.waiting.is_empty() {
            return answer(self.reply, Ok(self.done));
        }
        Some(self)
    }

    fn next_batch(&mut self) -> Vec<usize> {
        // The longest text comes first, so its length is the length of every place in the batch.
        let longest = self
            .waiting
            .last()
            .and_then(|&place| self.tokens.get(place))
            .map_or(1, Vec::len);
        let texts = (BATCH_TOKENS_MAX / longest.max(1)).clamp(1, BATCH_TEXTS_MAX);
        self.waiting.split_off(self.waiting.len().saturating_sub(texts))
    }
}

/// Texts of which each becomes the vectors of its word pieces.
struct TokenWork {
    /// In turn.
    waiting: std::vec::IntoIter<String>,
    purpose: EmbedPurpose,
    done: Vec<EmbeddedTokens>,
    reply: oneshot::Sender<Answer<EmbeddedTokens>>,
}

impl TokenWork {
    /// Runs one text.
    fn step(mut self, model: &impl TextModel) -> Option<Self> {
        if self.reply.is_canceled() {
            return None;
        }
        let Some(text) = self.waiting.next() else {
            return answer(self.reply, Ok(self.done));
        };
        match guarded(|| model.token_vectors(&text, self.purpose)) {
            Ok(made) => self.done.push(made),
            Err(error) => return answer(self.reply, Err(error)),
        }
        Some(self)
    }
}

/// Ends a job.
fn answer<T, W>(reply: oneshot::Sender<Answer<T>>, answer: Answer<T>) -> Option<W> {
    // Nobody may be waiting any more; that is no failure.
    let _ = reply.send(answer);
    None
}

/// A panic in a library must not end the thread: every later text would stay without a vector.
fn guarded<T>(work: impl FnOnce() -> Result<T, ModelError>) -> Result<T, EmbedError> {
    match std::panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(EmbedError::RequestFailed {
            reason: error.to_string(),
        }),
        Err(_) => Err(EmbedError::RequestFailed {
            reason: "the model stopped unexpectedly".to_owned(),
        }),
    }
}
