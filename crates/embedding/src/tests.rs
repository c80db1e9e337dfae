//! Source, cache and loading, with an embedder that counts.

use crate::{
    Available, CacheLimits, CachedEmbedder, EmbedderLoader, EmbedderState, EmbeddingSource, LazyEmbedder,
    ModelProfile, VectorCache, choose_source,
};
use async_trait::async_trait;
use memory_model::Timestamp;
use ports::{Clock, EmbedError, EmbedPurpose, Embedder, EmbeddingSpace};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[test]
fn auto_takes_the_best_that_works_and_a_named_source_or_none() {
    let files = Available {
        transformers: true,
        static_model: true,
        remote: false,
    };
    let check = |setting, available, expected| assert_eq!(choose_source(setting, available), expected);
    check(EmbeddingSource::Auto, Available::default(), None);
    check(EmbeddingSource::Auto, files, Some(EmbeddingSource::Transformers));
    check(
        EmbeddingSource::Auto,
        Available {
            remote: true,
            ..files
        },
        Some(EmbeddingSource::Remote),
    );
    check(
        EmbeddingSource::Auto,
        Available {
            transformers: false,
            ..files
        },
        Some(EmbeddingSource::Static),
    );
    check(EmbeddingSource::Static, files, Some(EmbeddingSource::Static));
    check(EmbeddingSource::Remote, files, None);
}

#[test]
fn sources_and_models_are_found_by_name() {
    for source in EmbeddingSource::ALL {
        assert_eq!(EmbeddingSource::named(source.name()), Some(source));
        assert_eq!(serde_json::to_value(source).unwrap(), source.name());
    }
    assert_eq!(EmbeddingSource::named("magic"), None);
    let profile = ModelProfile::named("sentence-transformers/all-MiniLM-L6-v2").unwrap();
    assert_eq!(ModelProfile::named("all-MiniLM-L6-v2"), Some(profile));
    assert_eq!(
        profile.space().name(),
        "transformers/sentence-transformers/all-MiniLM-L6-v2/384"
    );
    for profile in ModelProfile::ALL {
        let thresholds = profile.thresholds;
        assert!(
            thresholds.relevance_floor < thresholds.duplicate,
            "{}",
            profile.name
        );
        assert!(
            profile.overlap_tokens * 2 < profile.tokens_max,
            "{}",
            profile.name
        );
    }
}

#[test]
fn korean_texts_have_thresholds_of_their_own() {
    let profile = crate::ALL_MINILM_L6_V2;
    for korean in [
        "어디 앉을까요?",
        "회의는 Zoom으로",
        "기억",
        "Meet에서 10:30에 봐요",
    ] {
        assert_eq!(
            profile.thresholds_for(korean),
            profile.hangul_thresholds,
            "{korean}"
        );
    }
    for other in [
        "Where do I sit?",
        "",
        "12:30 🌙",
        "Please tell 민수 that the meeting moved to another room",
    ] {
        assert_eq!(profile.thresholds_for(other), profile.thresholds, "{other}");
    }
}

#[tokio::test]
async fn a_known_text_is_not_embedded_again() {
    let place = Place::new(CacheLimits::default());
    let first = place
        .embed(&["I take the aisle seat.", "통로 쪽 좌석으로 주세요."])
        .await;
    // A text with a space behind it is the same text.
    let again = place
        .embed(&[
            "통로 쪽 좌석으로 주세요.",
            "something new",
            "I take the aisle seat. ",
        ])
        .await;
    assert_eq!(place.model.asked(), 3, "only the new one");
    assert_eq!(again[0], first[1]);
    assert_eq!(again[2], first[0]);
    // Decomposed Hangul, as some systems type it, is the same text too.
    place.embed(&["통로"]).await;
    place.embed(&["\u{1110}\u{1169}\u{11BC}\u{1105}\u{1169}"]).await;
    assert_eq!(place.model.asked(), 4);
    // A question and a passage may have different vectors.
    place
        .cached
        .embed(&["something new".to_owned()], EmbedPurpose::Query)
        .await
        .unwrap();
    assert_eq!(place.model.asked(), 5);
}

#[tokio::test]
async fn a_hit_stays_five_more_minutes_and_the_rest_is_forgotten() {
    let place = Place::new(CacheLimits::default());
    place.embed(&["녹차", "커피"]).await;
    place.clock.forward(299_999);
    place.embed(&["녹차"]).await;
    assert_eq!(place.model.asked(), 2);
    place.clock.forward(1);
    place.embed(&["녹차", "커피"]).await;
    assert_eq!(place.model.asked(), 3, "only the coffee is too old");
    place.clock.forward(-10_000_000);
    place.embed(&["녹차"]).await;
    assert_eq!(
        place.model.asked(),
        3,
        "a clock that was set back forgets nothing"
    );
}

#[tokio::test]
async fn the_least_used_vector_leaves_a_full_cache() {
    let place = Place::new(CacheLimits {
        entries_max: 2,
        ttl_ms: 1000,
    });
    place.embed(&["one"]).await;
    place.embed(&["two"]).await;
    place.embed(&["one"]).await;
    place.embed(&["three"]).await;
    place.embed(&["one"]).await;
    assert_eq!(place.model.asked(), 3);
    place.embed(&["two"]).await;
    assert_eq!(place.model.asked(), 4);
    assert_eq!(place.cache.len(), 2);
    place.cache.clear();
    assert!(place.cache.is_empty());
}

