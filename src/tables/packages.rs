//! The packages that have to do with GPUs, by how their names begin.

/// Beginnings of names in lower case with hyphens.
const MATTER: &[&str] = &[
    "torch",
    "pytorch",
    "libtorch",
    "nvidia-",
    "cuda",
    "cudnn",
    "jax",
    "tensorflow",
    "tf-nightly",
    "keras",
    "onnxruntime",
    "cupy",
    "numba",
    "llvmlite",
    "bitsandbytes",
    "ctranslate2",
    "faster-whisper",
    "llama-cpp-python",
    "vllm",
    "flash-attn",
    "xformers",
    "triton",
    "accelerate",
    "transformers",
    "deepspeed",
    "intel-extension",
    "intel-tensorflow",
    "dpcpp",
    "tensorrt",
    "rocm",
    "amd",
    "pynvml",
    "gpustat",
    "apex",
    "mxnet",
    "paddlepaddle",
    "ray",
    "ultralytics",
    "detectron2",
    "lightning",
    "nccl",
    "libcu",
    "libnv",
    "cpuonly",
    "openai-whisper",
    "whisperx",
    "auto-gptq",
    "autoawq",
    "ktransformers",
    "sglang",
];

/// Packages that only begin like one of them.
const OTHERS: &[&str] = &["libcurl", "rayon", "amdahl"];

/// Whether a package has to do with GPUs, by its name as pip or conda writes it.
pub fn matters(name: &str) -> bool {
    let name = normal(name);
    MATTER.iter().any(|start| name.starts_with(start)) && !OTHERS.iter().any(|start| name.starts_with(start))
}

/// A name as installers compare it: lower case, runs of `-`, `_` and `.` as one hyphen (PEP 503).
pub fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if out.ends_with('-') => {}
            '-' | '_' | '.' => out.push('-'),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_every_spelling() {
        for name in
            ["torch", "Flash_Attn", "nvidia-cublas-cu12", "cupy-cuda12x", "cuda_bindings", "libcublas", "tf_nightly"]
        {
            assert!(matters(name), "{name}");
        }
        for name in ["numpy", "libcurl", "requests", "pip", ""] {
            assert!(!matters(name), "{name}");
        }
        assert_eq!(normal("a_.-B"), "a-b");
    }
}
