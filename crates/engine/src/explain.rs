//! The search playground: one question asked with other parameters than the settings', each hit with its signals,
//! its tokens, and whether it would stand in the prompt.

use crate::turns::RECALL_LIMIT;
use crate::{Engine, EngineError, EngineResult, ExplainedHit, SearchExplained, SearchProbe};
use memory_model::{Found, Hit, MemoryFilter, MemoryOrder, Strategy, Why, nfc};
use ports::MemoryBackend;
use recall::budget::estimate_tokens;
use recall::search::Places;
use turn::nodes::build_prompt_context::memory_note;

/// Hits that a screen shows of one question; what a prompt can hold is far less.
const HITS_MAX: usize = 50;

/// The k of a probe, as the setting `memoryRrfK` allows it.
const K: std::ops::RangeInclusive<u32> = 1..=1_000;

/// Tokens of a probe, as the setting `memoryMaxTokens` allows them.
const TOKENS_MAX: u32 = 16_000;

impl Engine {
    /// Asks the memory one question and explains every hit. Counts nothing as recalled.
    ///
    /// # Errors
    /// `InvalidInput` that names the parameter which is out of its range.
    pub async fn explain_search(&self, probe: &SearchProbe) -> EngineResult<SearchExplained> {
        let settings = self.settings();
        let rrf_k = probe.rrf_k.unwrap_or(settings.rrf_k);
        if !K.contains(&rrf_k) {
            return Err(EngineError::invalid("rrf_k", "k: 1 to 1000."));
        }
        let budget = probe.tokens_max.unwrap_or(settings.memory_max_tokens);
        if budget > TOKENS_MAX {
            return Err(EngineError::invalid("tokens_max", "Budget: 0 to 16000 tokens."));
        }
        let found = self.probe(probe, rrf_k).await?;
        let (hits, tokens) = in_prompt(found.hits, budget);
        Ok(SearchExplained {
            hits,
            left_out: found.left_out,
            meaning_searched: found.meaning_searched,
            model: self.inner.models.space().model,
            strategy: probe.strategy,
            rrf_k,
            tokens,
            tokens_max: budget,
            hits_max: u32::try_from(RECALL_LIMIT).unwrap_or(u32::MAX),
        })
    }

    async fn probe(&self, probe: &SearchProbe, rrf_k: u32) -> EngineResult<Found> {
        let filter = MemoryFilter::active(self.user());
        let store = &self.inner.store;
        let now = self.inner.clock.now();
        let text = nfc(probe.text.trim());
        if probe.strategy == Strategy::Recent {
            let rows = u32::try_from(HITS_MAX).unwrap_or(u32::MAX);
            let page = store.list(&filter, MemoryOrder::Updated, 0, rows).await?;
            let hits = page.data.into_iter().map(|memory| Hit {
                memory,
                score: 0.0,
                why: Why::default(),
            });
            return Ok(Found {
                hits: hits.collect(),
                ..Found::default()
            });
        }
        let embedder = self.embedder();
        let query = recall::Query::of(&text);
        let places = Places {
            memory: store,
            vectors: store,
            embedder: embedder.as_deref(),
        };
        let params = recall::Params {
            strategy: probe.strategy,
            rrf_k,
            limit: HITS_MAX,
            similarity_min: self.thresholds_for(&text).relevance_floor,
            with_irrelevant: false,
            now,
        };
        Ok(recall::search(&query, &filter, places, params).await?.found)
    }
}

/// Fills the budget as a turn does, best first, and says what each hit costs.
fn in_prompt(hits: Vec<Hit>, budget: u32) -> (Vec<ExplainedHit>, u32) {
    let mut used = 0_u32;
    let explained = hits
        .into_iter()
        .enumerate()
        .map(|(index, hit)| {
            let room = budget.saturating_sub(used);
            let line = memory_note(&hit.memory, room).filter(|_| index < RECALL_LIMIT);
            let whole = memory_note(&hit.memory, TOKENS_MAX);
            let tokens = estimate_tokens(line.as_deref().or(whole.as_deref()).unwrap_or_default());
            if line.is_some() {
                used = used.saturating_add(tokens);
            }
            ExplainedHit {
                cut: line.is_some() && line != whole,
                in_prompt: line.is_some(),
                memory: hit.memory,
                score: hit.score,
                why: hit.why,
                tokens,
            }
        })
        .collect();
    (explained, used)
}
