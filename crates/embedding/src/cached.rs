//! Keeps recent vectors: the same question is asked again while somebody types, and the same passage comes
//! back from several places.

use async_trait::async_trait;
use lru::LruCache;
use memory_model::Timestamp;
use ports::{Clock, EmbedError, EmbedPurpose, EmbeddedTokens, Embedder, EmbeddingSpace};
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much is kept and for how long (spec settings.md, «Embedding sources»).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Vectors at most; 0 keeps none. A vector of 384 numbers takes 1.5 kB.
    pub entries_max: usize,
    /// Milliseconds after its last use until a vector is forgotten; 0 keeps none.
    pub ttl_ms: u64,
}

impl Default for CacheLimits {
    /// 1000 entries and five minutes.
    fn default() -> Self {
        Self {
            entries_max: 1000,
            ttl_ms: 300_000,
        }
    }
}

/// An embedder that remembers what it was asked. One cache may serve several embedders, because the key
/// names the source, the model and the dimension.
#[derive(Clone)]
pub struct VectorCache {
    shared: Arc<Shared>,
}

struct Shared {
    limits: CacheLimits,
    clock: Arc<dyn Clock>,
    entries: Option<Mutex<LruCache<Key, Entry>>>,
}

/// SHA-256 over source, model, dimension, purpose and text.
type Key = [u8; 32];

struct Entry {
    vector: Vec<f32>,
    used_at: Timestamp,
}

impl VectorCache {
    /// An empty cache.
    pub fn new(limits: CacheLimits, clock: Arc<dyn Clock>) -> Self {
        let kept = NonZeroUsize::new(limits.entries_max).filter(|_| limits.ttl_ms > 0);
        // Grows with use: a limit of a million costs nothing until there are a million vectors.
        let entries = kept.map(|max| {
            let mut entries = LruCache::unbounded();
            entries.resize(max);
            Mutex::new(entries)
        });
        Self {
            shared: Arc::new(Shared {
                limits,
                clock,
                entries,
            }),
        }
    }

    /// Vectors that are kept now, those among them that are too old and were not asked for since.
    pub fn len(&self) -> usize {
        self.lock().map_or(0, |entries| entries.len())
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets every vector; a forgotten memory must not live on here.
    pub fn clear(&self) {
        if let Some(mut entries) = self.lock() {
            entries.clear();
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, LruCache<Key, Entry>>> {
        // No call leaves the cache half changed, so what a panicking thread left is whole.
        self.shared
            .entries
            .as_ref()
            .map(|entries| entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The vector under each key. A hit counts as use, so it stays for another `ttl_ms`.
    fn get(&self, keys: &[Key]) -> Vec<Option<Vec<f32>>> {
        let now = self.shared.clock.now();
        let Some(mut entries) = self.lock() else {
            return vec![None; keys.len()];
        };
        keys.iter()
            .map(|key| {
                let entry = entries.get_mut(key)?;
                if self.is_old(entry, now) {
                    entries.pop(key);
                    return None;
                }
                entry.used_at = now;
                Some(entry.vector.clone())
            })
            .collect()
    }

    fn put<'a>(&self, new: impl Iterator<Item = (Key, &'a Vec<f32>)>) {
        let now = self.shared.clock.now();
        let Some(mut entries) = self.lock() else { return };
        for (key, vector) in new {
            entries.put(
                key,
                Entry {
                    vector: vector.clone(),
                    used_at: now,
                },
            );
        }
    }

    /// A clock that was set back makes an entry young, never old: the vector is right all the same.
    fn is_old(&self, entry: &Entry, now: Timestamp) -> bool {
        let age_ms = now.as_millis().saturating_sub(entry.used_at.as_millis());
        u64::try_from(age_ms).is_ok_and(|age_ms| age_ms >= self.shared.limits.ttl_ms)
    }
}

/// An embedder in front of which a [`VectorCache`] stands.
pub struct CachedEmbedder {
    inner: Arc<dyn Embedder>,
    cache: VectorCache,
}

impl CachedEmbedder {
    /// Puts a cache before an embedder.
    pub fn new(inner: Arc<dyn Embedder>, cache: VectorCache) -> Self {
        Self { inner, cache }
    }

    fn key(&self, text: &str, purpose: EmbedPurpose) -> Key {
        let purpose = match purpose {
            EmbedPurpose::Query => "query",
            EmbedPurpose::Passage => "passage",
        };
        let text = memory_model::nfc(text);
        let mut hasher = Sha256::new();
        // A NUL between the parts, so that no two lists of parts make one text. The same words have two
        // vectors in a model with prefixes, so the purpose is a part.
        for part in [self.space().name().as_str(), purpose, text.trim()] {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        hasher.finalize().into()
    }
}

#[async_trait]
impl Embedder for CachedEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        self.inner.space()
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        self.inner.chunks(text)
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let keys: Vec<Key> = texts.iter().map(|text| self.key(text, purpose)).collect();
        let mut known = self.cache.get(&keys);
        let missing: Vec<usize> = known
            .iter()
            .enumerate()
            .filter(|(_, vector)| vector.is_none())
            .map(|(place, _)| place)
            .collect();
        if !missing.is_empty() {
            let asked: Vec<String> = missing
                .iter()
                .filter_map(|&place| texts.get(place))
                .cloned()
                .collect();
            let made = self.inner.embed(&asked, purpose).await?;
            if made.len() != asked.len() {
                let reason = format!("the model made {} vectors for {} texts", made.len(), asked.len());
                return Err(EmbedError::RequestFailed { reason });
            }
            let of_missing = missing.iter().filter_map(|&place| keys.get(place)).copied();
            self.cache.put(of_missing.zip(&made));
            for (place, vector) in missing.into_iter().zip(made) {
                if let Some(known) = known.get_mut(place) {
                    *known = Some(vector);
                }
            }
        }
        Ok(known.into_iter().flatten().collect())
    }

    /// Never kept: the pieces of a question take twenty times as much as its vector.
    async fn embed_tokens(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Option<Vec<EmbeddedTokens>>, EmbedError> {
        self.inner.embed_tokens(texts, purpose).await
    }
}
