//! Which package of JAX, TensorFlow, ONNX Runtime, CuPy and Numba to install for GPUs, a driver and a Python.
//!
//! Sources, as of 2026-12: the PyPI wheels themselves (their build_info and provider libraries for CUDA, the fat binaries in
//! them for architectures, their names for systems and Pythons, their metadata for extras); that each requirement can be
//! resolved for the first and the last Python of its row, tried with uv's resolver; NVIDIA's family floors for drivers and its
//! cuDNN matrix (9.10.2 is the last cuDNN for compute capability below 7.5, hence the pins). CuPy and Numba compile on the
//! machine to machine code, so that every GPU counts that the compiler of their CUDA serves (numba-cuda links with nvJitLink,
//! by its documentation on minor version compatibility).
//!
//! TensorFlow: up to 2.21 the wheels fail on Blackwell, although they have PTX of 9.0 ("CUDA_ERROR_INVALID_PTX", tensorflow
//! issues 89272, 97387, 99592, 101746); people run NVIDIA's container there (97387, 99592). `[and-cuda]` of 2.14.1 wants a
//! TensorRT that has no wheel for Python 3.11.
//! The lower bounds are there because an older release that is installed satisfies the bare name and has no such extra: pip and
//! uv then only warn.
//! ONNX Runtime: its wheels for Windows have other architectures than those for Linux. For ARM: from 1.29.0 on, for glibc 2.34 or newer, with code for four chips only.

use super::builds::{Build, Capability, Pythons, System, code};
use super::drivers::parse_cuda;

/// One way to install a framework.
struct Choice {
    framework: &'static str,
    /// Where there are wheels.
    systems: &'static [System],
    /// What follows `pip install`, words apart by blanks.
    spec: &'static str,
    /// The CUDA that it is built for.
    cuda: &'static str,
    /// Architectures; `a` is that chip only.
    code: &'static str,
    /// First and last Python with a wheel, of minor version 3.
    pythons: (u32, u32),
    /// The free-threaded ones.
    free_threaded: &'static [u32],
    why: &'static str,
}

type Row = (
    &'static str,
    &'static [System],
    &'static str,
    &'static str,
    &'static str,
    (u32, u32),
    &'static [u32],
    &'static str,
);

const fn choice(row: Row) -> Choice {
    let (framework, systems, spec, cuda, code, pythons, free_threaded, why) = row;
    Choice { framework, systems, spec, cuda, code, pythons, free_threaded, why }
}

const X86: &[System] = &[System::LinuxX86];
const ARM: &[System] = &[System::LinuxArm];
const LINUX: &[System] = &[System::LinuxX86, System::LinuxArm];
const WINDOWS: &[System] = &[System::WindowsX86];
const DESKTOP: &[System] = &[System::LinuxX86, System::WindowsX86];
const ALL: &[System] = &[System::LinuxX86, System::LinuxArm, System::WindowsX86];

const CUDA13: &str = "CUDA 13 needs a driver of branch 580 or newer and a GPU of compute capability 7.5 or higher";
const CUDA12: &str = "CUDA 12 runs on drivers from 525 on";
const OLD_CUDNN: &str = "CUDA 12 runs on drivers from 525 on, and 9.10 is the last cuDNN with code for this GPU";
const OLD_GPU: &str = "it is the last build with code for this GPU";
const TF12: &str = "the build is for CUDA 12 and runs on drivers from 525 on";
const TF11: &str = "it is the last build that runs on a driver older than 525 and brings its CUDA";
const TF_ALONE: &str = "it runs on drivers from 450.80.02 on and takes CUDA 11.8 and cuDNN 8 from the system";
const TF_WINDOWS: &str =
    "2.10.1 is the last TensorFlow with CUDA for Windows itself, and takes CUDA 11.2 and cuDNN 8.1 from the system";
const ORT_ARM: &str =
    "the wheels for ARM are for CUDA 13, which needs a driver of branch 580 or newer, and for glibc 2.34 or newer";
