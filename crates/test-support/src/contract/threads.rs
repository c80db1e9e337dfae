//! Threads and messages.

use super::{create, get, not_found, ok};
use crate::sample::{self, at, daniel, message, minji};
use memory_model::{AnsweredBy, MessageId, MessageState, Role, ThreadId};
use ports::{Conversations, MemoryBackend, NewMessage};

pub(super) async fn all<S: Conversations + MemoryBackend>(make: &impl AsyncFn() -> S) {
    a_thread_comes_back_as_it_was_made(make().await).await;
    a_thread_is_read_by_its_owner_only(make().await).await;
    threads_are_listed_last_used_first(make().await).await;
    threads_are_searched_in_both_languages(make().await).await;
    a_name_that_was_given_stays(make().await).await;
    a_thread_can_be_put_away(make().await).await;
    a_thread_can_be_deleted_and_brought_back(make().await).await;
    only_threads_deleted_before_are_erased(make().await).await;
    what_is_missing_is_not_found(make().await).await;
    a_message_makes_its_thread(make().await).await;
    messages_are_counted_up_over_all_threads(make().await).await;
    a_message_is_appended_once(make().await).await;
    an_answer_grows_while_it_streams(make().await).await;
    the_last_messages_come_oldest_first(make().await).await;
    a_summary_is_kept(make().await).await;
}

async fn say<S: Conversations>(store: &S, thread: &str, text: &str, seconds: i64) -> memory_model::Message {
    let message = message(&minji(), &ThreadId::new(thread), text, at(seconds));
    ok(store.append_message(message).await, "append_message")
}

async fn listed<S: Conversations>(store: &S, archived: bool, search: Option<&str>) -> Vec<String> {
    let threads = ok(store.threads(&minji(), archived, search, 50).await, "threads");
    threads
        .into_iter()
        .map(|thread| thread.id.as_str().to_owned())
        .collect()
}

async fn thread<S: Conversations>(store: &S, id: &str) -> memory_model::Thread {
    let thread = ok(store.thread(&minji(), &ThreadId::new(id)).await, "thread");
    thread.unwrap_or_else(|| panic!("thread {id} must exist"))
}

async fn a_thread_comes_back_as_it_was_made<S: Conversations>(store: S) {
    let given = memory_model::Thread {
        temporary: true,
        ..sample::thread("trip", "제주 여행 🛫", at(3))
    };
    ok(store.create_thread(&minji(), &given).await, "create_thread");
    assert_eq!(
        thread(&store, "trip").await,
        given,
        "a thread comes back as it was made"
    );
    assert_eq!(
        listed(&store, false, None).await,
        ["trip"],
        "a new thread is in the list"
    );
    let messages = ok(store.messages(&minji(), &given.id, 10).await, "messages");
    assert!(messages.is_empty(), "a new thread is empty");
    let cursor = ok(
        store.extraction_cursor(&minji(), &given.id).await,
        "extraction_cursor",
    );
    assert_eq!(cursor, 0, "the cursor of a new thread is 0");
}

async fn a_thread_is_read_by_its_owner_only<S: Conversations>(store: S) {
    let id = ThreadId::new("trip");
    say(&store, "trip", sample::SEAT_KO, 0).await;
    assert_eq!(
        ok(store.thread(&daniel(), &id).await, "thread"),
        None,
        "a thread is read by its owner only"
    );
    assert!(
        ok(store.threads(&daniel(), false, None, 9).await, "threads").is_empty(),
        "a list is limited to its owner"
    );
    let found = ok(store.threads(&daniel(), false, Some("통로"), 9).await, "threads");
    assert!(found.is_empty(), "a search is limited to its owner");
    assert!(
        ok(store.messages(&daniel(), &id, 9).await, "messages").is_empty(),
        "messages are read by their owner only"
    );
    let after = ok(store.messages_after(&daniel(), &id, 0).await, "messages_after");
    assert!(after.is_empty(), "messages are read by their owner only");
    not_found(
        store.rename_thread(&daniel(), &id, "taken over").await,
        "renaming another owner's thread",
    );
    not_found(
        store.archive_thread(&daniel(), &id, true).await,
        "putting away another owner's thread",
    );
    not_found(
        store.delete_thread(&daniel(), &id, true, at(1)).await,
        "deleting another owner's thread",
    );
    assert_eq!(
        listed(&store, false, None).await,
        ["trip"],
        "another owner changes nothing"
    );
    assert_ne!(
        thread(&store, "trip").await.title,
        "taken over",
        "another owner changes nothing"
    );
}

