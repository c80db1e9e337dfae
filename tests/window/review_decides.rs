//! A standing instruction and a contradiction wait for a person, who decides them, takes one back, then edits,
//! deletes and brings back a memory.

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
    app.wait_for_text("review-item", "Always answer me in Korean")
        .await;
    app.shot("review").await;
    app.click("review-approve").await;
    app.wait_for_text("review-item", "Doesn't like Python").await;
    app.wait_for_text("review-item", "Likes Python").await;
    app.shot("review-conflict").await;
    app.click("review-undo").await;
    app.wait_for_text("review-item", "Always answer me in Korean")
        .await;
    app.click("review-reject").await;
    app.wait_for_text("review-item", "Doesn't like Python").await;
    app.click("review-newer").await;
    app.wait("review-empty").await;
    app.shot("review-empty").await;

    app.click("rail-memories").await;
    app.click_text("memory-row", "Doesn't like Python").await;
    app.click("memory-edit").await;
    app.script("document.querySelector('[data-testid=memory-edit-text]').select(); return 1")
        .await;
    app.type_into("memory-edit-text", "파이썬은 스크립트에만 써요")
        .await;
    app.click("memory-save").await;
    app.wait_for_text("memory-row", "파이썬은 스크립트에만 써요")
        .await;
    app.wait_for_text("memory-history", "Doesn't like Python").await;
    app.shot("memory-edited").await;

    app.click("memory-delete").await;
    app.wait_for_no_text("memory-row", "파이썬").await;
    app.script("document.activeElement?.blur(); return 1").await;
    app.press("z").await;
    app.wait_for_text("memory-row", "파이썬은 스크립트에만 써요")
        .await;
    app.close().await;
}
