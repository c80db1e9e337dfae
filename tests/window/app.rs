//! A running window and what a person does in it.

use fantoccini::elements::Element;
use fantoccini::wd::{Capabilities, TimeoutConfiguration};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a person would wait before calling it broken. The machine of a test may be very busy.
const PATIENCE: Duration = Duration::from_secs(40);

/// An open window.
pub struct App {
    driver: Child,
    client: Client,
    data_dir: PathBuf,
}

impl App {
    /// Opens the window on a data folder.
    pub async fn open(data_dir: &Path) -> Self {
        Self::open_with(data_dir, &[]).await
    }

    /// Opens the window with more variables in its environment.
    pub async fn open_with(data_dir: &Path, variables: &[(&str, &str)]) -> Self {
        let set = |name: &str| {
            std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run `cargo xtask test`"))
        };
        let (port, native_port) = (free_port(), free_port());
        let driver = Command::new(set("REVERIE_TAURI_DRIVER"))
            .args([
                "--port",
                &port.to_string(),
                "--native-port",
                &native_port.to_string(),
            ])
            .args(["--native-driver", &set("REVERIE_WEBKIT_DRIVER")])
            .env("REVERIE_DATA_DIR", data_dir)
            .env("GDK_BACKEND", "x11")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .spawn()
            .expect("tauri-driver");
        let desktop = journeys::programs::program("reverie-desktop").unwrap();
        let mut capabilities = Capabilities::new();
        capabilities.insert("tauri:options".to_owned(), json!({ "application": desktop }));
        let mut client = None;
        let url = format!("http://127.0.0.1:{port}");
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(capabilities.clone());
            match tokio::time::timeout(PATIENCE, builder.connect(&url)).await {
                Ok(Ok(connected)) => {
                    client = Some(connected);
                    break;
                }
                // The driver is still starting.
                Ok(Err(_)) => {}
                Err(_) => {
                    panic!("the window did not answer its driver; is another instance running on this bus?")
                }
            }
        }
        let client = client.expect("a session with the window");
        let timeouts = TimeoutConfiguration::new(Some(PATIENCE), Some(PATIENCE), Some(Duration::ZERO));
        client.update_timeouts(timeouts).await.unwrap();
        Self {
            driver,
            client,
            data_dir: data_dir.to_path_buf(),
        }
    }

    /// Goes through the first-run screen when it is there.
    pub async fn start(&self) {
        self.see(
            "composer-or-start",
            "[data-testid=composer], [data-testid=onboarding-start]",
        )
        .await;
        if let Some(start) = self.find_now("[data-testid=onboarding-start]").await {
            start.click().await.unwrap();
        }
        self.wait("composer").await;
    }

    /// The element with a test id, once it is there.
    pub async fn wait(&self, id: &str) -> Element {
        self.see(id, &hook(id)).await
    }

    async fn see(&self, what: &str, css: &str) -> Element {
        match self
            .client
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(css))
            .await
        {
            Ok(element) => element,
            Err(error) => {
                self.shot("failure").await;
                let text = self
                    .client
                    .execute("return document.body.innerText", vec![])
                    .await;
                panic!("{what} did not appear: {error}; the window says {text:?}");
            }
        }
    }

    async fn find_now(&self, css: &str) -> Option<Element> {
        self.client.find(Locator::Css(css)).await.ok()
    }

    /// The text of the first element with a test id that holds `words`, once there is one.
    pub async fn wait_for_text(&self, id: &str, words: &str) -> String {
        let ends = tokio::time::Instant::now() + PATIENCE;
        loop {
            for element in self.client.find_all(Locator::Css(&hook(id))).await.unwrap() {
                let text = text_of(&element).await;
                if text.contains(words) {
                    return text;
                }
            }
            if tokio::time::Instant::now() > ends {
                self.shot("failure").await;
                let text = self
                    .client
                    .execute("return document.body.innerText", vec![])
                    .await;
                panic!("no {id} says {words:?}; the window says {text:?}");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until no element with a test id holds `words`.
    pub async fn wait_for_no_text(&self, id: &str, words: &str) {
        let ends = tokio::time::Instant::now() + PATIENCE;
        loop {
            let mut holds = false;
            for element in self.client.find_all(Locator::Css(&hook(id))).await.unwrap() {
                holds |= text_of(&element).await.contains(words);
            }
            if !holds {
                return;
            }
            assert!(tokio::time::Instant::now() < ends, "{id} still says {words:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Presses a key with Ctrl, wherever the focus is.
    pub async fn press(&self, key: &str) {
        let script = "const code = 'Key' + arguments[0].toUpperCase();
            const init = { key: arguments[0], code, ctrlKey: true, bubbles: true, cancelable: true };
            (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', init)); return 1;";
        self.client.execute(script, vec![json!(key)]).await.unwrap();
    }

    /// Presses a letter with Shift, wherever the focus is.
    pub async fn press_shift(&self, letter: &str) {
        let script = "const code = 'Key' + arguments[0];
            const init = { key: arguments[0], code, shiftKey: true, bubbles: true, cancelable: true };
            (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', init)); return 1;";
        self.client.execute(script, vec![json!(letter)]).await.unwrap();
    }

    /// Presses a key without Ctrl, wherever the focus is.
    pub async fn press_plain(&self, key: &str, code: &str) {
        let script = "const init = { key: arguments[0], code: arguments[1], bubbles: true, cancelable: true };
            (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', init)); return 1;";
        self.client
            .execute(script, vec![json!(key), json!(code)])
            .await
            .unwrap();
    }

    /// Clicks the element with a test id, once it is there.
    pub async fn click(&self, id: &str) {
        let ends = tokio::time::Instant::now() + PATIENCE;
        // A click on a button that is grey does nothing, so this waits as a person does until it is not.
        let ready = format!("{}:not(:disabled):not([aria-disabled=true])", hook(id));
        // A list that is just being refreshed may replace the element between finding and clicking.
        while let Err(error) = self.see(id, &ready).await.click().await {
            assert!(
                tokio::time::Instant::now() < ends,
                "{id} cannot be clicked: {error}"
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Clicks the first element with a test id whose text holds `words`.
    pub async fn click_text(&self, id: &str, words: &str) {
        self.wait_for_text(id, words).await;
        for element in self.client.find_all(Locator::Css(&hook(id))).await.unwrap() {
            if text_of(&element).await.contains(words) {
                element.click().await.unwrap();
                return;
            }
        }
        panic!("no {id} says {words:?} any more");
    }

    /// Types into a field.
    pub async fn type_into(&self, id: &str, text: &str) {
        let field = self.wait(id).await;
        field.send_keys(text).await.unwrap();
    }

    /// Says something in the open thread.
    pub async fn say(&self, text: &str) {
        self.type_into("composer", text).await;
        self.click("send").await;
        let first_words: String = text.chars().take(30).collect();
        self.wait_for_text("user-message", &first_words).await;
    }

    /// Says something that WebDriver's keyboard cannot type, such as an emoji: put in as a paste would be.
    pub async fn paste_and_send(&self, text: &str) {
        self.wait("composer").await;
        let put = "const box = document.querySelector('[data-testid=composer]'); box.focus();
            document.execCommand('insertText', false, arguments[0]); return box.value;";
        let value = self.client.execute(put, vec![json!(text)]).await.unwrap();
        assert_eq!(value, text, "the box holds what was pasted");
        self.click("send").await;
    }

    /// Clicks the choice that says exactly this.
    pub async fn choose(&self, text: &str) {
        let path = format!("//button[@role='radio'][normalize-space()='{text}']");
        let choice = self
            .client
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::XPath(&path))
            .await
            .unwrap();
        choice.click().await.unwrap();
    }

    /// Runs a script in the page and gives its value.
    pub async fn script(&self, script: &str) -> serde_json::Value {
        self.client.execute(script, vec![]).await.unwrap()
    }

    /// Runs a script that calls back with its value.
    pub async fn script_async(&self, script: &str) -> serde_json::Value {
        self.client.execute_async(script, vec![]).await.unwrap()
    }

    /// Waits until nothing moves any more.
    pub async fn settle(&self) {
        for _ in 0..50 {
            let moving = self
                .script("return document.getAnimations().filter((a) => a.playState === 'running').length")
                .await;
            if moving == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Takes a picture of the window for people to look at. A picture that does not come is no failure of the app.
    pub async fn shot(&self, name: &str) {
        tokio::time::sleep(Duration::from_millis(300)).await;
        self.settle().await;
        match tokio::time::timeout(Duration::from_secs(15), self.client.screenshot()).await {
            Ok(Ok(png)) => {
                let file = journeys::programs::screens().unwrap().join(format!("{name}.png"));
                std::fs::write(file, png).unwrap();
            }
            Ok(Err(error)) => eprintln!("no picture of {name}: {error}"),
            Err(_) => eprintln!("no picture of {name}: it did not come in time"),
        }
    }

    /// Kills the app with SIGKILL, as a crash or the system would.
    pub async fn kill(self) {
        assert!(!self.app_processes().is_empty(), "the app is running");
        self.end().await;
    }

    /// Closes the window as a person does.
    pub async fn close(self) {
        let _ = tokio::time::timeout(PATIENCE, self.client.clone().close()).await;
        self.end().await;
    }

    /// Waits until nothing of this window runs any more. The app allows one instance on a message bus: one that is
    /// still going down would take the next one with it.
    async fn end(mut self) {
        for _ in 0..100 {
            let running = self.app_processes();
            if running.is_empty() {
                break;
            }
            for id in running {
                let _ = Command::new("kill")
                    .args(["-9", &id.to_string()])
                    .stderr(Stdio::null())
                    .status();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // The message bus notices it a moment later.
        tokio::time::sleep(Duration::from_millis(500)).await;
        self.end_driver();
    }

    /// Asked to end, tauri-driver also ends the driver that it started.
    fn end_driver(&mut self) {
        let _ = Command::new("kill")
            .args(["-TERM", &self.driver.id().to_string()])
            .status();
        for _ in 0..30 {
            if matches!(self.driver.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }

    /// Processes of our app on this data folder, and of no other.
    fn app_processes(&self) -> Vec<u32> {
        let desktop = journeys::programs::program("reverie-desktop").unwrap();
        let wanted = format!("REVERIE_DATA_DIR={}", self.data_dir.display());
        let ids = std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id: &u32| {
            let exe = std::fs::read_link(format!("/proc/{id}/exe")).unwrap_or_default();
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            exe == desktop
                && environment
                    .split(|byte| *byte == 0)
                    .any(|variable| variable == wanted.as_bytes())
        })
        .collect()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        for id in self.app_processes() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
        self.end_driver();
    }
}

/// The text in an element. WebDriver's own idea of visible text leaves out rows of a scrolled list.
pub async fn text_of(element: &Element) -> String {
    element
        .prop("textContent")
        .await
        .ok()
        .flatten()
        .unwrap_or_default()
}

fn hook(id: &str) -> String {
    format!("[data-testid=\"{id}\"]")
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}
