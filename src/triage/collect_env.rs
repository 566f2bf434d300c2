//! torch.utils.collect_env of every version, and its relatives: vLLM's, k2's, llamafactory-cli env.
//!
//! Its fields, as its source computes them: `CUDA used to build PyTorch` is torch.version.cuda; a build without CUDA reads
//! `None` where nothing of NVIDIA is there, and `Could not collect` where nvcc, nvidia-smi or a GPU are: both mean the same.
//! `CUDA runtime version` is nvcc's. GPUs and driver come from nvidia-smi, `[pip3]` from the pip on PATH.

use super::parts::{self, ENVIRONMENT, environment, gpu_number, is_nothing, label, torch};
use super::torch::Sure;
use super::{Found, Line, Reader, packages, system};
use crate::facts::python::Interpreter;
use crate::facts::{cuda, host, nvidia, python};
use crate::subject::Subject;

/// Reads it.
#[derive(Default)]
pub struct CollectEnv {
    /// Lines of GPUs follow.
    in_gpus: bool,
    /// This is such a report: `OS:` and the like mean what they mean there.
    inside: bool,
    /// `Is XPU available`.
    xpu: Option<(bool, u64)>,
    cuda: Option<(bool, u64)>,
}

impl Reader for CollectEnv {
    fn waits(&self) -> bool {
        self.in_gpus
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim_start();
        if text.starts_with("Collecting environment information") {
            self.inside = true;
            return;
        }
        // Retyped: `PyTorch version 1.5.0`.
        if let Some(rest) = text.strip_prefix("PyTorch version ")
            && !rest.trim_start().starts_with(':')
        {
            found.torch.version(parts::word(rest), Sure::Itself, line.number);
        }
        if self.in_gpus {
            self.in_gpus = gpu_row(text, found);
        }
        if text.starts_with("[pip") || text.starts_with("[conda]") {
            return packages::collect_env_row(text, found);
        }
        let Some((key, value)) = label(line.text) else { return };
        self.field(&key, value, line.number, found);
    }

    fn end(&mut self, found: &mut Found) {
        // A build for Intel answers for its own device.
        let of_xpu = found.torch.is_xpu();
        let answer = if of_xpu { self.xpu.or(self.cuda.filter(|(is, _)| *is)) } else { self.cuda };
        if let Some((available, line)) = answer {
            found.seen_at(&python::AVAILABLE, &torch(), available, line);
        }
    }
}

impl CollectEnv {
    fn field(&mut self, key: &str, value: &str, line: u64, found: &mut Found) {
        let machine = Subject::machine();
        let first = || value.split_whitespace().next().unwrap_or_default();
        match key {
            "pytorch version" | "torch version" | "versions pytorch" => {
                self.inside = true;
                match value {
                    // The Python that ran the report has no torch.
                    "N/A" => found.absent(&python::DISTRIBUTION, &torch()),
                    _ => found.torch.version(first(), Sure::Itself, line),
                }
            }
            "is debug build" => self.inside = true,
            "cuda used to build pytorch" => {
                self.inside = true;
                match value {
                    // ROCm, or no torch at all.
                    "N/A" => {}
                    "None" | "Could not collect" | "Could not collect." => found.torch.cuda(None, line),
                    _ => {
                        if let Some(version) = parts::version(value) {
                            found.torch.cuda(Some(version), line);
                        }
                    }
                }
            }
            "rocm used to build pytorch" if !is_nothing(value) => found.torch.hip(first(), line),
            "xpu used to build pytorch" if !is_nothing(value) => found.torch.xpu(first(), line),
            "is cuda available" | "is cuda available (pytorch)" | "cuda available" | "gpu available" => {
                self.cuda = self.cuda.or(truth(value).map(|is| (is, line)));
            }
            "is xpu available" => self.xpu = self.xpu.or(truth(value).map(|is| (is, line))),
            "cuda runtime version" if !is_nothing(value) => {
                if let Some(version) = parts::version(value) {
                    found.seen(&cuda::NVCC, &Subject::file("nvcc"), version.to_string());
                }
            }
            "gpu models and configuration" => self.in_gpus = is_nothing(value) || gpu_row(value, found),
            "nvidia driver version" | "nvidia driver" => {
                if let Some(version) = parts::version(value).filter(|v| v.contains('.')) {
                    found.seen(&nvidia::NVML_DRIVER, &machine, version.to_string());
                }
            }
            "os" | "operating system" | "python platform" | "platform" if self.inside || key != "os" => {
                match value.starts_with("Linux-") || value.starts_with("Windows-") || value.starts_with("macOS-") {
                    true => system::platform(value, found),
                    false => system::named(value, found),
                }
            }
            "python version" => python_version(value, found),
            "architecture" | "machine" if self.inside && value.len() < 20 => system::processor(value, found),
            "hypervisor vendor" if self.inside && !is_nothing(value) => {
                let name = value.to_ascii_lowercase();
                let name = if name.contains("microsoft") { "microsoft".to_string() } else { name };
                found.seen(&host::VIRTUALIZATION, &machine, name);
            }
            _ => {}
        }
    }
}

fn truth(value: &str) -> Option<bool> {
    match parts::word(value).to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// `GPU 0: NVIDIA GeForce RTX 3090`; gives whether more may follow.
fn gpu_row(text: &str, found: &mut Found) -> bool {
    let Some((index, name)) = text.trim().strip_prefix("GPU ").and_then(|rest| rest.split_once(':')) else {
        return false;
    };
    let (Ok(index), name) = (index.trim().parse::<u32>(), name.trim()) else { return false };
    // With an identifier it is nvidia-smi's own list.
    if name.is_empty() || index > 255 || name.contains("(UUID") {
        return false;
    }
    let gpu = gpu_number(index);
    if name.contains("(nvgpu)") {
        found.seen(&host::JETSON, &Subject::machine(), name.trim_end_matches("(nvgpu)").trim().to_string());
    }
    if is_nvidia(name) {
        found.seen(&nvidia::NVML_NAME, &gpu, name.to_string());
    }
    true
}

/// collect_env asks rocm-smi for a ROCm build.
fn is_nvidia(name: &str) -> bool {
    !["AMD", "Radeon", "gfx", "Device ", "Intel"].iter().any(|word| name.contains(word))
}

/// `3.12.4 | packaged by Anaconda, Inc. | (main, Jun 18 2024, 15:12:24) [GCC 11.2.0] (64-bit runtime)`, `3.7`.
fn python_version(value: &str, found: &mut Found) {
    let Some(version) = parts::version(value).filter(|v| v.starts_with("2.") || v.starts_with("3.")) else { return };
    let conda = parts::has(value, "anaconda") || parts::has(value, "conda-forge");
    let interpreter = Interpreter {
        path: "python".to_string(),
        version: version.to_string(),
        prefix: ENVIRONMENT.to_string(),
        base_prefix: String::new(),
        bits: if value.contains("32-bit runtime") || value.contains("32 bit (") { 32 } else { 64 },
        kind: value.contains("free-threading build").then(|| "free-threaded".to_string()),
        chosen_by: "the text".to_string(),
        manager: if conda { "conda" } else { "pip" }.to_string(),
    };
    found.seen(&python::INTERPRETER, &environment(), interpreter);
}
