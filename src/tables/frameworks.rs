//! The Python frameworks that are asked whether they use the GPU: the module that is imported, and the distributions that
//! bring it. The names are those of subjects (`torch@PREFIX`) and of `--framework`.

/// What can be learnt from a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A tiny computation on the device proves that it works.
    Computes,
    /// It has GPU code of its own and says whether that can be used; nothing tiny can be computed without a model.
    Engine,
    /// It helps another framework; by itself it computes nothing.
    Helper,
}

/// A framework.
#[derive(Debug)]
pub struct Framework {
    /// The name in subjects and of `--framework`.
    pub name: &'static str,
    /// The module that is imported.
    pub module: &'static str,
    /// The distributions that bring the module, in lower case with hyphens: a name, or with `*` at its end a beginning.
    pub distributions: &'static [&'static str],
    /// What can be learnt from it.
    pub role: Role,
}

impl Framework {
    /// Whether a distribution brings this framework.
    pub fn is_brought_by(&self, distribution: &str) -> bool {
        self.distributions.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => distribution.starts_with(beginning),
            None => distribution == *name,
        })
    }
}

/// The frameworks, in the order in which they are told.
pub static ALL: &[Framework] = &[
    framework("torch", "torch", &["torch", "pytorch"], Role::Computes),
    framework("jax", "jax", &["jax"], Role::Computes),
    framework("tensorflow", "tensorflow", TENSORFLOW, Role::Computes),
    framework("onnxruntime", "onnxruntime", ONNX_RUNTIME, Role::Computes),
    framework("cupy", "cupy", &["cupy", "cupy-cuda*", "cupy-rocm*"], Role::Computes),
    framework("numba", "numba", &["numba"], Role::Computes),
    framework("paddle", "paddle", &["paddlepaddle", "paddlepaddle-gpu"], Role::Engine),
    framework("llama-cpp-python", "llama_cpp", &["llama-cpp-python"], Role::Engine),
    framework("ctranslate2", "ctranslate2", &["ctranslate2"], Role::Engine),
    framework("vllm", "vllm", &["vllm"], Role::Helper),
    framework("bitsandbytes", "bitsandbytes", &["bitsandbytes"], Role::Helper),
    framework("triton", "triton", &["triton", "pytorch-triton*", "triton-windows"], Role::Helper),
    framework("flash-attn", "flash_attn", &["flash-attn"], Role::Helper),
    framework("xformers", "xformers", &["xformers"], Role::Helper),
];

/// The packages with the module `tensorflow`.
const TENSORFLOW: &[&str] = &[
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-rocm",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-cpu-aws",
    "tensorflow-aarch64",
    "intel-tensorflow",
    "intel-tensorflow-avx512",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
];

/// Of the packages of ONNX Runtime those with the module `onnxruntime`; `onnxruntime-genai` and others are built on it.
const ONNX_RUNTIME: &[&str] = &[
    "onnxruntime",
    "onnxruntime-gpu",
    "onnxruntime-rocm",
    "onnxruntime-migraphx",
    "onnxruntime-directml",
    "onnxruntime-openvino",
    "onnxruntime-training",
    "ort-nightly",
    "ort-nightly-gpu",
];

const fn framework(
    name: &'static str,
    module: &'static str,
    distributions: &'static [&'static str],
    role: Role,
) -> Framework {
    Framework { name, module, distributions, role }
}

/// The framework of this name.
pub fn find(name: &str) -> Option<&'static Framework> {
    ALL.iter().find(|framework| framework.name == name)
}

/// PyTorch, of which more is told than of the others.
pub fn torch() -> &'static Framework {
    &ALL[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_brings_one_framework() {
        let brings = |name: &str| ALL.iter().filter(|f| f.is_brought_by(name)).map(|f| f.name).collect::<Vec<_>>();
        assert_eq!(brings("onnxruntime-gpu"), ["onnxruntime"]);
        assert_eq!(brings("onnxruntime-genai"), [""; 0]);
        assert_eq!(brings("torchvision"), [""; 0]);
        assert_eq!(torch().name, "torch");
        assert!(find("tensor").is_none());
    }
}
