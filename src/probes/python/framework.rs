//! What a framework says of itself, from the stages `import`, `sees` and `tensor`.

use super::libraries;
use super::parse::{how, in_full, list, text};
use crate::facts::Facts;
use crate::facts::python::{self as keys, Build, Import, Tensor};
use crate::machine::child::{End, Report};
use crate::subject::Subject;
use crate::tables::frameworks::Framework;
use serde_json::Value;

/// Everything that a child says of its framework.
/// What is `known` already is not told again.
pub fn read(facts: &mut Facts, known: &Facts, subject: &Subject, framework: &Framework, report: &Report, path: &str) {
    let mut reader = Reader { facts, known, subject, report, path, name: framework.name, module: framework.module };
    reader.import();
    reader.build();
    reader.sees();
    reader.tensors();
    reader.logged();
}

/// The readings in which a framework is asked for the GPU in the way that a program asks for it.
const ASKING: [&str; 3] = ["all", "session_providers", "device_count"];

/// Whether a framework answered the question for the GPU with an exception: a program gets the same, and no GPU. What only a
/// question in the wrong words raises says nothing of the GPU.
fn raised(error: &Value) -> bool {
    error["type"].as_str().is_some_and(|kind| !matches!(kind, "AttributeError" | "TypeError" | "NameError"))
}

struct Reader<'a> {
    facts: &'a mut Facts,
    known: &'a Facts,
    subject: &'a Subject,
    report: &'a Report,
    path: &'a str,
    name: &'a str,
    module: &'a str,
}

