//! Faults that people met in other memory systems, each kept away by a test. Where a report is guarded elsewhere, the
//! table says where; the tests of this file guard the rest on a whole turn.
//!
//! | report | guarded by |
//! |---|---|
//! | 1 recalled words come back as new memories | `thanks_beside_recalled_memories_leave_nothing_new` |
//! | 2 one fact twice at one moment | journeys `the_same_words_at_the_same_moment_are_there_once`, `two_reviewers_of_one_item_get_one_result` |
//! | 3 said again, and gone | `extraction::tests::judgement::said_again_confirms_and_removes_nothing`, `nothing_is_stored_when_all_of_it_is_known` |
//! | 4 the assistant's words as the user's | `extraction::tests::messages::the_assistant_never_becomes_the_user` |
//! | 5 somebody else's taste | `what_a_friend_dislikes_is_not_the_users_dislike` |
//! | 6 loved, then hated | `loved_then_hated_leaves_one_active_and_both_in_history` |
//! | 7 a value that changed | `a_city_that_changed_answers_for_its_own_time` |
//! | 8 a negation that is lost | `extraction::tests::messages::do_not_forget_to_is_a_reminder_and_no_dislike`, `a_dislike_says_so_in_its_text` |
//! | 9 unrelated facts retire each other | `extraction::tests::judgement::unrelated_facts_never_retire_each_other`, `facts_of_one_life_stand_beside_each_other` |
//! | 10 yesterday after midnight | `moved_yesterday_is_dated_by_the_users_clock_and_stored_in_utc`, `extraction::tests::dates` |
//! | 13 erased, and never to be said again | journey `what_was_erased_can_be_said_again` |
//! | 17 overwritten while the model thinks | `others_write_while_the_model_thinks`, `a_change_by_others_before_the_write_is_not_lost` |
//! | 22 names that fall together | `extraction::tests::limits::names_of_signs_and_slashes_get_keys_of_their_own` |
//! | 23 orders in a pasted page | `extraction::tests::messages::a_poisoned_document_is_told_to_the_user`, journey `an_order_that_is_not_the_users_own_is_set_aside` |
//! | 24 a memory of nobody | `a_memory_by_hand_is_recalled_by_its_owner_alone`, `final_output_is_complete_on_every_road` |
//! | 25 neighbours of somebody else | contract `a_search_is_filtered_before_it_is_ranked`, for words and for vectors |

use super::{Walk, World};
use crate::nodes::store_memory_updates::new_memory;
use crate::{Stop, TurnObserver, TurnPorts};
use async_trait::async_trait;
use futures::FutureExt;
use memory_model::{
    ApprovedUpdate, Memory, MemoryFilter, MemoryOrder, MemoryPatch, Node, Polarity, PromptContext, Status,
    ThreadId, Timestamp, TokenUsage, TurnInput, TurnState, UserId, WriteOp, WriteStatus,
};
use ports::{AnswerSink, ChatError, ChatModel, Clock, MemoryBackend};
use std::sync::Mutex;
use test_support::{InMemoryStore, sample};

const MINUTE_MS: i64 = 60_000;

fn user() -> UserId {
    UserId::new("user-123")
}

impl World {
    /// Memories in these states, oldest first.
    async fn in_states(&self, statuses: &[Status]) -> Vec<Memory> {
        let filter = MemoryFilter {
            statuses: statuses.to_vec(),
            ..MemoryFilter::active(user())
        };
        let page = self.store.list(&filter, MemoryOrder::Text, 0, 100).await.unwrap();
        let mut memories = page.data;
        memories.sort_by_key(|memory| memory.created_at);
        memories
    }

    /// What held at a time: the texts of active and superseded memories whose interval holds it.
    async fn held_at(&self, at: Timestamp) -> Vec<String> {
        let mut held = self.in_states(&[Status::Active, Status::Superseded]).await;
        held.retain(|memory| memory.valid_from <= at && memory.valid_to.is_none_or(|to| at < to));
        held.into_iter().map(|memory| memory.text).collect()
    }

    /// One whole turn whose ports a test has changed.
    async fn turn_with<'a>(
        &'a self,
        text: &str,
        walk: &'a Walk<'a>,
        change: impl FnOnce(TurnPorts<'a>) -> TurnPorts<'a>,
    ) -> TurnState {
        self.clock.advance_millis(MINUTE_MS);
        let input = TurnInput {
            input: text.to_owned(),
            user_id: Some(user()),
            thread_id: Some(ThreadId::new("t")),
        };
        let mut turn = TurnState::new(input, "test", self.clock.now());
        crate::run(
            &mut turn,
            Node::PrepareTurn,
            Stop::AtEnd,
            &change(self.ports(walk)),
        )
        .await;
        turn
    }

    fn walk(&self) -> Walk<'_> {
        Walk {
            world: self,
            last: Mutex::new(None),
        }
    }
}

