//! Which package of JAX, TensorFlow, ONNX Runtime, CuPy and Numba to install for a GPU, a driver and a Python.
//!
//! Sources, as of 2026-11: the PyPI wheels themselves (their build_info and provider libraries for CUDA and architectures,
//! their metadata for extras and Pythons); NVIDIA's family floors for drivers and its cuDNN matrix (9.10.2 is the last cuDNN
//! for compute capability below 7.5, hence the pins). CuPy and Numba compile on the machine: what counts is which GPUs the
//! compiler of their CUDA serves.

use super::archs::serves;
use super::drivers::{DriverVersion, Platform, parse_cuda, runs_on};
use super::wheels::{Advice, System, Wanted};

/// One way to install a framework.
struct Choice {
    framework: &'static str,
    /// What follows `pip install`, words apart by blanks.
    spec: &'static str,
    /// The CUDA that it is built for.
    cuda: &'static str,
    /// Architectures; `a` is that chip only, `+` PTX of the last one.
    code: &'static str,
    /// First and last Python with a wheel, of minor version 3.
    pythons: (u32, u32),
    why: &'static str,
}

const fn choice(
    framework: &'static str,
    spec: &'static str,
    cuda: &'static str,
    code: &'static str,
    pythons: (u32, u32),
    why: &'static str,
) -> Choice {
    Choice { framework, spec, cuda, code, pythons, why }
}

const CUDA13: &str = "CUDA 13 needs a driver of branch 580 or newer and a GPU of compute capability 7.5 or higher";
const CUDA12: &str = "CUDA 12 runs on drivers from 525 on";
const OLD_CUDNN: &str = "CUDA 12 runs on drivers from 525 on, and 9.10 is the last cuDNN with code for this GPU";
const CUDA11: &str = "it is the last build that runs on a driver older than 525";
const OLD_GPU: &str = "it is the last build with code for this GPU";
const TF12: &str = "the build is for CUDA 12 and runs on drivers from 525 on";

/// Best first.
#[rustfmt::skip]
static CHOICES: &[Choice] = &[
    choice("jax", "jax[cuda13]", "13.0", "75 80 90 100 110 120+", (11, 99), CUDA13),
    choice("jax", "jax[cuda12]", "12.8", "75 80 90 100 101 120+", (9, 99), CUDA12),
    choice("jax", "jax[cuda12] nvidia-cudnn-cu12<9.11", "12.8", "50 60 70", (10, 99), OLD_CUDNN),
    choice("tensorflow", "tensorflow[and-cuda]", "12.5", "75 80 89 90+", (9, 13), TF12),
    choice("tensorflow", "tensorflow[and-cuda] nvidia-cudnn-cu12<9.11", "12.5", "60 70", (9, 13), OLD_CUDNN),
    choice("tensorflow", "tensorflow[and-cuda]==2.16.2", "12.3", "50 60 70 80 90+", (9, 12), OLD_GPU),
    choice("tensorflow", "tensorflow[and-cuda]==2.14.1", "11.8", "35 50 60 70 75 80+", (9, 11), CUDA11),
    choice("onnxruntime", "onnxruntime-gpu[cuda,cudnn]", "13.0", "75 80 86 89 90a 120a", (11, 14), CUDA13),
    choice("onnxruntime", "onnxruntime-gpu[cuda,cudnn]==1.28.0", "13.0", "75 80 86 89 90a 100a 120a+", (11, 14), OLD_GPU),
    choice("onnxruntime", "onnxruntime-gpu[cuda,cudnn]<1.27", "12.8", "75 80 86 90a", (10, 14), CUDA12),
    choice("onnxruntime", "onnxruntime-gpu[cuda,cudnn]<1.27 nvidia-cudnn-cu12<9.11", "12.8", "60 70", (10, 14), OLD_CUDNN),
    choice("onnxruntime", "onnxruntime-gpu==1.18.1", "11.8", "52 60 70 75 80+", (8, 12), CUDA11),
    choice("cupy", "cupy-cuda13x[ctk]", "13.0", "75+", (10, 14), CUDA13),
    choice("cupy", "cupy-cuda12x[ctk]", "12.8", "50+", (10, 14), CUDA12),
    choice("cupy", "cupy-cuda11x", "11.8", "35 50 60 70 80 90", (8, 13), CUDA11),
    choice("numba", "numba-cuda[cu13]", "13.0", "75+", (9, 99), CUDA13),
    choice("numba", "numba-cuda[cu12]", "12.8", "50+", (9, 99), CUDA12),
];

/// Whether the table knows a framework.
pub fn knows(framework: &str) -> bool {
    CHOICES.iter().any(|choice| choice.framework == framework)
}

