//! What Python sessions print: versions, `is_available()`, lists of architectures, and torch's warnings about them.
//!
//! The answer to a question may stand behind it in the line, or alone in one of the next lines.

use super::gate::Marks;
use super::parts::{self, after, has, torch};
use super::torch::Sure;
use super::{Found, Line, Reader};
use crate::facts::python::Tensor;
use crate::facts::{cuda, nvidia, python};
use crate::subject::Subject;

/// Reads it.
#[derive(Default)]
pub struct PythonSays {
    asked: Option<(Question, u32)>,
    /// Architectures of a list that may go on in the next line.
    list: Vec<String>,
    list_line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Version,
    Available,
    Count,
    Cuda,
    Hip,
    Architectures,
    Capability,
    Name,
    DriverVersion,
}

const QUESTIONS: &[(&str, Question)] = &[
    ("torch.__version__", Question::Version),
    ("torch.cuda.is_available()", Question::Available),
    ("torch.cuda.is_available", Question::Available),
    ("torch.cuda.device_count()", Question::Count),
    ("torch.version.cuda", Question::Cuda),
    ("torch.version.hip", Question::Hip),
    ("torch.cuda.get_arch_list()", Question::Architectures),
    ("torch.cuda.get_device_capability", Question::Capability),
    ("torch.cuda.get_device_name", Question::Name),
    ("torch._C._cuda_getDriverVersion()", Question::DriverVersion),
];

/// Architectures of a list that goes on in further lines.
const MOST: usize = 200;

/// Lines in which an answer may come: warnings stand between.
const PATIENCE: u32 = 8;

impl Reader for PythonSays {
    fn waits(&self) -> bool {
        self.asked.is_some() || !self.list.is_empty()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if !self.list.is_empty() {
            let more = text.trim_start_matches(['.', ' ']);
            if more.starts_with("sm_") || more.starts_with("compute_") {
                if self.list.len() < MOST {
                    self.list.extend(architectures(more));
                }
                return;
            }
            self.flush(found);
        }
        if let Some((question, left)) = self.asked {
            let asks_anew = QUESTIONS.iter().any(|(words, _)| text.contains(words));
            if !asks_anew && self.answer(question, text, line.number, found) {
                self.asked = None;
                return;
            }
            self.asked = (left > 1 && !asks_anew).then_some((question, left - 1));
        }
        if text.len() > 4000 {
            return;
        }
        if line.marks.has(Marks::TORCH) {
            self.of_torch(text, line.number, found);
        }
        self.warnings(text, line, found);
    }

    fn end(&mut self, found: &mut Found) {
        self.flush(found);
    }
}

impl PythonSays {
    fn of_torch(&mut self, text: &str, number: u64, found: &mut Found) {
        if !has(text, "install ") && !has(text, "download") {
            banner(text, number, found);
        }
        for (words, question) in QUESTIONS {
            let Some(rest) = after(text, words) else { continue };
            let rest = rest.trim_start_matches([
                '(', ')', '0', '"', '\'', '`', ' ', ',', ';', '=', ':', '-', '>', '#', '|', '<', '?', '.',
            ]);
            let rest = rest
                .strip_prefix("returns ")
                .or(rest.strip_prefix("return "))
                .or(rest.strip_prefix("is "))
                .unwrap_or(rest);
            if !self.answer(*question, rest, number, found) {
                self.asked = Some((*question, PATIENCE));
            }
            return;
        }
        // The only proof that a kernel runs.
        if text.starts_with("tensor(") && text.contains("device='cuda:") {
            let index = after(text, "device='cuda:").and_then(parts::number).unwrap_or(0) as u32;
            found.seen(
                &python::TENSOR,
                &torch(),
                Tensor { index, device: None, ok: true, step: None, message: None, code: None },
            );
        }
    }

    /// Whether the text answers the question.
    fn answer(&mut self, question: Question, text: &str, line: u64, found: &mut Found) -> bool {
        let plain = text.trim().trim_matches(['\'', '"', '`', '*', '(', ')', ' ']);
        let first = parts::word(plain.trim_start_matches("return ").trim_start_matches("Out"));
        match question {
            Question::Version => {
                let version = plain.split_whitespace().next().unwrap_or_default();
                let version = version.trim_matches(['\'', '"', ',', '`', ';', ')']);
                if !is_torch_version(version) {
                    return false;
                }
                found.torch.version(version, Sure::Itself, line);
            }
            Question::Available => {
                let is = match first.trim_end_matches(['.', '!', '?']) {
                    "True" | "true" => true,
                    "False" | "false" => false,
                    _ => return false,
                };
                found.seen(&python::AVAILABLE, &torch(), is);
            }
            Question::Count => {
                let Ok(count) = first.parse::<u32>() else { return false };
                found.seen(&python::DEVICE_COUNT, &torch(), count);
            }
            Question::Cuda => match first {
                "None" => found.torch.cuda(None, line),
                _ => match parts::version(first).filter(|v| v.contains('.')) {
                    Some(version) => found.torch.cuda(Some(version), line),
                    None => return false,
                },
            },
            Question::Hip => match first {
                "None" => {}
                _ => match parts::version(first).filter(|v| v.contains('.')) {
                    Some(version) => found.torch.hip(version, line),
                    None => return false,
                },
            },
            Question::Architectures => {
                if text.contains("[]") {
                    found.seen(&python::ARCHITECTURES, &torch(), Vec::<String>::new());
                    return true;
                }
                let list = architectures(text);
                if list.is_empty() {
                    return false;
                }
                found.seen(&python::ARCHITECTURES, &torch(), list);
            }
            Question::Capability => {
                let Some((major, minor)) = plain.split_once(',') else { return false };
                let (Some(major), Some(minor)) = (parts::number(major), parts::number(minor)) else { return false };
                found.seen(&nvidia::NVML_CC, &parts::gpu_number(0), format!("{major}.{minor}"));
            }
            Question::Name => {
                let looks = ["NVIDIA", "GeForce", "Tesla", "Quadro", "RTX", "TITAN"].iter().any(|w| plain.contains(w));
                if !looks || plain.len() > 80 {
                    return false;
                }
                found.seen(&nvidia::NVML_NAME, &parts::gpu_number(0), plain.to_string());
            }
            Question::DriverVersion => match first.parse::<i32>() {
                Ok(code) => found.seen(&cuda::DRIVER_VERSION, &Subject::machine(), code),
                Err(_) => return false,
            },
        }
        true
    }

