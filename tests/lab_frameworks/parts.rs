//! What is known of each part: by its recipe, by what the packages' own files say, and by what happens when a program asks
//! them for a GPU on a machine that has none.

/// One real installation.
pub struct Part {
    /// The part of the lab.
    pub name: &'static str,
    /// Who installed the packages.
    pub tool: &'static str,
    /// The framework in it.
    pub framework: &'static str,
    /// Its version with the tag of its build.
    pub version: &'static str,
    /// The CUDA that it is built for, as far as a file or a name says so.
    pub cuda: Option<&'static str>,
    /// The CUDA of its nvidia-* packages, and how many there are.
    pub wheels: Option<(&'static str, usize)>,
    /// Whether it can be imported here.
    pub imports: bool,
    /// What it says here, in its own words; empty where it says nothing.
    pub says: &'static str,
    /// The libraries that it misses here.
    pub misses: &'static [&'static str],
}

const fn part(name: &'static str, tool: &'static str, framework: &'static str, version: &'static str) -> Part {
    Part { name, tool, framework, version, cuda: None, wheels: None, imports: true, says: "", misses: &[] }
}

impl Part {
    const fn cuda(mut self, cuda: &'static str) -> Part {
        self.cuda = Some(cuda);
        self
    }
    const fn wheels(mut self, major: &'static str, number: usize) -> Part {
        self.wheels = Some((major, number));
        self
    }
    const fn fails(mut self, says: &'static str) -> Part {
        self.imports = false;
        self.says = says;
        self
    }
    const fn says(mut self, says: &'static str) -> Part {
        self.says = says;
        self
    }
    const fn misses(mut self, libraries: &'static [&'static str]) -> Part {
        self.misses = libraries;
        self
    }
}

const NO_DRIVER: &str = "Found no NVIDIA driver on your system";
const NO_CUBLAS: &str = "libcublasLt.so.*[0-9] not found in the system path";
const NO_CUBLAS_12: &str = "libcublas.so.*[0-9] not found in the system path";
const NO_LIBCUDA: &str = "Could not find cuda drivers on your machine";
const TOO_OLD: &str = "cudaErrorInsufficientDriver";
const NO_NUMBA_DRIVER: &str = "CUDA driver library cannot be found";

/// Every framework of the issue, and some older releases that people still have.
pub const PARTS: &[Part] = &[
    part("torch-cuda", "uv", "torch", "2.13.0+cu130").cuda("13.0").wheels("13", 15).says(NO_DRIVER),
    part("torch-nowheels", "uv", "torch", "2.13.0+cu130").cuda("13.0").fails(NO_CUBLAS).misses(&["libcublasLt.so"]),
    part("torch-nowheels-pip", "pip", "torch", "2.13.0+cu130")
        .cuda("13.0")
        .fails(NO_CUBLAS)
        .misses(&["libcublasLt.so"]),
    part("torch-cu121", "uv", "torch", "2.4.1+cu121").cuda("12.1").fails(NO_CUBLAS_12).misses(&["libcublas.so"]),
    part("torch-cu121-whole", "pip", "torch", "2.4.1+cu121").cuda("12.1").wheels("12", 12).says(NO_DRIVER),
    part("jax", "uv", "jax", "0.10.2"),
    part("jax-pip", "pip", "jax", "0.10.2"),
    part("jax-cuda12", "uv", "jax", "0.10.2")
        .cuda("12")
        .wheels("12", 3)
        .says("Unable to load cuDNN. Is it installed?")
        .misses(&["libcudnn.so.9"]),
    part("jax-cuda12-whole", "uv", "jax", "0.10.2")
        .cuda("12")
        .wheels("12", 13)
        .says("operation cuInit(0) failed: Unknown CUDA error 303")
        .misses(&["libcuda.so.1"]),
    part("jax-mismatch", "uv", "jax", "0.4.38").fails("this version of jax requires version >= 0.4.38"),
    part("tensorflow", "uv", "tensorflow", "2.21.0").cuda("12.5").says(NO_LIBCUDA).misses(&["libcuda.so.1"]),
    part("tensorflow-pip", "pip", "tensorflow", "2.21.0").cuda("12.5").says(NO_LIBCUDA).misses(&["libcuda.so.1"]),
    part("onnxruntime", "pip", "onnxruntime", "1.32.0"),
    part("onnxruntime-uv", "uv", "onnxruntime", "1.32.0"),
    part("onnxruntime-gpu", "uv", "onnxruntime", "1.31.1")
        .cuda("13.0")
        .says("libonnxruntime_providers_cuda.so with error: libcublasLt.so")
        .misses(&["libcublasLt.so.13"]),
    part("onnxruntime-gpu-pip", "pip", "onnxruntime", "1.31.1")
        .cuda("13.0")
        .says("libonnxruntime_providers_cuda.so with error: libcublasLt.so")
        .misses(&["libcublasLt.so.13"]),
    // No file of this release says its CUDA; what it looks for does.
    part("onnxruntime-gpu-cuda11", "uv", "onnxruntime", "1.18.1")
        .says("libonnxruntime_providers_cuda.so with error: libcublasLt.so")
        .misses(&["libcublasLt.so.11"]),
    part("onnxruntime-both", "uv", "onnxruntime", "1.32.0"),
    part("onnxruntime-both-pip", "pip", "onnxruntime", "1.32.0"),
    part("cupy", "uv", "cupy", "14.2.0").cuda("12").says(TOO_OLD),
    part("cupy-pip", "pip", "cupy", "14.2.0").cuda("12").says(TOO_OLD),
    part("cupy-cuda11", "uv", "cupy", "13.6.0").cuda("11").says(TOO_OLD),
    part("cupy-two", "uv", "cupy", "13.6.0").cuda("11").says(TOO_OLD),
    part("cupy-two-pip", "pip", "cupy", "13.6.0").cuda("11").says(TOO_OLD),
    part("numba", "pip", "numba", "0.68.1").says(NO_NUMBA_DRIVER),
    part("numba-uv", "uv", "numba", "0.68.1").says(NO_NUMBA_DRIVER),
    part("numba-old", "uv", "numba", "0.57.1").says(NO_NUMBA_DRIVER),
    part("numba-cuda", "uv", "numba", "0.68.1")
        .fails("Failure finding \"libcudart.so.13 or libcudart.so.12\"")
        .misses(&["libcudart.so.13", "libcudart.so.12"]),
];
