//! A database of a newer app is refused with words and left untouched; hostile text is shown as text.

use crate::app::App;

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_is_shown_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.start().await;
    app.say("I like <img src=x onerror=\"window.pwned=1\"> **bold** and <script>window.pwned=1</script>")
        .await;
    app.paste_and_send("\u{202e}abc 나는 🛫 이모지가 좋아요").await;
    app.wait_for_text("user-message", "🛫").await;
    assert_eq!(
        app.script("return window.pwned ?? null").await,
        serde_json::Value::Null
    );
    assert_eq!(app.script("return document.querySelectorAll('[data-testid=user-message] img, [data-testid=answer] img, [data-testid=answer] script').length").await, 0);
    // The policy of the page refuses code that somebody brings in.
    let evaluated = app
        .script("try { return new Function('return 1')(); } catch (error) { return String(error); }")
        .await;
    assert!(
        evaluated.as_str().is_some_and(|error| error.contains("Error")),
        "{evaluated}"
    );
    // A command that nobody granted is refused.
    let refused = app
        .script_async(
            "const done = arguments[0]; window.__TAURI_INTERNALS__.invoke('plugin:window|close', {}).then(() => done('allowed'), (error) => done(String(error)));",
        )
        .await;
    assert_ne!(refused, "allowed");
    app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_newer_app_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reverie.db");
    let made = file.clone();
    tokio::task::spawn_blocking(move || journeys::newer_database(&made))
        .await
        .unwrap()
        .unwrap();
    let before = std::fs::read(&file).unwrap();
    let app = App::open(folder.path()).await;
    app.wait_for_text("startup-error", "newer").await;
    app.shot("startup-newer").await;
    app.close().await;
    assert_eq!(std::fs::read(&file).unwrap(), before);
}
