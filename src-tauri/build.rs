//! Lists the commands, so that each is denied unless the capability file grants it, and embeds the window's files.

/// The names of `ipc_contract::COMMANDS`; a test compares the two lists.
const COMMANDS: &[&str] = include!("commands.in");

fn main() {
    println!("cargo:rerun-if-changed=../ui/dist");
    println!("cargo:rerun-if-changed=commands.in");
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    let attributes = tauri_build::Attributes::new().app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("the desktop shell cannot be built: {error:#}");
    }
}