#[tokio::test]
async fn thanks_beside_recalled_memories_leave_nothing_new() {
    let mut world = World::answering("You like aisle seats and green tea, and you live in Porto.");
    world.embedder = None;
    for fact in [
        "I prefer aisle seats.",
        "I love green tea.",
        "I live in Porto.",
        "저는 재즈를 좋아해요",
        "저는 간호사예요",
    ] {
        world.says("facts", fact).await;
    }
    let before = world.memories().await;
    assert_eq!(before.len(), 5, "{before:?}");
    for round in 0..10 {
        let thanks = if round % 2 == 0 {
            "Thanks for the aisle seats and the green tea!"
        } else {
            "재즈 얘기 고마워요!"
        };
        let output = world.says("talk", thanks).await;
        assert!(!output.retrieved_memories.is_empty(), "{output:?}");
        assert_eq!(output.stored_updates, []);
        assert_eq!(output.review_updates, []);
    }
    assert_eq!(world.memories().await, before);
}

#[tokio::test]
async fn what_a_friend_dislikes_is_not_the_users_dislike() {
    for said in [
        "My friend Omar doesn't like opera.",
        "A customer called Ines hates phone calls, what should I tell her?",
        "제 친구는 오페라를 싫어해요.",
        "고객님이 전화를 싫어하신대요.",
    ] {
        let world = World::answering("I see.");
        world.says("t", said).await;
        assert_eq!(world.memories().await, [], "{said}");
    }
}

#[tokio::test]
async fn loved_then_hated_leaves_one_active_and_both_in_history() {
    for (loved, hated) in [
        ("I love squash.", "Actually, I hate squash now."),
        ("저는 수영을 좋아해요", "이제는 수영을 싫어해요"),
    ] {
        let world = World::answering("Noted.");
        world.says("t", loved).await;
        world.says("t", hated).await;
        let active = world.in_states(&[Status::Active]).await;
        assert_eq!(active.len(), 1, "{active:?}");
        assert_eq!(active[0].polarity, Polarity::Negative);
        let ended = world.in_states(&[Status::Superseded]).await;
        assert_eq!(ended.len(), 1, "{ended:?}");
        assert_eq!(ended[0].superseded_by, Some(active[0].id.clone()));
    }
}

#[tokio::test]
async fn a_city_that_changed_answers_for_its_own_time() {
    let world = World::answering("Noted.");
    let mut times = Vec::new();
    for said in ["I live in Porto.", "I moved to Oslo.", "I moved back to Porto."] {
        world.says("t", said).await;
        times.push(world.clock.now().plus_millis(MINUTE_MS / 2));
    }
    // The same fact in a later period is a second interval; the first one stays closed.
    let mut held = Vec::new();
    for at in times {
        held.push(world.held_at(at).await.join("; "));
    }
    assert_eq!(
        held,
        ["Lives in Porto", "Moved to Oslo", "Moved back to Porto"],
        "{:?}",
        world.in_states(&[Status::Active, Status::Superseded]).await
    );
    assert_eq!(world.memories().await.len(), 1);
}

#[tokio::test]
async fn a_dislike_says_so_in_its_text() {
    for (said, verb) in [
        ("저는 오이를 싫어해요", "싫어"),
        ("저는 오이를 못 먹어요", "못 먹"),
        ("I don't like okra.", "n't like"),
    ] {
        let world = World::answering("Noted.");
        world.says("t", said).await;
        let kept = world.in_states(&[Status::Active]).await;
        assert_eq!(kept.len(), 1, "{said}");
        assert_eq!(kept[0].polarity, Polarity::Negative);
        assert!(kept[0].text.contains(verb), "{}", kept[0].text);
    }
}

#[tokio::test]
async fn facts_of_one_life_stand_beside_each_other() {
    let world = World::answering("Noted.");
    let facts = [
        "I live in Porto.",
        "I work as a nurse.",
        "I have two daughters.",
        "I play the cello.",
        "저는 왼손잡이예요",
        "커피는 안 마셔요",
        "매일 아침 수영을 해요",
    ];
    for fact in facts {
        world.says("t", fact).await;
    }
    let kept = world.in_states(&[Status::Active]).await;
    assert_eq!(kept.len(), facts.len(), "{kept:?}");
    assert!(kept.iter().all(|memory| memory.valid_to.is_none()));
}

#[tokio::test]
async fn moved_yesterday_is_dated_by_the_users_clock_and_stored_in_utc() {
    // 15:30 UTC on the 4th of March 2026 is half past midnight on the 5th in Seoul.
    let said_at = Timestamp::from_millis(1_772_638_200_000);
    let world = World::answering("Noted.");
    world.clock.set(said_at.plus_millis(-MINUTE_MS));
    world.clock.set_utc_offset_minutes(9 * 60);
    world.says("t", "어제 제주로 이사했어").await;
    let kept = world.in_states(&[Status::Active]).await;
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0].text, "어제 제주로 이사했어 (2026-03-04)");
    assert_eq!(kept[0].created_at, said_at, "UTC is stored");
    // The 4th began at 15:00 UTC on the 3rd.
    let began = said_at.plus_millis(-(24 * 60 + 30) * MINUTE_MS);
    assert_eq!(kept[0].valid_from, began);
}