async fn threads_are_listed_last_used_first<S: Conversations>(store: S) {
    for (id, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
        say(&store, id, "안녕하세요", seconds).await;
    }
    assert_eq!(
        listed(&store, false, None).await,
        ["c", "b", "a"],
        "last used first"
    );
    say(&store, "a", "다시 왔어요", 4).await;
    assert_eq!(
        listed(&store, false, None).await,
        ["a", "c", "b"],
        "a new message brings its thread to the top"
    );
    let a = thread(&store, "a").await;
    assert_eq!(a.updated_at, at(4), "updated_at is when something was last said");
    assert_eq!(a.created_at, at(1), "created_at is when the thread began");
    assert_eq!(a.snippet, "다시 왔어요", "the snippet is the last message");
    let short = ok(store.threads(&minji(), false, None, 2).await, "threads");
    assert_eq!(short.len(), 2, "at most `limit` threads");
}

async fn threads_are_searched_in_both_languages<S: Conversations>(store: S) {
    say(&store, "seat", sample::SEAT_KO, 1).await;
    say(&store, "food", sample::FOOD_EN, 2).await;
    say(
        &store,
        "discount",
        "It was 50% off, \"really\" (C++ book) O'Reilly",
        3,
    )
    .await;
    ok(
        store
            .create_thread(&minji(), &sample::thread("named", "제주도 여행 계획", at(4)))
            .await,
        "create_thread",
    );
    let cases = [
        ("좌석", vec!["seat"]),
        ("통로 쪽", vec!["seat"]),
        ("석이", vec!["seat"]),
        ("shellfish", vec!["food"]),
        ("제주", vec!["named"]),
        ("여행 계획", vec!["named"]),
        ("50%", vec!["discount"]),
        ("%", vec!["discount"]),
        ("_", vec![]),
        ("C++", vec!["discount"]),
        ("\"really\"", vec!["discount"]),
        ("O'Reilly", vec!["discount"]),
        ("(", vec!["discount"]),
        ("*", vec![]),
        ("seat AND food", vec![]),
        ("\\", vec![]),
        ("🛫", vec![]),
        ("잠수함", vec![]),
    ];
    for (search, expected) in cases {
        assert_eq!(
            listed(&store, false, Some(search)).await,
            expected,
            "threads that hold {search:?}"
        );
    }
}

async fn a_name_that_was_given_stays<S: Conversations>(store: S) {
    say(&store, "trip", "Plan a week in Porto", 1).await;
    let title = thread(&store, "trip").await.title;
    assert!(
        title.starts_with("Plan"),
        "a thread is called by the first words of its first message: {title:?}"
    );
    let id = ThreadId::new("trip");
    ok(
        store.rename_thread(&minji(), &id, "포르투 여행").await,
        "rename_thread",
    );
    say(&store, "trip", "In October, please", 2).await;
    let renamed = thread(&store, "trip").await;
    assert_eq!(renamed.title, "포르투 여행", "a name that somebody gave stays");
    ok(store.rename_thread(&minji(), &id, "Porto").await, "rename_thread");
    assert_eq!(
        thread(&store, "trip").await.updated_at,
        at(2),
        "renaming is not speaking"
    );
}

