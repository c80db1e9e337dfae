//! The command `reverie`.

fn main() -> std::process::ExitCode {
    doors::main()
}
