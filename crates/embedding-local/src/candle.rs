//! The encoder as candle runs it: where the fast forward cannot, and as what its tests compare with.

use crate::model::ModelError;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};

/// A BERT model on candle.
pub(crate) struct CandleEncoder {
    bert: BertModel,
    device: Device,
}

impl CandleEncoder {
    /// Makes the model from the bytes of a `.safetensors` file.
    pub(crate) fn new(weights: Vec<u8>, config: &Config) -> candle_core::Result<Self> {
        let device = Device::Cpu;
        let tensors = VarBuilder::from_buffered_safetensors(weights, DType::F32, &device)?;
        Ok(Self {
            bert: BertModel::load(tensors, config)?,
            device,
        })
    }

    /// The last hidden state of each word piece of one text.
    pub(crate) fn rows(&self, ids: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        let ids = Tensor::new(ids, &self.device)?.unsqueeze(0)?;
        let hidden = self.bert.forward(&ids, &ids.zeros_like()?, None)?;
        Ok(hidden.squeeze(0)?.to_vec2::<f32>()?)
    }

    /// One vector of length 1 for each text.
    pub(crate) fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        let longest = batch.iter().map(|ids| ids.len()).max().unwrap_or_default();
        let mut ids = Vec::with_capacity(batch.len() * longest);
        let mut mask = Vec::with_capacity(batch.len() * longest);
        for text in batch {
            let padding = longest - text.len();
            ids.extend_from_slice(text);
            ids.extend(std::iter::repeat_n(0, padding));
            mask.extend(std::iter::repeat_n(1_f32, text.len()));
            mask.extend(std::iter::repeat_n(0_f32, padding));
        }
        let shape = (batch.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &self.device)?;
        let mask = Tensor::from_vec(mask, shape, &self.device)?;
        let hidden = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        // The mean over the real word pieces, beginning and end among them, as the model was trained.
        let weights = mask.unsqueeze(2)?;
        let mean = hidden
            .broadcast_mul(&weights)?
            .sum(1)?
            .broadcast_div(&weights.sum(1)?)?;
        Ok(mean.to_vec2::<f32>()?.into_iter().map(normalised).collect())
    }
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}