async fn a_thread_can_be_put_away<S: Conversations>(store: S) {
    say(&store, "a", "안녕", 1).await;
    say(&store, "b", "Hello", 2).await;
    let id = ThreadId::new("a");
    ok(store.archive_thread(&minji(), &id, true).await, "archive_thread");
    assert_eq!(
        listed(&store, false, None).await,
        ["b"],
        "what was put away leaves the list"
    );
    assert!(
        listed(&store, true, None).await.contains(&"a".to_owned()),
        "what was put away is in the archive"
    );
    let archived = thread(&store, "a").await;
    assert!(archived.archived, "a thread knows that it was put away");
    assert_eq!(archived.updated_at, at(1), "putting away is not speaking");
    assert_eq!(
        ok(store.messages(&minji(), &id, 9).await, "messages").len(),
        1,
        "its messages stay"
    );
    ok(store.archive_thread(&minji(), &id, false).await, "archive_thread");
    assert_eq!(
        listed(&store, false, None).await,
        ["b", "a"],
        "it can be taken out again"
    );
}

async fn a_thread_can_be_deleted_and_brought_back<S: Conversations>(store: S) {
    say(&store, "trip", sample::SEAT_KO, 1).await;
    say(&store, "other", "Hello", 2).await;
    let id = ThreadId::new("trip");
    ok(
        store.delete_thread(&minji(), &id, true, at(5)).await,
        "delete_thread",
    );
    assert_eq!(
        listed(&store, false, None).await,
        ["other"],
        "a deleted thread is hidden"
    );
    assert!(
        listed(&store, true, None).await.iter().all(|id| id != "trip"),
        "a deleted thread is hidden in the archive"
    );
    assert!(
        listed(&store, false, Some("통로")).await.is_empty(),
        "a deleted thread is hidden from a search"
    );
    ok(
        store.delete_thread(&minji(), &id, false, at(6)).await,
        "bringing a thread back",
    );
    assert_eq!(
        listed(&store, false, None).await,
        ["other", "trip"],
        "a deleted thread can be brought back"
    );
    let messages = ok(store.messages(&minji(), &id, 9).await, "messages");
    assert_eq!(
        messages[0].text,
        sample::SEAT_KO,
        "a thread comes back with its messages"
    );
    assert_eq!(
        ok(store.purge_threads(at(100)).await, "purge_threads"),
        0,
        "what came back is not erased"
    );
}

async fn only_threads_deleted_before_are_erased<S: Conversations + MemoryBackend>(store: S) {
    for id in ["early", "late", "kept"] {
        say(&store, id, sample::SEAT_KO, 1).await;
    }
    let early = ThreadId::new("early");
    let said = sample::new_memory_said_in(&minji(), "preference:seat", sample::SEAT_KO, &early);
    let (memory, _) = create(&store, 2, said).await;
    ok(
        store.delete_thread(&minji(), &early, true, at(100)).await,
        "delete_thread",
    );
    ok(
        store
            .delete_thread(&minji(), &ThreadId::new("late"), true, at(200))
            .await,
        "delete_thread",
    );
    assert_eq!(
        ok(store.purge_threads(at(100)).await, "purge_threads"),
        0,
        "deleted at `before` is not before it"
    );
    assert_eq!(
        ok(store.purge_threads(at(101)).await, "purge_threads"),
        1,
        "what was deleted before is erased"
    );
    assert_eq!(
        ok(store.thread(&minji(), &early).await, "thread"),
        None,
        "an erased thread is gone"
    );
    assert!(
        ok(store.messages(&minji(), &early, 9).await, "messages").is_empty(),
        "its messages are gone"
    );
    not_found(
        store.delete_thread(&minji(), &early, false, at(102)).await,
        "bringing back an erased thread",
    );
    ok(
        store
            .delete_thread(&minji(), &ThreadId::new("late"), false, at(102))
            .await,
        "bringing back a deleted thread",
    );
    assert_eq!(
        listed(&store, false, None).await.len(),
        2,
        "the other threads stay"
    );
    let quote = get(&store, &minji(), &memory.id)
        .await
        .evidence
        .map(|evidence| evidence.quote);
    assert_eq!(
        quote.as_deref(),
        Some(sample::SEAT_KO),
        "the quote of a memory outlives its message"
    );
}

