//! The playground shows why a question finds what it finds; a setting out of range is refused at its field.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn the_playground_explains_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.start().await;
    app.say("I prefer aisle seats.").await;
    app.wait_for_text("saved-strip", "aisle seats").await;
    app.say("저는 통로 쪽 좌석이 좋아요.").await;
    app.wait_for_text("saved-strip", "통로").await;

    app.click("rail-memories").await;
    app.click("memories-view-playground").await;
    app.type_into("playground-question", "aisle seats").await;
    app.wait_for_text("playground-hit", "aisle seats").await;
    app.wait_for_text("playground-why", "1st by keyword").await;
    app.shot("playground").await;
    app.script("document.querySelector('[data-testid=playground-hits]').focus(); return 1")
        .await;
    app.press_plain("]", "BracketRight").await;
    app.wait_for_text("playground-k-now", "80").await;
    app.click("playground-open").await;
    app.wait_for_text("memory-title", "aisle seats").await;
    app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_out_of_range_is_refused_at_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open_with(folder.path(), &[("MEMORY_RRF_K", "75")]).await;
    app.start().await;
    app.click("rail-settings").await;
    app.click("settings-search").await;
    app.wait_for_text("row-memoryRrfK", "MEMORY_RRF_K").await;
    app.script("document.querySelector('[data-testid=setting-memoryMaxTokens]').select(); return 1")
        .await;
    app.type_into("setting-memoryMaxTokens", "20000\u{e007}").await;
    app.wait_for_text("row-memoryMaxTokens", "0 to 16000").await;
    app.shot("settings-refused").await;
    app.script("document.querySelector('[data-testid=setting-memoryMaxTokens]').select(); return 1")
        .await;
    app.type_into("setting-memoryMaxTokens", "1500\u{e007}").await;
    app.wait_for_no_text("row-memoryMaxTokens", "0 to 16000").await;
    app.close().await;
}
