//! What the product does on measured cases, and how long it takes. Every measurement drives the functions that the
//! app calls, with default settings, and writes one line a case, so that anybody can score it independently.

#![expect(clippy::print_stdout, reason = "a command line program")]

mod cases;
mod conflict;
mod embedding;
mod extraction;
mod index;
mod peers;
mod retrieval;
mod startup;
mod turn;
mod turns;
mod world;

use anyhow::{Result, bail};
use serde_json::Value;
use std::path::PathBuf;

const HELP: &str = "\
reverie-measure NAME [--cases DIR] [--out DIR] [--json]

  extraction   what is found in a message (needs extraction.jsonl)
  conflict     how two statements relate (needs conflict.jsonl)
  turns        whole conversations (needs turns.json)
  retrieval    what a question finds, in Korean pairs of our own and in the cases that there are
               (locomo_turns.jsonl and locomo_questions.jsonl, retrieval.json; --model NAME: with that model)
  embedding    time of the embedding model beside onnxruntime and candle (installs them with pip)
  turn         time of a turn without its answer, at 10,000 memories
  index        search by meaning against faiss-cpu and sqlite-vec (--size N: only with N vectors)
  startup      cold start to first paint, and memory
";

/// What one measurement gives back.
pub struct Measured {
    /// A line a case, for `NAME.jsonl`.
    pub lines: Vec<Value>,
    /// Figures, for people and for `--json`.
    pub figures: Value,
}

/// What the measurements are told.
pub struct Arguments {
    /// Where the cases are.
    pub cases: Option<PathBuf>,
    /// The one size to measure at, where there are several.
    pub size: Option<usize>,
    /// The embedding model, where it is not the one that the app would take.
    pub model: Option<String>,
}

/// Reads the arguments, measures, prints.
///
/// # Errors
/// For an unknown name, missing cases, or a measurement that could not be made.
pub fn main() -> Result<()> {
    let mut arguments = pico_args::Arguments::from_env();
    if arguments.contains(["-h", "--help"]) {
        println!("{HELP}");
        return Ok(());
    }
    let json = arguments.contains("--json");
    let cases: Option<PathBuf> = arguments.opt_value_from_str("--cases")?;
    let out: Option<PathBuf> = arguments.opt_value_from_str("--out")?;
    let size: Option<usize> = arguments.opt_value_from_str("--size")?;
    let model: Option<String> = arguments.opt_value_from_str("--model")?;
    let name: String = arguments.free_from_str()?;
    let given = Arguments { cases, size, model };
    let measured = match name.as_str() {
        "extraction" => extraction::measure(&given)?,
        "conflict" => conflict::measure(&given)?,
        "turns" => turns::measure(&given)?,
        "retrieval" => retrieval::measure(&given)?,
        "embedding" => embedding::measure()?,
        "turn" => turn::measure()?,
        "index" => index::measure(&given)?,
        "startup" => startup::measure()?,
        "dream" | "secrets" | "sync" | "doors" | "generation" | "search" => {
            bail!("`{name}` has nothing to measure yet: that part of the app is not built")
        }
        _ => bail!("`{name}` is not known\n\n{HELP}"),
    };
    if let Some(out) = out {
        std::fs::create_dir_all(&out)?;
        let lines: Vec<String> = measured.lines.iter().map(Value::to_string).collect();
        std::fs::write(out.join(format!("{name}.jsonl")), lines.join("\n") + "\n")?;
    }
    if json {
        println!("{}", measured.figures);
    } else {
        table(&name, &measured.figures);
    }
    Ok(())
}

/// Prints figures, one a line, nested names joined by a dot.
fn table(name: &str, figures: &Value) {
    match figures {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(field, value)| table(&format!("{name}.{field}"), value)),
        other => println!("{name:<48} {other}"),
    }
}

/// The value below which a share of sorted values lies.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((sorted.len() - 1) as f64 * share).round() as usize;
    sorted[index]
}

/// p50 and p95 of times in milliseconds.
pub(crate) fn times(mut millis: Vec<f64>) -> Value {
    millis.sort_by(f64::total_cmp);
    serde_json::json!({
        "p50_ms": round(percentile(&millis, 0.5)),
        "p95_ms": round(percentile(&millis, 0.95)),
        "runs": millis.len(),
    })
}

pub(crate) fn round(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