async fn what_is_missing_is_not_found<S: Conversations>(store: S) {
    let id = ThreadId::new("no-such-thread");
    assert_eq!(
        ok(store.thread(&minji(), &id).await, "thread"),
        None,
        "an unknown thread is None"
    );
    assert!(
        ok(store.messages(&minji(), &id, 9).await, "messages").is_empty(),
        "an unknown thread has no messages"
    );
    not_found(
        store.rename_thread(&minji(), &id, "이름").await,
        "renaming an unknown thread",
    );
    not_found(
        store.archive_thread(&minji(), &id, true).await,
        "putting away an unknown thread",
    );
    not_found(
        store.delete_thread(&minji(), &id, true, at(0)).await,
        "deleting an unknown thread",
    );
    let message = MessageId::new("no-such-message");
    let update = store
        .update_message(&message, "text", MessageState::Complete, None)
        .await;
    not_found(update, "changing an unknown message");
}

async fn a_message_makes_its_thread<S: Conversations>(store: S) {
    let first = say(&store, "new", "제주도 날씨가 어때요?", 7).await;
    let made = thread(&store, "new").await;
    assert_eq!(
        (made.created_at, made.updated_at),
        (at(7), at(7)),
        "the thread begins with its first message"
    );
    assert!(
        made.title.starts_with("제주도"),
        "it is called by its first words: {:?}",
        made.title
    );
    assert!(!made.archived && !made.temporary, "it is an ordinary thread");
    assert!(
        first.seq > 0,
        "the cursor of a new thread, 0, lies before its first message"
    );
}

async fn messages_are_counted_up_over_all_threads<S: Conversations>(store: S) {
    let mut last = 0;
    for (index, thread) in ["a", "b", "a", "c", "b"].into_iter().enumerate() {
        let message = say(&store, thread, "같은 말", i64::try_from(index).unwrap_or(0)).await;
        assert!(message.seq > last, "sequence numbers count up over all threads");
        assert_eq!(message.thread_id.as_str(), thread, "a message knows its thread");
        last = message.seq;
    }
}

async fn a_message_is_appended_once<S: Conversations>(store: S) {
    let new = NewMessage {
        turn_id: Some(memory_model::TurnId::new("turn-1")),
        role: Role::Assistant,
        state: MessageState::Streaming,
        ..message(&minji(), &ThreadId::new("trip"), "답변을 쓰는 중이에요", at(1))
    };
    let first = ok(store.append_message(new.clone()).await, "append_message");
    let expected = memory_model::Message {
        id: new.id.clone(),
        thread_id: new.thread_id.clone(),
        seq: first.seq,
        role: Role::Assistant,
        text: "답변을 쓰는 중이에요".to_owned(),
        created_at: at(1),
        state: MessageState::Streaming,
        answered_by: None,
        turn_id: new.turn_id.clone(),
    };
    assert_eq!(
        first, expected,
        "a message comes back as it was given, with its sequence number"
    );
    let again = NewMessage {
        text: "other words".to_owned(),
        at: at(9),
        ..new
    };
    let second = ok(store.append_message(again).await, "append_message");
    assert_eq!(second, first, "a message with the same id is returned as it is");
    let messages = ok(store.messages(&minji(), &first.thread_id, 9).await, "messages");
    assert_eq!(messages, [first], "appending twice is the same as once");
}

