//! Windows, files and the worker on their own, without the model.

use crate::chunks::{Word, windows};
use crate::files::{FilesError, ModelFile, look_whole, parse_list, verify};
use crate::local::LocalModel;
use crate::locations::{find_in, models_folders};
use crate::model::ModelError;
use crate::worker::{TextModel, Worker};
use ports::{EmbedError, EmbedPurpose, EmbeddedTokens};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

fn words(tokens: &[usize]) -> Vec<Word> {
    tokens
        .iter()
        .enumerate()
        .map(|(place, &tokens)| Word {
            bytes: place..place + 1,
            tokens,
        })
        .collect()
}

#[test]
fn windows_cover_every_word_overlap_and_never_exceed_the_limit() {
    for seed in 0..200_usize {
        let tokens: Vec<usize> = (0..seed * 3).map(|place| 1 + (place * 7 + seed) % 11).collect();
        let words = words(&tokens);
        let ranges = windows(&words, 50, 10);
        assert_eq!(ranges.first().unwrap().start, 0);
        assert_eq!(ranges.last().unwrap().end, words.len());
        for range in &ranges {
            let sum: usize = words[range.clone()].iter().map(|word| word.tokens).sum();
            assert!(sum <= 50, "{range:?} has {sum}");
        }
        for pair in ranges.windows(2) {
            let shared: usize = words[pair[1].start..pair[0].end]
                .iter()
                .map(|word| word.tokens)
                .sum();
            assert!(shared >= 10, "{pair:?} share {shared}");
            assert!(
                pair[1].start > pair[0].start && pair[1].end > pair[0].end,
                "{pair:?}"
            );
        }
    }
}

#[test]
fn a_word_longer_than_a_window_does_not_stop_the_cutting() {
    assert_eq!(windows(&words(&[3, 90, 3]), 50, 10), [0..1, 1..2, 2..3]);
    assert_eq!(windows(&words(&[90, 3]), 50, 10), [0..1, 1..2]);
}

#[test]
fn every_model_has_its_list() {
    let names: Vec<&str> = LocalModel::ALL_MINILM_L6_V2
        .files()
        .iter()
        .map(|file| file.name)
        .collect();
    assert_eq!(names, ["config.json", "model.safetensors", "tokenizer.json"]);
}

fn tiny_files() -> Vec<ModelFile> {
    let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes));
    let list = format!(
        "# a comment\n{} 5 weights\n{} 2 config\n",
        hash(b"12345"),
        hash(b"{}")
    );
    parse_list(list.leak())
}

fn write(dir: &Path, name: &str, content: &str) {
    std::fs::write(dir.join(name), content).unwrap();
}

#[test]
fn files_that_are_not_the_right_ones_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let files = tiny_files();
    write(dir.path(), "config", "{}");
    assert!(matches!(
        verify(dir.path(), &files),
        Err(FilesError::Missing { file: "weights", .. })
    ));
    write(dir.path(), "weights", "123");
    assert!(matches!(
        verify(dir.path(), &files),
        Err(FilesError::WrongLength {
            found: 3,
            expected: 5,
            ..
        })
    ));
    assert!(!look_whole(dir.path(), &files));
    write(dir.path(), "weights", "54321");
    assert!(matches!(
        verify(dir.path(), &files),
        Err(FilesError::WrongHash { file: "weights", .. })
    ));
    write(dir.path(), "weights", "12345");
    verify(dir.path(), &files).unwrap();
    // Changed after it was found right: the stamp no longer holds.
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    write(dir.path(), "weights", "54321");
    std::fs::File::options()
        .write(true)
        .open(dir.path().join("weights"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert!(matches!(
        verify(dir.path(), &files),
        Err(FilesError::WrongHash { file: "weights", .. })
    ));
}

#[test]
fn a_folder_instead_of_a_file_is_no_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("weights")).unwrap();
    assert!(matches!(
        verify(dir.path(), &tiny_files()),
        Err(FilesError::Missing { .. })
    ));
}

