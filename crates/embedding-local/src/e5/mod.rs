//! multilingual-e5-small from one file of 72 MB with weights of 4 bit. The layers become f32 when the model is
//! loaded; the rows of its 250,037 words, two thirds of the file, stay on disk and are read when a text
//! needs them.

mod encoder;
mod file;
mod model;
mod normalise;
mod q4;
mod tokenizer;
mod words;

pub(crate) use model::E5Model;

#[cfg(test)]
mod forward_tests;
#[cfg(test)]
mod tests;
