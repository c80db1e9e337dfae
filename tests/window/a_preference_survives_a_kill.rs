//! The main job of the app: what somebody says is kept, used in another thread with its reason, found with its exact
//! words, and still there after the process was killed.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn a_preference_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.shot("onboarding").await;
    app.start().await;
    app.shot("chat-empty").await;

    app.say("I prefer aisle seats and morning flights").await;
    let saved = app.wait_for_text("saved-strip", "aisle").await;
    assert!(saved.contains("Saved"), "{saved}");
    app.say("저는 통로 쪽 좌석이 좋아요").await;
    app.wait_for_text("saved-strip", "통로").await;
    app.shot("chat-saved").await;

    app.click("thread-new").await;
    app.say("Find me a flight to Denver next month").await;
    app.wait_for_text("used-memories", "1").await;
    app.wait_for_text("memory-chip", "morning flights").await;
    app.click("memory-chip").await;
    let why = app.wait_for_text("why-panel", "flight").await;
    assert!(why.contains("flight"), "the matched word is shown: {why}");
    app.shot("chat-why").await;
    app.wait_for_text("answer", "morning flights").await;
    app.click("skipped-toggle").await;
    app.shot("chat-skipped").await;

    app.click("rail-memories").await;
    app.type_into("memory-search", "통로").await;
    app.click_text("memory-row", "통로").await;
    let quote = app.wait_for_text("memory-quote", "통로 쪽 좌석이 좋아요").await;
    assert!(quote.contains("저는"), "the whole message is shown: {quote}");
    app.shot("memories").await;

    app.kill().await;

    let app = App::open(folder.path()).await;
    app.start().await;
    app.click("rail-memories").await;
    app.wait_for_text("memory-row", "morning flights").await;
    app.wait_for_text("memory-row", "통로").await;
    app.click("rail-chat").await;
    app.click_text("thread-item", "aisle seats").await;
    app.wait_for_text("user-message", "I prefer aisle seats and morning flights")
        .await;
    app.wait_for_text("saved-strip", "aisle").await;
    app.shot("chat-after-kill").await;
    app.close().await;
}
