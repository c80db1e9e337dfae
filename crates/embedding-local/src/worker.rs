//! The thread that runs the model. A question goes before everything that is waiting to be stored, and it
//! waits for one batch at most.

use crate::model::ModelError;
use futures::channel::oneshot;
use ports::{EmbedError, EmbedPurpose};
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
}

type Answer = Result<Vec<Vec<f32>>, EmbedError>;

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
    reply: oneshot::Sender<Answer>,
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
    ) -> impl Future<Output = Answer> + use<> {
        let answer = self.queue(texts, purpose);
        async move { answer.await.unwrap_or(Err(EmbedError::Cancelled)) }
    }

    fn queue(&self, texts: Vec<String>, purpose: EmbedPurpose) -> oneshot::Receiver<Answer> {
        let (reply, answer) = oneshot::channel();
        if texts.is_empty() {
            // The receiver is at hand, so this cannot fail.
            let _ = reply.send(Ok(Vec::new()));
            return answer;
        }
        let job = Job {
            texts,
            purpose,
            reply,
        };
        {
            let mut queues = self.shared.lock();
            match purpose {
                EmbedPurpose::Query => queues.queries.push_back(job),
                EmbedPurpose::Passage => queues.passages.push_back(job),
            }
        }
        self.shared.wake.notify_one();
        answer
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
struct Work {
    tokens: Vec<Vec<u32>>,
    /// Places in `tokens`, the longest text last, where the next batch is taken from: a batch of texts of
    /// one length wastes nothing on filling up.
    waiting: Vec<usize>,
    done: Vec<Vec<f32>>,
    reply: oneshot::Sender<Answer>,
}

impl Work {
    /// Cuts the texts into word pieces. `None` when the job has ended: nobody waits for it or it failed.
    fn begin(model: &impl TextModel, job: Job) -> Option<Self> {
        let Job {
            texts,
            purpose,
            reply,
        } = job;
        if reply.is_canceled() {
            return None;
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

    /// Runs one batch. `None` when the job has ended.
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

fn answer(reply: oneshot::Sender<Answer>, answer: Answer) -> Option<Work> {
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
