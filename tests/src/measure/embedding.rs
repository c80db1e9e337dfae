//! `embedding`: how long a text takes in each precision, beside onnxruntime (f32 and its 8 bits) and candle, in one
//! alternating run on one thread. CPU time is counted, so that other work on the machine says little.

use super::peers::{Peer, python};
use super::world::Model;
use super::{Measured, percentile, round, times};
use anyhow::{Context as _, Result, ensure};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use embedding_local::{LocalEmbedder, LocalModel, Precision};
use ports::{EmbedPurpose, Embedder};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Instant;
use tokio::runtime::Runtime;

/// Rounds of the alternating run: the first quarter of so many is steady on a busy machine.
const ROUNDS: usize = 40;

/// Questions that the app's own model is asked.
const QUESTIONS: usize = 100;

/// Words of the texts; with beginning and end they have 20, 100 and 250 word pieces.
const WORDS: [usize; 3] = [18, 98, 248];

/// Common words: each is one word piece.
const VOCABULARY: [&str; 16] = [
    "river", "morning", "table", "green", "window", "letter", "winter", "bridge", "garden", "summer",
    "paper", "music", "road", "stone", "market", "light",
];

/// What the peers are made of.
const PACKAGES: [&str; 5] = [
    "onnxruntime==1.32.0",
    "onnx==1.23.2",
    "numpy==2.4.6",
    "safetensors==0.8.0",
    "tokenizers==0.23.3",
];

/// Everything that is compared, on all-MiniLM-L6-v2.
struct Runners {
    runtime: Runtime,
    exact: LocalEmbedder,
    /// Absent on a processor without kernels for bytes.
    bytes: Option<LocalEmbedder>,
    candle: BertModel,
    peer: Peer,
}

