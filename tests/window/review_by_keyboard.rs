//! Many items are reviewed without a mouse: a stretch is selected with Shift and J and decided with one key.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn a_stretch_of_the_queue_is_decided_by_keyboard() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.start().await;
    for rule in [
        "Always answer me in Korean when I'm travelling.",
        "Always use metric units.",
        "항상 존댓말로 답해 주세요.",
        "Never use tables in your answers.",
    ] {
        app.say(rule).await;
        app.wait_for_text("user-message", rule).await;
    }
    app.click("rail-review").await;
    app.wait_for_text("review-row", "metric units").await;
    app.wait_for_text("review-row", "존댓말").await;
    app.wait_for_text("review-row", "tables").await;
    let waiting = "return document.querySelectorAll('[data-testid=review-row]').length";
    let all = app.script(waiting).await.as_u64().unwrap();
    for _ in 0..2 {
        app.press_shift("J").await;
    }
    app.wait_for_text("review-selected", "3").await;
    app.shot("review-selected").await;
    app.press_plain("a", "KeyA").await;
    app.wait_for_no_text("review-batch", "3").await;
    for _ in 0..100 {
        if app.script(waiting).await.as_u64() == Some(all - 3) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(app.script(waiting).await.as_u64(), Some(all - 3));
    let lost = app
        .script("return document.activeElement === null || document.activeElement === document.body")
        .await;
    assert_eq!(lost, false, "the focus is on the next item");
    app.press_plain("r", "KeyR").await;
    app.wait("review-empty").await;
    app.shot("review-keyboard-empty").await;
    app.close().await;
}