const ORT12_ALONE: &str = "it is the last build for this Python, and takes CUDA 12 and cuDNN 9 from the system";
const ORT11: &str =
    "it runs on drivers from 450.80.02 on (Windows 452.39), and takes CUDA 11.8 and cuDNN 8 from the system";
const CUPY12_ALONE: &str = "CUDA 12 runs on drivers from 525 on; for this Python it has to be on the system";
const CUPY11: &str = "it runs on drivers from 450.80.02 on (Windows 452.39), and takes CUDA 11 from the system";

const CUPY10: &str = "it is the last build for this driver or card, and takes the CUDA of its name from the system";

/// What the compiler of CUDA 13, of 12.9, of 11.8 and of 10.x makes code for.
const ANY13: &str = "75 80 86 87 88 89 90 100 103 110 120 121";
const ANY12: &str = "50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 103 120 121";
const ANY10: &str = "30 32 35 37 50 52 53 60 61 62 70 72 75";
const ANY11: &str = "35 37 50 52 53 60 61 62 70 72 75 80 86 87 89 90";

/// Best first.
#[rustfmt::skip]
static CHOICES: &[Choice] = &[
    // The fat binaries of jax-cuda12-pjrt and jax-cuda13-pjrt 0.12.0.1 (3.12 and newer), of 0.6.2 (3.10) and 0.4.30 (3.9).
    choice(("jax", LINUX, "jax[cuda13]>=0.7.2", "13.0", "75 80 90 100 110 120", (11, 15), &[13, 14, 15], CUDA13)),
    choice(("jax", LINUX, "jax[cuda12]>=0.6.2", "12.8", "75 80 90 100 120", (10, 15), &[13, 14, 15], CUDA12)),
    choice(("jax", LINUX, "jax[cuda12]>=0.6.2 nvidia-cudnn-cu12<9.11", "12.8", "50 60 70 75 80 90 100 120", (10, 15), &[13, 14, 15], OLD_CUDNN)),
    choice(("jax", LINUX, "jax[cuda12]", "12.3", "75 80 90", (9, 9), &[], CUDA12)),
    choice(("jax", LINUX, "jax[cuda12] nvidia-cudnn-cu12<9.11", "12.3", "50 60 70 75 80 90", (9, 9), &[], OLD_CUDNN)),
    choice(("tensorflow", X86, "tensorflow[and-cuda]>=2.18", "12.5", "75 80 89 90", (9, 13), &[], TF12)),
    choice(("tensorflow", X86, "tensorflow[and-cuda]>=2.18 nvidia-cudnn-cu12<9.11", "12.5", "60 70 80 89 90", (9, 13), &[], OLD_CUDNN)),
    choice(("tensorflow", X86, "tensorflow[and-cuda]==2.16.2", "12.3", "50 60 70 80 90", (9, 12), &[], OLD_GPU)),
    choice(("tensorflow", X86, "tensorflow[and-cuda]==2.14.1", "11.8", "35 50 60 70 75 80", (9, 10), &[], TF11)),
    choice(("tensorflow", X86, "tensorflow==2.13.1", "11.8", "35 50 60 70 75 80", (8, 11), &[], TF_ALONE)),
    choice(("tensorflow", WINDOWS, "tensorflow==2.10.1 numpy<2", "11.2", "35 50 60 70 75 80", (7, 10), &[], TF_WINDOWS)),
    choice(("onnxruntime", X86, "onnxruntime-gpu[cuda,cudnn]>=1.29", "13.0", "75 80 86 89 90a 120a", (11, 14), &[13, 14], CUDA13)),
    choice(("onnxruntime", WINDOWS, "onnxruntime-gpu[cuda,cudnn]>=1.29", "13.0", "75 80 86 89 90a 120a", (11, 14), &[], CUDA13)),
    choice(("onnxruntime", ARM, "onnxruntime-gpu[cuda,cudnn]>=1.29", "13.0", "89 90a 120a 121a", (11, 14), &[13, 14], ORT_ARM)),
    choice(("onnxruntime", X86, "onnxruntime-gpu[cuda,cudnn]==1.28.0", "13.0", "75 80 86 89 90a 100a 120a", (11, 14), &[13, 14], OLD_GPU)),
    choice(("onnxruntime", X86, "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27", "12.8", "75 80 86 90a", (10, 14), &[13, 14], CUDA12)),
    choice(("onnxruntime", WINDOWS, "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27", "12.8", "75 86 89", (10, 14), &[], CUDA12)),
    choice(("onnxruntime", X86, "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27 nvidia-cudnn-cu12<9.11", "12.8", "60 70 75 80 86 90a", (10, 14), &[13, 14], OLD_CUDNN)),
    choice(("onnxruntime", WINDOWS, "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27 nvidia-cudnn-cu12<9.11", "12.8", "52 61 75 86 89", (10, 14), &[], OLD_CUDNN)),
    choice(("onnxruntime", DESKTOP, "onnxruntime-gpu==1.19.2", "12.4", "52 60 70 75 80", (8, 9), &[], ORT12_ALONE)),
    choice(("onnxruntime", DESKTOP, "onnxruntime-gpu==1.18.1", "11.8", "52 60 70 75 80", (8, 12), &[], ORT11)),
    choice(("cupy", ALL, "cupy-cuda13x[ctk]>=14", "13.0", ANY13, (10, 14), &[14], CUDA13)),
    choice(("cupy", ALL, "cupy-cuda12x[ctk]>=14", "12.8", ANY12, (10, 14), &[14], CUDA12)),
    choice(("cupy", ALL, "cupy-cuda12x", "12.8", ANY12, (8, 9), &[], CUPY12_ALONE)),
    choice(("cupy", ALL, "cupy-cuda11x", "11.8", ANY11, (8, 13), &[], CUPY11)),
    choice(("cupy", ALL, "cupy-cuda102", "10.2", ANY10, (8, 12), &[], CUPY10)),
    choice(("cupy", DESKTOP, "cupy-cuda101", "10.1", ANY10, (7, 9), &[], CUPY10)),
    choice(("numba", ALL, "numba-cuda[cu13]>=0.20", "13.0", ANY13, (10, 14), &[], CUDA13)),
    choice(("numba", ALL, "numba-cuda[cu12]>=0.20", "12.8", ANY12, (10, 14), &[], CUDA12)),
];

