//! axe-core finds nothing on any screen, in both themes and both languages. The script comes from the user
//! interface's own packages.

use crate::app::App;

const RUN: &str = "const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then(
        (result) => done(result.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' | ')}`)),
        (error) => done([String(error)]));";

#[tokio::test(flavor = "multi_thread")]
async fn no_screen_has_an_accessibility_fault() {
    let axe = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../ui/node_modules/axe-core/axe.min.js"
    ))
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path()).await;
    app.wait("onboarding-start").await;
    app.script(&axe).await;
    check(&app, "onboarding").await;
    app.start().await;
    app.say("I prefer aisle seats. Always answer in Korean. Book a flight to Denver.")
        .await;
    app.wait("saved-strip").await;
    check(&app, "chat").await;
    for room in ["memories", "review", "settings"] {
        app.click(&format!("rail-{room}")).await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        check(&app, room).await;
        app.shot(&format!("{room}-light")).await;
    }
    app.click("settings-appearance").await;
    app.choose("Dark").await;
    app.choose("한국어").await;
    for room in ["chat", "memories", "review", "settings"] {
        app.click(&format!("rail-{room}")).await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        check(&app, &format!("{room}, dark, Korean")).await;
        app.shot(&format!("{room}-ko-dark")).await;
    }
    app.close().await;
}

async fn check(app: &App, screen: &str) {
    app.settle().await;
    let found = app.script_async(RUN).await;
    assert_eq!(found, serde_json::json!([]), "{screen}");
}