pub fn measure() -> Result<Measured> {
    ensure!(
        std::env::var("RAYON_NUM_THREADS").as_deref() == Ok("1"),
        "set RAYON_NUM_THREADS=1 as `cargo xtask measure` does: candle runs on one thread like the others"
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let of_app = of_app(&runtime)?;
    let exe = crate::programs::folder()?;
    let dir = embedding_local::find_model_dir(&exe, &exe).context("the embedding model is missing")?;
    let python = python(&PACKAGES)?;
    let graphs = tempfile::tempdir()?;
    let arguments = [&dir, graphs.path()].map(|path: &Path| path.display().to_string());
    let minilm = LocalModel::ALL_MINILM_L6_V2;
    let mut runners = Runners {
        runtime,
        exact: minilm.load_from(&dir)?,
        bytes: match Precision::Int8.is_quick_here() {
            true => Some(minilm.in_precision(Precision::Int8).load_from(&dir)?),
            false => None,
        },
        candle: load_candle(&dir)?,
        peer: Peer::start(&python, include_str!("embedding_peers.py"), &arguments)?,
    };
    let mut by_tokens = Map::new();
    for words in WORDS {
        let (tokens, figures) = compare(&mut runners, words)?;
        by_tokens.insert(format!("tokens_{tokens}"), figures);
    }
    Ok(Measured {
        lines: Vec::new(),
        figures: json!({ "app": of_app, "all_minilm_l6_v2_cpu_ms_p25": by_tokens, "rounds": ROUNDS }),
    })
}

/// The model that the app uses, as the app uses it: on the clock.
fn of_app(runtime: &Runtime) -> Result<Value> {
    let (before, began) = (resident_mib(), Instant::now());
    let model = Model::load(None)?;
    let load_ms = began.elapsed().as_secs_f64() * 1_000.0;
    let timed = |words: usize| -> Result<Value> {
        let mut millis = Vec::new();
        for round in 0..QUESTIONS {
            let began = Instant::now();
            runtime.block_on(model.embed(&[text(words, round)], EmbedPurpose::Query))?;
            millis.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        Ok(times(millis))
    };
    Ok(json!({
        "space": model.0.space().name(),
        "load_ms": round(load_ms),
        "short_question": timed(8)?,
        "long_text": timed(98)?,
        "resident_mib": round(resident_mib() - before),
    }))
}

/// One alternating run on texts of one length. Gives back how many word pieces they have.
fn compare(runners: &mut Runners, words: usize) -> Result<(usize, Value)> {
    let [mut exact, mut bytes, mut of_candle, mut fp32, mut int8] = [const { Vec::new() }; 5];
    let mut difference_max = 0.0_f32;
    let mut tokens = 0;
    for round in 0..ROUNDS {
        // Another text each time: nothing may come from a cache.
        let text = text(words, round);
        let vector = timed(&runners.runtime, &runners.exact, &text, &mut exact)?;
        if let Some(model) = &runners.bytes {
            timed(&runners.runtime, model, &text, &mut bytes)?;
        }
        let answer = ask(&mut runners.peer, "fp32", &text, &mut fp32)?;
        for (ours, theirs) in vector
            .iter()
            .zip(answer["vector"].as_array().into_iter().flatten())
        {
            #[expect(clippy::cast_possible_truncation, reason = "it was an f32 on the other side")]
            let theirs = theirs.as_f64().context("a number")? as f32;
            difference_max = difference_max.max((ours - theirs).abs());
        }
        tokens = usize::try_from(answer["tokens"].as_u64().context("a count")?)?;
        ask(&mut runners.peer, "int8", &text, &mut int8)?;
        let ids = Tensor::zeros((1, tokens), DType::U32, &Device::Cpu)?;
        let began = cpu_ms();
        (runners.candle.forward(&ids, &ids, None)?)
            .mean(1)?
            .to_vec2::<f32>()?;
        of_candle.push(cpu_ms() - began);
    }
    let [exact, bytes, fp32, int8, of_candle] = [exact, bytes, fp32, int8, of_candle].map(p25);
    let figures = json!({
        "f32": round(exact),
        "int8": round(bytes),
        "onnxruntime_f32": round(fp32),
        "onnxruntime_int8": round(int8),
        "candle": round(of_candle),
        "f32_times_onnxruntime_f32": round(fp32 / exact),
        "int8_times_onnxruntime_f32": round(fp32 / bytes),
        "f32_times_candle": round(of_candle / exact),
        "largest_difference_to_onnxruntime_f32": difference_max,
    });
    Ok((tokens, figures))
}

fn timed(runtime: &Runtime, model: &LocalEmbedder, text: &str, millis: &mut Vec<f64>) -> Result<Vec<f32>> {
    let texts = [text.to_owned()];
    let began = cpu_ms();
    let vectors = runtime.block_on(model.embed(&texts, EmbedPurpose::Passage))?;
    millis.push(cpu_ms() - began);
    vectors.into_iter().next().context("a vector")
}

fn ask(peer: &mut Peer, name: &str, text: &str, millis: &mut Vec<f64>) -> Result<Value> {
    let answer = peer.ask(&json!({ "peer": name, "text": text }).to_string())?;
    millis.push(answer["cpu_ms"].as_f64().context("a time")?);
    Ok(answer)
}

fn text(words: usize, round: usize) -> String {
    let word = |place: usize| VOCABULARY[(place * 7 + round * 5 + place * place) % VOCABULARY.len()];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

fn p25(mut millis: Vec<f64>) -> f64 {
    millis.sort_by(f64::total_cmp);
    percentile(&millis, 0.25)
}

fn load_candle(dir: &Path) -> Result<BertModel> {
    let config: Config = serde_json::from_slice(&std::fs::read(dir.join("config.json"))?)?;
    let weights = std::fs::read(dir.join("model.safetensors"))?;
    let tensors = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
    Ok(BertModel::load(tensors, &config)?)
}

/// CPU time of all threads of this process. Linux says it thread by thread; elsewhere it is the time on the clock.
fn cpu_ms() -> f64 {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1_000.0;
    };
    let nanos = |path: std::path::PathBuf| -> Option<f64> {
        let line = std::fs::read_to_string(path.join("schedstat")).ok()?;
        line.split_whitespace().next()?.parse().ok()
    };
    tasks.flatten().filter_map(|task| nanos(task.path())).sum::<f64>() / 1e6
}

/// Resident memory of this process, where the system says it.
fn resident_mib() -> f64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
            line.split_whitespace().nth(1)?.parse::<f64>().ok()
        })
        .map_or(0.0, |kib| kib / 1_024.0)
}
