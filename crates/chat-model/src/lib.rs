//! Language models behind a URL: OpenAI, Anthropic, Gemini, Ollama, and every server that speaks OpenAI's chat
//! protocol (llama.cpp, LM Studio, vLLM, OpenRouter).
//!
//! The protocols are `genai`'s. What is ours is what a person notices: which error has which remedy, when a call is
//! tried again, that a stop takes effect at once, and that the prompt of the next turn begins with the bytes of this
//! one.

mod connection;
mod failure;
mod hosted;
mod local_servers;
mod request;
mod retry;

pub use connection::{Connection, ConnectionError, Provider};
pub use hosted::HostedModel;
pub use local_servers::{LocalServer, find_local_servers};

#[cfg(test)]
mod tests;