/// The package to advise; nothing where none fits. JAX and TensorFlow have no build with CUDA for Windows, TensorFlow none for
/// Linux on ARM.
pub fn advise(framework: &str, wanted: &Wanted) -> Option<Advice> {
    let only_linux = matches!(framework, "jax" | "tensorflow");
    if only_linux && wanted.system == System::WindowsX86
        || framework == "tensorflow" && wanted.system == System::LinuxArm
    {
        return None;
    }
    let fits = |choice: &&Choice| {
        let cuda = parse_cuda(choice.cuda)?;
        let python_fits = wanted
            .python
            .is_none_or(|(major, minor)| major == 3 && (choice.pythons.0..=choice.pythons.1).contains(&minor));
        let driver_fits = match wanted.driver {
            None => true,
            Some(driver) if wanted.cc >= (10, 0) && driver < blackwell(wanted.platform) => false,
            Some(driver) => runs_on(driver, cuda, wanted.platform)?,
        };
        let served = serves(&code(choice.code), wanted.cc, false, Some(cuda)).is_served();
        (python_fits && driver_fits && served).then_some(())
    };
    let choice = CHOICES.iter().filter(|choice| choice.framework == framework).find(|choice| fits(choice).is_some())?;
    Some(Advice { spec: choice.spec, index: None, why: choice.why })
}

/// Blackwell never works below these, whatever the build.
fn blackwell(platform: Platform) -> DriverVersion {
    match platform {
        Platform::Linux => DriverVersion::new(570, 26, 0),
        Platform::Windows => DriverVersion::new(570, 65, 0),
    }
}

/// `sm_90 compute_90` of `90+`.
fn code(numbers: &str) -> Vec<String> {
    let mut list = Vec::new();
    for number in numbers.split_whitespace() {
        let plain = number.trim_end_matches('+');
        list.push(format!("sm_{plain}"));
        if number.ends_with('+') {
            list.push(format!("compute_{}", plain.trim_end_matches('a')));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(framework: &str, driver: Option<&str>, cc: (u32, u32), python: u32) -> String {
        let wanted = Wanted {
            system: System::LinuxX86,
            platform: Platform::Linux,
            driver: driver.and_then(DriverVersion::parse),
            cc,
            python: Some((3, python)),
        };
        advise(framework, &wanted).map_or("none".to_string(), |advice| advice.spec.to_string())
    }

    #[test]
    fn tensorflow_has_no_cuda_for_linux_on_arm() {
        let wanted = Wanted {
            system: System::LinuxArm,
            platform: Platform::Linux,
            driver: None,
            cc: (9, 0),
            python: Some((3, 12)),
        };
        assert!(advise("tensorflow", &wanted).is_none());
        assert!(advise("jax", &wanted).is_some());
    }

    #[test]
    fn the_newest_cuda_that_driver_and_gpu_take() {
        assert_eq!(of("jax", Some("580.95.05"), (8, 9), 12), "jax[cuda13]");
        assert_eq!(of("jax", Some("535.183.01"), (8, 9), 12), "jax[cuda12]");
        assert_eq!(of("jax", Some("580.95.05"), (6, 1), 12), "jax[cuda12] nvidia-cudnn-cu12<9.11");
        assert_eq!(of("jax", Some("470.256.02"), (8, 6), 12), "none");
        assert_eq!(of("onnxruntime", Some("580.95.05"), (8, 9), 12), "onnxruntime-gpu[cuda,cudnn]");
        assert_eq!(of("onnxruntime", Some("535.183.01"), (8, 9), 12), "onnxruntime-gpu[cuda,cudnn]<1.27");
        assert_eq!(of("onnxruntime", Some("580.95.05"), (10, 0), 12), "onnxruntime-gpu[cuda,cudnn]==1.28.0");
        assert_eq!(of("onnxruntime", Some("470.256.02"), (8, 6), 11), "onnxruntime-gpu==1.18.1");
        assert_eq!(of("tensorflow", None, (8, 6), 11), "tensorflow[and-cuda]");
        assert_eq!(of("tensorflow", Some("535.183.01"), (5, 2), 11), "tensorflow[and-cuda]==2.16.2");
        assert_eq!(of("tensorflow", Some("535.183.01"), (8, 6), 14), "none");
        assert_eq!(of("cupy", Some("580.95.05"), (7, 0), 12), "cupy-cuda12x[ctk]");
        assert_eq!(of("cupy", Some("470.256.02"), (8, 6), 12), "cupy-cuda11x");
        assert_eq!(of("numba", Some("550.54.14"), (8, 9), 12), "numba-cuda[cu12]");
        // Blackwell with a driver that does not know it.
        assert_eq!(of("jax", Some("550.54.14"), (12, 0), 12), "none");
    }
}