/// Whether the table knows a framework.
pub fn knows(framework: &str) -> bool {
    CHOICES.iter().any(|choice| choice.framework == framework)
}

/// The packages of a framework for a system, best first; empty where there is none with CUDA.
pub fn builds(framework: &str, system: System) -> Vec<Build> {
    let here = |choice: &&Choice| choice.framework == framework && choice.systems.contains(&system);
    let build = |choice: &Choice| {
        Some(Build {
            spec: choice.spec,
            index: None,
            cuda: parse_cuda(choice.cuda)?,
            code: code(choice.code),
            ptx: false,
            pythons: Pythons { usual: choice.pythons, free_threaded: choice.free_threaded },
            why: choice.why,
        })
    };
    CHOICES.iter().filter(here).filter_map(build).collect()
}

/// Why there is no build of a framework for a system.
pub fn none_for(framework: &str, system: System) -> String {
    match (framework, system) {
        ("jax", _) => "JAX has no build with CUDA for Windows; the one for Linux runs inside WSL".to_string(),
        ("tensorflow", System::LinuxArm) => {
            "TensorFlow's wheels for Linux on ARM have no CUDA; NVIDIA's container nvcr.io/nvidia/tensorflow has"
                .to_string()
        }
        _ => format!("there is no build of {framework} with CUDA for this system"),
    }
}

/// Where a framework for GPUs is to be had that none of its packages serves.
pub fn elsewhere(framework: &str, gpus: &[Capability]) -> Option<&'static str> {
    let blackwell = gpus.iter().any(|cc| *cc >= (10, 0));
    match framework {
        "tensorflow" if blackwell => Some("NVIDIA's container nvcr.io/nvidia/tensorflow works on Blackwell"),
        // moi90's measured list of conda builds.
        "torch" if gpus.contains(&(3, 5)) => {
            Some("the last were the conda builds for CUDA 10.2 (channel pytorch), up to torch 1.12")
        }
        _ => None,
    }
}
