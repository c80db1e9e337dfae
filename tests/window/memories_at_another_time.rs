//! The list at another time, where a memory comes from, and an erasure with its receipt.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn memories_at_another_time() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.start().await;
    app.say("저는 통로 쪽 좌석이 좋아요.").await;
    app.wait_for_text("saved-strip", "통로").await;
    app.click("rail-memories").await;
    app.wait_for_text("memory-row", "통로").await;
    app.wait_for_text("memory-provenance", "said by you").await;

    app.click("memory-as-of").await;
    app.wait("as-of-slider").await;
    app.wait_for_text("memory-row", "통로").await;
    app.shot("memories-as-of").await;
    // Before anything was said, nothing held.
    app.script(
        "const field = document.querySelector('[data-testid=as-of-date]'); field.value = '2020-01-01';
         field.dispatchEvent(new Event('change', { bubbles: true })); return 1",
    )
    .await;
    app.wait_for_no_text("memory-row", "통로").await;
    app.click("memory-as-of").await;
    app.click_text("memory-row", "통로").await;

    app.click("memory-more").await;
    app.click("memory-erase").await;
    app.wait("erase-preview").await;
    app.click("erase-run").await;
    app.wait("erase-receipt").await;
    app.shot("memory-erased").await;
    app.click("erase-close").await;
    app.wait("memory-empty").await;
    app.close().await;
}
