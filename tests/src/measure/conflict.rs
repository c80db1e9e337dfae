//! `conflict`: how a new statement relates to a remembered one.

use super::world::Model;
use super::{Arguments, Measured, cases};
use anyhow::Result;
use extraction::{Closeness, Relation, Statement, relate};
use ports::EmbedPurpose;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Row {
    id: String,
    lang: String,
    existing: String,
    candidate: String,
    label: String,
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let rows: Vec<Row> = cases::lines(arguments, "conflict.jsonl")?;
    let runtime = tokio::runtime::Runtime::new()?;
    let model = Model::load(None)?;
    let space = model.0.space();
    let mut lines = Vec::new();
    let mut right = BTreeMap::<String, (u32, u32)>::new();
    for row in &rows {
        let texts = [row.existing.clone(), row.candidate.clone()];
        let vectors = runtime.block_on(model.embed(&texts, EmbedPurpose::Passage))?;
        let likeness = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum();
        let thresholds = embedding::thresholds_for(space, &row.candidate);
        let closeness = Closeness::of(likeness, thresholds.neighbour, thresholds.duplicate);
        let related = relate(
            &Statement::of_text(&row.existing),
            &Statement::of_text(&row.candidate),
            Some(closeness),
        );
        let label = match related.relation {
            Relation::Duplicate => "duplicate",
            Relation::Update => "update",
            Relation::Complement => "complement",
            Relation::Unrelated => "unrelated",
        };
        let (hits, all) = right.entry(row.lang.clone()).or_default();
        *hits += u32::from(label == row.label);
        *all += 1;
        lines.push(json!({ "id": row.id, "label": label, "review": related.review }));
    }
    let figures = right
        .into_iter()
        .map(|(lang, (hits, all))| (lang, json!({ "right": hits, "rows": all })))
        .collect();
    Ok(Measured {
        lines,
        figures: Value::Object(figures),
    })
}
