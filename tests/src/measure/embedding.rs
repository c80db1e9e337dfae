//! `embedding`: how long the model takes to load and to embed.

use super::world::Model;
use super::{Measured, round, times};
use anyhow::Result;
use ports::EmbedPurpose;
use serde_json::json;
use std::time::Instant;

const RUNS: usize = 100;

pub fn measure() -> Result<Measured> {
    let began = Instant::now();
    let model = Model::load(None)?;
    let load = began.elapsed().as_secs_f64() * 1_000.0;
    let runtime = tokio::runtime::Runtime::new()?;
    let timed = |words: usize| -> Result<serde_json::Value> {
        let mut millis = Vec::new();
        for run in 0..RUNS {
            // Another text each time: nothing may come from a cache.
            let text = (0..words)
                .map(|word| format!("word{}", run * words + word))
                .collect::<Vec<_>>()
                .join(" ");
            let began = Instant::now();
            runtime.block_on(model.embed(&[text], EmbedPurpose::Query))?;
            millis.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        Ok(times(millis))
    };
    let figures = json!({ "load_ms": round(load), "short_query": timed(3)?, "long_text": timed(30)? });
    Ok(Measured {
        lines: Vec::new(),
        figures,
    })
}