impl Reader<'_> {
    fn source(&self, what: &str) -> String {
        format!("{}: {what}", self.path)
    }

    fn import(&mut self) {
        let what = format!("import {}", self.module);
        let source = self.source(&what);
        let Some(stage) = self.report.result("import") else {
            if self.report.unfinished().contains(&"import") {
                let why = in_full(self.report, &what);
                match self.report.end {
                    End::TimedOut { .. } => self.facts.failed(&keys::IMPORT, self.subject, why, source),
                    _ => {
                        let (error, message) = (Some(how(self.report)), Some(why));
                        let import = Import { ok: false, file: None, error, message };
                        self.facts.seen(&keys::IMPORT, self.subject, import, source);
                    }
                }
            }
            return;
        };
        let error = &stage["error"];
        let import = Import {
            ok: stage["ok"] == true,
            file: text(stage, "file"),
            error: text(error, "type"),
            message: text(error, "message"),
        };
        self.facts.seen(&keys::IMPORT, self.subject, import, source);
        self.warnings(stage);
    }

    /// What the imported module says that it was built for, where its files did not say it.
    fn build(&mut self) {
        let Some(import) = self.report.result("import").filter(|stage| stage["ok"] == true) else { return };
        if [&*self.facts, self.known].iter().any(|facts| facts.look(&keys::BUILD, self.subject).fact().is_some()) {
            return;
        }
        let sees = self.report.result("sees").unwrap_or(&Value::Null);
        // What is known only once the back ends are loaded is the more exact.
        let of = |name: &str| text(sees, name).or_else(|| text(import, name));
        let build = Build { cuda: of("cuda"), hip: of("hip"), xpu: of("xpu") };
        // A build for a GPU of which no version is known says nothing here.
        if build != Build::default() || import["gpu_build"] == false || sees["gpu_build"] == false {
            let source = self.source(&format!("{}'s own words on its build", self.module));
            self.facts.seen(&keys::BUILD, self.subject, build, source);
        }
    }

    fn warnings(&mut self, stage: &Value) {
        for warning in list(stage, "warnings") {
            if let Some(message) = text(warning, "message") {
                self.facts.seen(&keys::MESSAGE, self.subject, message, self.source("warning"));
            }
        }
    }

    fn sees(&mut self) {
        let asked = match self.name {
            "torch" => "torch.cuda.is_available()".to_string(),
            name => format!("what {name} says about GPUs"),
        };
        let source = self.source(&asked);
        let (subject, report) = (self.subject, self.report);
        let Some(stage) = report.result("sees") else {
            if report.unfinished().contains(&"sees") {
                self.facts.failed(&keys::AVAILABLE, subject, in_full(report, &asked), source);
            }
            return;
        };
        // An Intel or Apple build of torch answers for its own device; a CUDA or ROCm build through torch.cuda.
        let own = ["available", "xpu_available", "mps_available"];
        let errors = &stage["errors"];
        if own.iter().any(|name| stage[*name] == true) {
            self.facts.seen(&keys::AVAILABLE, subject, true, source);
        } else if stage["available"].is_boolean() {
            self.facts.seen(&keys::AVAILABLE, subject, false, source);
        } else if let Some(why) = why(&errors["available"]).or_else(|| why(&stage["error"])) {
            self.facts.failed(&keys::AVAILABLE, subject, why, source);
        } else if ASKING.iter().any(|name| raised(&errors[*name])) {
            self.facts.seen(&keys::AVAILABLE, subject, false, source);
        }
        if let Some(count) = stage["device_count"].as_u64() {
            self.facts.seen(&keys::DEVICE_COUNT, subject, count as u32, self.source(&format!("{}, count", self.name)));
        }
        for (key, name) in [(&keys::ARCHITECTURES, "arch_list"), (&keys::BACKENDS, "backends")] {
            let names = strings(stage, name);
            // TensorFlow's files say the same as its own words.
            let told = self.known.look(key, subject).fact().is_some();
            if !names.is_empty() && !told {
                self.facts.seen(key, subject, names, self.source(&format!("{}, {name}", self.name)));
            }
        }
        self.warnings(stage);
        // An exception where a framework asks for the GPU is its own word on it.
        let said = ASKING.iter().filter_map(|name| why(&errors[*name]));
        for message in why(&stage["init_error"]).into_iter().chain(said) {
            self.facts.seen(
                &keys::MESSAGE,
                subject,
                message,
                self.source(&format!("{}, asked for the GPU", self.name)),
            );
        }
        let mapped = strings(stage, "libraries");
        if !mapped.is_empty() {
            self.facts.seen(&keys::MAPPED, subject, mapped, self.source("/proc/self/maps"));
        }
    }

    /// What its native libraries wrote to stderr, where not all is well.
    fn logged(&mut self) {
        let tensors = self.report.results("tensor").all(|stage| stage["ok"] == true);
        let sees = self.report.result("sees").is_some_and(|stage| stage["available"] == true);
        if self.report.done && sees && tensors {
            return;
        }
        for line in libraries::telling(&self.report.stderr) {
            self.facts.seen(&keys::MESSAGE, self.subject, line, self.source("stderr"));
        }
    }

    fn tensors(&mut self) {
        let report = self.report;
        for stage in report.results("tensor") {
            let error = &stage["error"];
            let device = text(stage, "device");
            let tensor = Tensor {
                index: stage["index"].as_u64().unwrap_or_default() as u32,
                device: device.clone().filter(|device| !device.starts_with("cuda:")),
                ok: stage["ok"] == true,
                step: text(stage, "step"),
                message: why(error),
                code: error["code"].as_i64().map(|c| c as i32),
            };
            let device = device.unwrap_or_else(|| format!("cuda:{}", tensor.index));
            let source = self.source(&format!("{} computes on {device}", self.name));
            self.facts.seen(&keys::TENSOR, self.subject, tensor, source);
        }
        if report.unfinished().contains(&"tensor") {
            let source = self.source(&format!("{} computes", self.name));
            self.facts.failed(&keys::TENSOR, self.subject, in_full(report, "the tensor"), source);
        }
    }
}

/// What an exception says; of one without words (`MemoryError`), its name.
fn why(error: &Value) -> Option<String> {
    text(error, "message").filter(|message| !message.trim().is_empty()).or_else(|| text(error, "type"))
}

fn strings(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::child::test::report;
    use crate::tables::frameworks;

    fn available(sees: &str) -> Option<bool> {
        let jax = frameworks::find("jax").expect("a framework");
        let subject = Subject::framework("jax", "/venv");
        let mut facts = Facts::new();
        let lines = format!("{{\"stage\":\"import\",\"ok\":true}}\n{{\"stage\":\"sees\",{sees}}}\n{{\"done\":true}}");
        read(&mut facts, &Facts::new(), &subject, jax, &report(&lines), "/venv/bin/python");
        facts.look(&keys::AVAILABLE, &subject).seen()
    }

    #[test]
    fn an_exception_to_the_question_for_the_gpu_is_an_answer() {
        let raised = |kind: &str| format!("\"errors\":{{\"all\":{{\"type\":\"{kind}\",\"message\":\"no\"}}}}");
        assert_eq!(available("\"available\":true"), Some(true));
        assert_eq!(available(&raised("RuntimeError")), Some(false));
        // It has no such function: another release of the framework.
        assert_eq!(available(&raised("AttributeError")), None);
        assert_eq!(available("\"devices\":[]"), None);
    }
}