async fn an_answer_grows_while_it_streams<S: Conversations>(store: S) {
    let new = NewMessage {
        role: Role::Assistant,
        state: MessageState::Streaming,
        ..message(&minji(), &ThreadId::new("trip"), "", at(1))
    };
    let first = ok(store.append_message(new).await, "append_message");
    ok(
        store
            .update_message(&first.id, "통로 쪽", MessageState::Streaming, None)
            .await,
        "update_message",
    );
    let now = ok(store.messages(&minji(), &first.thread_id, 9).await, "messages").remove(0);
    assert_eq!(
        (now.text.as_str(), now.state),
        ("통로 쪽", MessageState::Streaming),
        "what was streamed is kept"
    );
    let by = AnsweredBy::Model {
        name: "small model".to_owned(),
    };
    ok(
        store
            .update_message(
                &first.id,
                "통로 쪽으로 할게요.",
                MessageState::Complete,
                Some(&by),
            )
            .await,
        "update_message",
    );
    let done = ok(store.messages(&minji(), &first.thread_id, 9).await, "messages").remove(0);
    let expected = memory_model::Message {
        text: "통로 쪽으로 할게요.".to_owned(),
        state: MessageState::Complete,
        answered_by: Some(by),
        ..first
    };
    assert_eq!(
        done, expected,
        "text, state and author are replaced; place and time stay"
    );
}

async fn the_last_messages_come_oldest_first<S: Conversations>(store: S) {
    let mut seqs = Vec::new();
    for index in 0..5 {
        seqs.push(say(&store, "long", &format!("{index}번째 말"), index).await.seq);
        say(&store, "noise", "다른 대화", index).await;
    }
    let id = ThreadId::new("long");
    let texts = |messages: Vec<memory_model::Message>| {
        messages
            .into_iter()
            .map(|message| message.text)
            .collect::<Vec<_>>()
    };
    let last = texts(ok(store.messages(&minji(), &id, 2).await, "messages"));
    assert_eq!(
        last,
        ["3번째 말", "4번째 말"],
        "the last `limit` messages, oldest first"
    );
    let after = texts(ok(
        store.messages_after(&minji(), &id, seqs[2]).await,
        "messages_after",
    ));
    assert_eq!(
        after,
        ["3번째 말", "4번째 말"],
        "messages after a sequence number, oldest first"
    );
    let all = ok(store.messages_after(&minji(), &id, 0).await, "messages_after");
    assert_eq!(all.len(), 5, "0 lies before every message");
    let none = ok(
        store.messages_after(&minji(), &id, seqs[4]).await,
        "messages_after",
    );
    assert!(none.is_empty(), "nothing follows the last message");
}

async fn a_summary_is_kept<S: Conversations>(store: S) {
    let first = say(&store, "long", sample::SEAT_KO, 1).await;
    let id = ThreadId::new("long");
    assert_eq!(
        ok(store.summary(&minji(), &id).await, "summary"),
        None,
        "a new thread has no summary"
    );
    ok(
        store
            .save_summary(&minji(), &id, "통로 쪽을 좋아한다.", first.seq)
            .await,
        "save_summary",
    );
    let kept = ok(store.summary(&minji(), &id).await, "summary");
    assert_eq!(
        kept,
        Some(("통로 쪽을 좋아한다.".to_owned(), first.seq)),
        "a summary is kept with its reach"
    );
    ok(
        store
            .save_summary(&minji(), &id, "Likes the aisle.", first.seq + 4)
            .await,
        "save_summary",
    );
    let kept = ok(store.summary(&minji(), &id).await, "summary");
    assert_eq!(
        kept,
        Some(("Likes the aisle.".to_owned(), first.seq + 4)),
        "a new summary replaces the old one"
    );
    assert_eq!(
        ok(store.summary(&daniel(), &id).await, "summary"),
        None,
        "a summary is read by its owner only"
    );
    assert_eq!(
        thread(&store, "long").await.updated_at,
        at(1),
        "summarising is not speaking"
    );
}