    fn warnings(&mut self, text: &str, line: Line, found: &mut Found) {
        if line.marks.has(Marks::FOUND_VERSION)
            && let Some(rest) = after(text, "found version ")
            && let Some(code) = parts::number(rest).filter(|n| (5000..100_000).contains(n))
        {
            found.seen(&cuda::DRIVER_VERSION, &Subject::machine(), code as i32);
        }
        if !line.marks.has(Marks::CAPABILITY) {
            return;
        }
        // (a) `X with CUDA capability sm_120 is not compatible with the current PyTorch installation.`
        if let Some(at) = parts::find(text, " with CUDA capability sm_") {
            let name = text[..at].rsplit(['\n', ':']).next().unwrap_or_default().trim();
            if let Some(cc) = parts::number(&text[at + " with CUDA capability sm_".len()..]).and_then(dotted) {
                let gpu = found.gpu_named(name);
                if !name.is_empty() && name.len() < 80 {
                    found.seen(&nvidia::NVML_NAME, &gpu, name.to_string());
                }
                found.seen(&nvidia::NVML_CC, &gpu, cc);
            }
        }
        // (b) `Found GPU1 Tesla V100-PCIE-16GB which is of cuda capability 7.0.`
        if let Some(rest) = after(text, "Found GPU")
            && let Some((gpu, cc)) = rest.split_once("which is of cuda capability").or_else(|| {
                rest.split_once("which is of compute capability (CC)")
                    .or_else(|| rest.split_once("which is of compute capability"))
            })
            && let Some(index) = parts::number(gpu)
        {
            let name = gpu.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
            let gpu = parts::gpu_number(index as u32);
            if !name.is_empty() {
                found.seen(&nvidia::NVML_NAME, &gpu, name.to_string());
            }
            if let Some(cc) = parts::version(cc) {
                found.seen(&nvidia::NVML_CC, &gpu, cc.to_string());
            }
        }
        // `The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.`
        if let Some(rest) = after(text, "supports CUDA capabilities") {
            self.list = architectures(rest);
            self.list_line = line.number;
        }
    }

    fn flush(&mut self, found: &mut Found) {
        if !self.list.is_empty() {
            found.seen_at(&python::ARCHITECTURES, &torch(), std::mem::take(&mut self.list), self.list_line);
        }
    }
}

/// `120` is 12.0, `89` is 8.9.
fn dotted(number: u64) -> Option<String> {
    (20..=150).contains(&number).then(|| format!("{}.{}", number / 10, number % 10))
}

/// The `sm_XX` and `compute_XX` of a text.
fn architectures(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|w| crate::tables::archs::parse(w).is_some() && (w.starts_with("sm_") || w.starts_with("compute_")))
        .map(str::to_string)
        .collect()
}

fn is_torch_version(text: &str) -> bool {
    let mut parts = text.split('.');
    let number = |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    number(parts.next()) && number(parts.next()) && parts.next().is_some() && text.len() < 50
}

/// `Ultralytics 8.3.40 Python-3.11.9 torch-2.6.0+cpu`, `torch 2.4.0`, `PyTorch version 2.1.0+cu118`.
fn banner(text: &str, line: u64, found: &mut Found) {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| parts::find(rest, "torch")) {
        let start = at + next;
        at = start + 5;
        let before = text[..start].chars().next_back();
        let py = text[..start].len() >= 2
            && text.is_char_boundary(start - 2)
            && text[start - 2..start].eq_ignore_ascii_case("py");
        if !py && before.is_some_and(|c| c.is_alphanumeric() || "/\\.@".contains(c)) {
            continue;
        }
        let mut rest = text[at..].trim_start_matches([' ', '-', '_', ':', '=', '(', '`', '*', '\'', '"', '|']);
        if rest.get(..7).is_some_and(|w| w.eq_ignore_ascii_case("version")) {
            rest = rest[7..].trim_start_matches([' ', ':', '=', '_', '`', '*', '\'', '"']);
        }
        let rest = rest.strip_prefix(['v', 'V']).unwrap_or(rest);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".+".contains(c))).unwrap_or(rest.len());
        let version = rest[..end].trim_end_matches('.');
        if is_torch_version(version) {
            found.torch.version(version, Sure::Banner, line);
        }
    }
}
