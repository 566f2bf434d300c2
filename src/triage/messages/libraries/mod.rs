//! Messages about the libraries that frameworks load: TensorFlow, JAX, ONNX Runtime, CuPy, bitsandbytes, CTranslate2,
//! llama.cpp, and the loader's own words on cuDNN, cuBLAS and nvJitLink.
//!
//! Texts from symptoms.md, section 7, and from the sources of the named packages.

mod bindings;
mod cudnn;
mod jax;
mod llama_cpp;
mod onnxruntime;
mod tensorflow;
mod toolkits;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[tensorflow::ROWS, jax::ROWS, onnxruntime::ROWS, toolkits::ROWS, bindings::ROWS, cudnn::ROWS, llama_cpp::ROWS];