#[tokio::test]
async fn a_yes_after_a_no_is_seen() {
    let world = World::answering("Noted.");
    world.says("t", "저는 커피를 안 마셔요").await;
    let output = world.says("t", "저는 커피를 마셔요").await;
    let seen = output.stored_updates.len() + output.review_updates.len();
    assert_eq!(seen, 1, "{output:?}");
    assert_eq!(
        world.memories().await.len(),
        1,
        "both never stand beside each other"
    );
}

/// A model during whose answer somebody else writes.
struct SlowModel<'a> {
    store: &'a InMemoryStore,
    clock: &'a dyn Clock,
}

#[async_trait]
impl ChatModel for SlowModel<'_> {
    fn name(&self) -> &str {
        "slow model"
    }

    async fn answer(&self, _: &PromptContext, sink: &mut dyn AnswerSink) -> Result<TokenUsage, ChatError> {
        sink.push("I am ").await;
        let theirs = sample::new_memory(&user(), "profile:piano", "Plays the piano");
        let op = WriteOp::Create { memory: theirs };
        let batch = sample::batch(&user(), self.clock.now(), vec![op]);
        let written = self
            .store
            .apply(batch)
            .await
            .expect("no lock is held while the model thinks");
        assert_eq!(written.results[0].status, WriteStatus::Created);
        sink.push("thinking.").await;
        Ok(TokenUsage::default())
    }

    async fn summarise(&self, text: &str, _: usize) -> Result<String, ChatError> {
        Ok(text.to_owned())
    }
}

#[tokio::test]
async fn others_write_while_the_model_thinks() {
    let world = World::new();
    let walk = world.walk();
    let model = SlowModel {
        store: &world.store,
        clock: &world.clock,
    };
    let turn = world
        .turn_with("I prefer aisle seats.", &walk, |ports| TurnPorts {
            model: Some(&model),
            ..ports
        })
        .await;
    assert_eq!(
        turn.final_output.stored_updates.len(),
        1,
        "{:?}",
        turn.final_output
    );
    let texts: Vec<String> = world.memories().await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        ["Plays the piano", "Prefers aisle seats"],
        "neither is lost"
    );
}

/// Changes a memory when the turn is about to write.
struct Meddler<'a> {
    store: &'a InMemoryStore,
    clock: &'a dyn Clock,
    memory: Memory,
}

impl TurnObserver for Meddler<'_> {
    fn node_started(&self, _turn: &TurnState, node: Node) {
        if node != Node::StoreMemoryUpdates {
            return;
        }
        let patch = MemoryPatch {
            text: Some("Prefers window seats near the wing".to_owned()),
            ..MemoryPatch::default()
        };
        let op = WriteOp::Update {
            id: self.memory.id.clone(),
            expected_version: self.memory.version,
            patch,
        };
        let batch = sample::batch(&user(), self.clock.now(), vec![op]);
        let written = self
            .store
            .apply(batch)
            .now_or_never()
            .expect("a store in memory")
            .unwrap();
        assert_eq!(written.results[0].status, WriteStatus::Updated);
    }
}

#[tokio::test]
async fn a_change_by_others_before_the_write_is_not_lost() {
    let world = World::answering("Noted.");
    world.says("t", "I prefer window seats.").await;
    let memory = world.in_states(&[Status::Active]).await.remove(0);
    let meddler = Meddler {
        store: &world.store,
        clock: &world.clock,
        memory,
    };
    let walk = world.walk();
    let turn = world
        .turn_with("I now prefer aisle seats.", &walk, |ports| TurnPorts {
            observer: &meddler,
            ..ports
        })
        .await;
    // The write compares versions: a person sees both sides.
    let active = world.in_states(&[Status::Active]).await;
    assert_eq!(active.len(), 1);
    assert_eq!(active[0].text, "Prefers window seats near the wing");
    let output = &turn.final_output;
    assert_eq!(
        (output.stored_updates.len(), output.review_updates.len()),
        (0, 1),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_memory_by_hand_is_recalled_by_its_owner_alone() {
    let mut world = World::answering("Noted.");
    world.embedder = None;
    let candidate =
        extraction::candidate_by_hand("저는 땅콩버터를 좋아해요", None, world.clock.now()).expect("a memory");
    let memory = new_memory(
        &user(),
        &ApprovedUpdate {
            candidate,
            replaces: None,
        },
    );
    let op = WriteOp::Create { memory };
    world
        .store
        .apply(sample::batch(&user(), world.clock.now(), vec![op]))
        .await
        .unwrap();
    let output = world.says("t", "땅콩버터를 좋아하는지 기억해?").await;
    assert_eq!(output.retrieved_memories.len(), 1, "{output:?}");
    let stranger = world
        .run(TurnInput {
            input: "땅콩버터를 좋아하는지 기억해?".to_owned(),
            user_id: Some(UserId::new("somebody-else")),
            thread_id: Some(ThreadId::new("t2")),
        })
        .await;
    assert!(stranger.retrieved_memories.is_empty(), "{stranger:?}");
}