#[tokio::test]
async fn more_texts_than_fit_still_come_back_in_order_and_a_limit_of_zero_keeps_none() {
    for limits in [
        CacheLimits {
            entries_max: 2,
            ttl_ms: 1000,
        },
        CacheLimits {
            entries_max: 0,
            ttl_ms: 1000,
        },
        CacheLimits {
            entries_max: 2,
            ttl_ms: 0,
        },
    ] {
        let place = Place::new(limits);
        let vectors = place.embed(&["1", "22", "333", "1"]).await;
        let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
        assert_eq!(lengths, [1.0, 2.0, 3.0, 1.0]);
        assert!(place.cache.len() <= limits.entries_max);
    }
}

#[tokio::test]
async fn a_failure_is_passed_on_and_not_kept() {
    let place = Place::new(CacheLimits::default());
    *place.model.failure.lock().unwrap() = Some(EmbedError::Cancelled);
    let asked = place
        .cached
        .embed(&["tea".to_owned()], EmbedPurpose::Passage)
        .await;
    assert_eq!(asked, Err(EmbedError::Cancelled));
    assert_eq!(place.embed(&["tea"]).await.len(), 1);
}

#[tokio::test]
async fn a_model_is_loaded_in_the_background_and_once() {
    let loader = Loader::with(Some("files"), Ok(()));
    let lazy = LazyEmbedder::new(loader.clone());
    assert!(matches!(lazy.state(), EmbedderState::Off));
    assert!(lazy.ready().is_none());
    lazy.start();
    lazy.clone().start();
    assert!(matches!(lazy.settled().await, EmbedderState::Ready(_)));
    assert!(lazy.ready().is_some());
    assert_eq!(loader.loads(), 1);
    assert!(!lazy.retry_if_changed(), "nothing to gain");
    lazy.stop();
    assert!(lazy.ready().is_none());
}

#[tokio::test]
async fn a_model_whose_files_arrive_later_is_loaded_then() {
    let loader = Loader::with(None, Err("put the files there"));
    let lazy = LazyEmbedder::new(loader.clone());
    lazy.start();
    match lazy.settled().await {
        EmbedderState::Failed(reason) => assert_eq!(reason, "put the files there"),
        other => panic!("{other:?}"),
    }
    assert!(!lazy.retry_if_changed(), "still no files");
    loader.set(Some("files"), Ok(()));
    assert!(lazy.retry_if_changed());
    assert!(matches!(lazy.settled().await, EmbedderState::Ready(_)));
    assert_eq!(loader.loads(), 2);
}

#[tokio::test]
async fn loading_that_panics_is_a_failure_with_a_reason() {
    struct Panics;
    impl EmbedderLoader for Panics {
        fn space(&self) -> EmbeddingSpace {
            space()
        }
        fn fingerprint(&self) -> Option<String> {
            None
        }
        fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
            panic!("a fault in a library");
        }
    }
    let lazy = LazyEmbedder::new(Panics);
    lazy.start();
    assert!(matches!(lazy.settled().await, EmbedderState::Failed(_)));
}

fn space() -> EmbeddingSpace {
    EmbeddingSpace {
        source: "transformers".to_owned(),
        model: "counting".to_owned(),
        dimension: 1,
    }
}

/// Makes the length of a text its vector.
struct Counting {
    space: EmbeddingSpace,
    asked: AtomicUsize,
    failure: Mutex<Option<EmbedError>>,
}

impl Counting {
    fn new() -> Self {
        Self {
            space: space(),
            asked: AtomicUsize::new(0),
            failure: Mutex::new(None),
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Embedder for Counting {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    async fn embed(&self, texts: &[String], _purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(failure) = self.failure.lock().unwrap().take() {
            return Err(failure);
        }
        self.asked.fetch_add(texts.len(), Ordering::SeqCst);
        Ok(texts
            .iter()
            .map(|text| vec![text.chars().count() as f32])
            .collect())
    }
}

struct SetClock(AtomicI64);

impl SetClock {
    fn forward(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

struct Place {
    model: Arc<Counting>,
    clock: Arc<SetClock>,
    cache: VectorCache,
    cached: CachedEmbedder,
}

impl Place {
    fn new(limits: CacheLimits) -> Self {
        let model = Arc::new(Counting::new());
        let clock = Arc::new(SetClock(AtomicI64::new(1_750_000_000_000)));
        let cache = VectorCache::new(limits, clock.clone());
        let cached = CachedEmbedder::new(model.clone(), cache.clone());
        Self {
            model,
            clock,
            cache,
            cached,
        }
    }

    async fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        self.cached.embed(&texts, EmbedPurpose::Passage).await.unwrap()
    }
}

#[derive(Clone)]
struct Loader(Arc<Mutex<LoaderState>>);

struct LoaderState {
    files: Option<&'static str>,
    outcome: Result<(), &'static str>,
    loads: usize,
}

impl Loader {
    fn with(files: Option<&'static str>, outcome: Result<(), &'static str>) -> Self {
        Self(Arc::new(Mutex::new(LoaderState {
            files,
            outcome,
            loads: 0,
        })))
    }

    fn set(&self, files: Option<&'static str>, outcome: Result<(), &'static str>) {
        let mut state = self.0.lock().unwrap();
        state.files = files;
        state.outcome = outcome;
    }

    fn loads(&self) -> usize {
        self.0.lock().unwrap().loads
    }
}

impl EmbedderLoader for Loader {
    fn space(&self) -> EmbeddingSpace {
        space()
    }

    fn fingerprint(&self) -> Option<String> {
        self.0.lock().unwrap().files.map(str::to_owned)
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let mut state = self.0.lock().unwrap();
        state.loads += 1;
        match state.outcome {
            Ok(()) => Ok(Arc::new(Counting::new())),
            Err(reason) => Err(EmbedError::ModelLoadFailed {
                reason: reason.to_owned(),
            }),
        }
    }
}