#[test]
fn a_broken_copy_does_not_hide_a_whole_one() {
    let place = tempfile::tempdir().unwrap();
    let model = &LocalModel::ALL_MINILM_L6_V2;
    let (data, exe) = (place.path().join("data"), place.path().join("app/bin"));
    let folders = || vec![data.join("models"), exe.join("models")];
    assert_eq!(find_in(folders(), model), None);
    let broken = data.join("models/all-MiniLM-L6-v2");
    std::fs::create_dir_all(&broken).unwrap();
    assert_eq!(
        find_in(folders(), model),
        Some(broken),
        "so that loading it says what is wrong"
    );
    let whole = exe.join("models/all-MiniLM-L6-v2");
    std::fs::create_dir_all(&whole).unwrap();
    for file in model.files() {
        // The right length is enough to be looked at first; the content is checked when it is loaded.
        std::fs::File::create(whole.join(file.name))
            .unwrap()
            .set_len(file.bytes)
            .unwrap();
    }
    assert_eq!(find_in(folders(), model), Some(whole));
}

#[test]
fn the_data_folder_comes_before_the_program_and_the_cache_last() {
    let folders = models_folders(Path::new("/data"), Path::new("/app/bin"));
    let place = |path: &str| {
        folders
            .iter()
            .position(|folder| folder == Path::new(path))
            .unwrap()
    };
    assert!(place("/data/models") < place("/app/bin/models"));
    assert!(place("/app/bin/models") < place("/app/share/reverie/models"));
}

/// Says which batches it was asked for, and waits for a word before each when it is told to.
struct Recorder {
    batches: Arc<Mutex<Vec<usize>>>,
    gate: Option<mpsc::Receiver<()>>,
}

impl TextModel for Recorder {
    fn tokens(&self, text: &str, _purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError> {
        if text == "refused" {
            return Err(ModelError::Tokenizer("refused".to_owned()));
        }
        Ok(vec![0; text.len()])
    }

    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        assert!(batch.iter().all(|ids| ids.len() != 13), "a fault in a library");
        let longest = batch.iter().map(|ids| ids.len()).max().unwrap();
        assert!(batch.len() * longest <= 1024 || batch.len() == 1);
        self.batches.lock().unwrap().push(longest);
        Ok(batch.iter().map(|ids| vec![ids.len() as f32]).collect())
    }

    fn token_vectors(&self, text: &str, _purpose: EmbedPurpose) -> Result<EmbeddedTokens, ModelError> {
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        assert!(text.len() != 13, "a fault in a library");
        self.batches.lock().unwrap().push(text.len());
        Ok(EmbeddedTokens {
            whole: vec![text.len() as f32],
            tokens: Vec::new(),
        })
    }
}

fn recorder(gate: Option<mpsc::Receiver<()>>) -> (Worker, Arc<Mutex<Vec<usize>>>) {
    let batches = Arc::new(Mutex::new(Vec::new()));
    (
        Worker::start(Recorder {
            batches: batches.clone(),
            gate,
        })
        .unwrap(),
        batches,
    )
}

fn texts(lengths: impl IntoIterator<Item = usize>) -> Vec<String> {
    lengths.into_iter().map(|length| "x".repeat(length)).collect()
}

