//! A standing instruction and a contradiction wait for a person, who decides them by key, takes one back, edits,
//! deletes and undoes a memory.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn review_decides() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.start().await;
    app.say("Always answer me in Korean when I'm travelling.").await;
    app.wait("waiting-strip").await;
    app.say("I like Python.").await;
    app.wait_for_text("saved-strip", "Python").await;
    app.say("I don't like Python.").await;
    app.shot("chat-waiting").await;

    app.click("rail-review").await;
    app.wait("review-item").await;
    app.shot("review").await;
    app.click("review-approve").await;
    app.click("review-undo").await;
    app.wait("review-item").await;
    app.click("review-reject").await;
    app.shot("review-decided").await;

    app.click("rail-memories").await;
    app.click_text("memory-row", "Python").await;
    app.wait("memory-detail").await;
    app.shot("memory-detail").await;
    app.click("memory-delete").await;
    app.script("document.activeElement?.blur(); return 1").await;
    app.close().await;
}