#[test]
fn texts_of_one_length_go_together_and_come_back_in_order() {
    let (worker, batches) = recorder(None);
    let lengths: Vec<usize> = (0..40)
        .map(|place| 1 + (place * 17) % 200)
        .filter(|&n| n != 13)
        .collect();
    let vectors = block_on(worker.embed(texts(lengths.clone()), EmbedPurpose::Passage)).unwrap();
    assert_eq!(
        vectors,
        lengths
            .iter()
            .map(|&length| vec![length as f32])
            .collect::<Vec<_>>()
    );
    let batches = batches.lock().unwrap();
    assert!(batches.is_sorted_by(|left, right| left >= right), "{batches:?}");
    assert!(
        block_on(worker.embed(Vec::new(), EmbedPurpose::Passage))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_question_goes_before_what_is_waiting_to_be_stored() {
    let (open, gate) = mpsc::channel();
    let (worker, batches) = recorder(Some(gate));
    let bulk = worker.embed(texts([1000, 900, 800]), EmbedPurpose::Passage);
    let more = worker.embed(texts([700]), EmbedPurpose::Passage);
    // The bulk is on its way before the question is asked.
    open.send(()).unwrap();
    while batches.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    let question = worker.embed(texts([5]), EmbedPurpose::Query);
    for _ in 0..4 {
        open.send(()).unwrap();
    }
    block_on(question).unwrap();
    block_on(bulk).unwrap();
    block_on(more).unwrap();
    let batches = batches.lock().unwrap();
    let place = |length| batches.iter().position(|&batch| batch == length).unwrap();
    assert!(place(5) < place(800) && place(800) < place(700), "{batches:?}");
}

#[test]
fn word_pieces_wait_behind_questions_too_and_a_fault_ends_only_its_own_job() {
    let (open, gate) = mpsc::channel();
    let (worker, batches) = recorder(Some(gate));
    let bulk = worker.embed_tokens(texts([300, 200, 100]), EmbedPurpose::Passage);
    let faulty = worker.embed_tokens(texts([13]), EmbedPurpose::Passage);
    open.send(()).unwrap();
    while batches.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    let question = worker.embed_tokens(texts([5]), EmbedPurpose::Query);
    for _ in 0..4 {
        open.send(()).unwrap();
    }
    block_on(question).unwrap();
    let made = block_on(bulk).unwrap();
    let lengths: Vec<f32> = made.iter().map(|made| made.whole[0]).collect();
    assert_eq!(lengths, [300.0, 200.0, 100.0], "in the order of the texts");
    assert!(matches!(block_on(faulty), Err(EmbedError::RequestFailed { .. })));
    open.send(()).unwrap();
    let after = worker.embed_tokens(texts([7]), EmbedPurpose::Passage);
    assert_eq!(block_on(after).unwrap().len(), 1);
    let batches = batches.lock().unwrap();
    let place = |length| batches.iter().position(|&batch| batch == length).unwrap();
    assert!(place(5) < place(100), "{batches:?}");
}

#[test]
fn work_that_nobody_waits_for_is_not_done() {
    let (open, gate) = mpsc::channel();
    let (worker, batches) = recorder(Some(gate));
    drop(worker.embed(texts([1000, 900, 800]), EmbedPurpose::Passage));
    for _ in 0..4 {
        open.send(()).unwrap();
    }
    block_on(worker.embed(texts([5]), EmbedPurpose::Passage)).unwrap();
    let batches = batches.lock().unwrap();
    assert!(!batches.contains(&800), "{batches:?}");
}

#[test]
fn closing_answers_cancelled_to_everything_that_waits() {
    let (open, gate) = mpsc::channel();
    let (worker, _batches) = recorder(Some(gate));
    let begun = worker.embed(texts([1000, 900]), EmbedPurpose::Passage);
    let waiting = worker.embed(texts([5]), EmbedPurpose::Passage);
    drop(worker);
    drop(open);
    assert_eq!(block_on(waiting), Err(EmbedError::Cancelled));
    assert_eq!(block_on(begun), Err(EmbedError::Cancelled));
}

#[test]
fn a_fault_on_one_text_is_an_answer_and_the_thread_goes_on() {
    let (worker, _batches) = recorder(None);
    let failed = block_on(worker.embed(texts([13]), EmbedPurpose::Query));
    assert!(matches!(failed, Err(EmbedError::RequestFailed { .. })));
    let failed = block_on(worker.embed(vec!["refused".to_owned()], EmbedPurpose::Query));
    assert!(matches!(failed, Err(EmbedError::RequestFailed { .. })));
    assert_eq!(
        block_on(worker.embed(texts([5]), EmbedPurpose::Query)).unwrap(),
        [[5.0]]
    );
}
