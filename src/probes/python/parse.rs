//! The stages of `probe.py` as facts.

use super::Chosen;
use crate::facts::cuda::{PROBE_END, ProbeEnd};
use crate::facts::python::{self as keys, Build, Distribution, Import, Interpreter, Package, Tensor};
use crate::facts::{Facts, cuda};
use crate::machine::child::{End, Report};
use crate::subject::Subject;
use serde_json::Value;

/// What an interpreter's answers say.
pub fn parse(chosen: &Chosen, report: &Report) -> Facts {
    let mut facts = Facts::new();
    let path = chosen.path.display().to_string();
    let Some(interpreter) = report.result("interpreter") else {
        facts.seen(&keys::BROKEN, &Subject::environment(&path), why_silent(report), format!("{path} -c"));
        return facts;
    };
    let prefix = text(interpreter, "prefix").unwrap_or(path.clone());
    let environment = Subject::environment(&prefix);
    let source = format!("{path}: sys");
    if let Some(why) = text(interpreter, "unsupported") {
        facts.seen(&keys::BROKEN, &environment, why, source);
        return facts;
    }
    let packages = report.result("packages").unwrap_or(&Value::Null);
    let seen = Interpreter {
        path: path.clone(),
        version: text(interpreter, "version").unwrap_or_default(),
        prefix: prefix.clone(),
        base_prefix: text(interpreter, "base_prefix").unwrap_or_default(),
        bits: interpreter["bits"].as_u64().unwrap_or(64) as u32,
        chosen_by: chosen.by.to_string(),
        manager: manager(interpreter, packages),
    };
    facts.seen(&keys::INTERPRETER, &environment, seen, source);
    cudarts(&mut facts, packages);
    listed(&mut facts, &environment, packages);
    let framework = Subject::framework("torch", &prefix);
    installed(&mut facts, &framework, packages, &path);
    if let Some(shadow) = text(&packages["torch"], "cwd_shadow") {
        facts.seen(&keys::SHADOWED_BY, &environment, shadow, format!("{path}: import torch in this directory"));
    }
    if is_installed(packages) || imported(report) {
        import(&mut facts, &framework, report, &path);
        sees(&mut facts, &framework, report, &path);
        tensors(&mut facts, &framework, report, &path);
    }
    ended(&mut facts, &framework, report, &path);
    facts
}

fn text(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().map(str::to_string)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn strings(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// Why an interpreter gave no answer at all.
fn why_silent(report: &Report) -> String {
    let stderr = report.stderr.trim();
    // What is no Python may repeat the whole script.
    let words = |line: &str| line.chars().take(200).collect::<String>();
    let said = stderr.lines().next_back().map(|line| format!(": {}", words(line))).unwrap_or_default();
    match &report.end {
        End::NotStarted(why) => format!("it could not be started: {why}"),
        End::TimedOut { .. } => format!("it did not answer within {} s", report.limit.as_secs()),
        End::Flooded => "it printed without end".to_string(),
        End::Signaled(signal) => format!("it was ended by signal {signal}{said}"),
        End::Exited(0) => format!("it ended without an answer; it may be no Python{said}"),
        End::Exited(status) => format!("it exited with status {status}{said}"),
    }
}

/// Who installs packages there. What is known of the installed torch comes first: in a conda environment it may be pip's.
fn manager(interpreter: &Value, packages: &Value) -> String {
    let managers: Vec<&str> = list(interpreter, "managers").iter().filter_map(|m| m["name"].as_str()).collect();
    let torch = list(packages, "distributions").iter().find(|d| d["name"] == "torch");
    let installer = torch.and_then(|d| d["installer"].as_str());
    let from_conda = list(packages, "conda").iter().any(|row| row["name"] == "pytorch");
    let is = |name: &str| managers.contains(&name);
    let name = match installer {
        _ if from_conda && is("pixi") => "pixi",
        _ if from_conda => "conda",
        Some("uv") => "uv",
        _ if is("poetry") => "poetry",
        Some("pip") => "pip",
        _ if is("pixi") => "pixi",
        _ if is("conda") => "conda",
        _ if is("uv") => "uv",
        _ if is("pipx") => "pipx",
        _ if interpreter["externally_managed"] == true => "system",
        _ => "pip",
    };
    name.to_string()
}

/// The CUDA runtimes among the installed wheels.
fn cudarts(facts: &mut Facts, packages: &Value) {
    for row in list(packages, "distributions") {
        let name = text(row, "name").unwrap_or_default();
        if name.starts_with("nvidia-cuda-runtime")
            && let (Some(version), Some(location)) = (text(row, "version"), text(row, "location"))
        {
            let place = Subject::file(format!("{location}/{name}"));
            facts.seen(&cuda::CUDART, &place, version, format!("{location}: {name}"));
        }
    }
}

/// The installed packages that have to do with GPUs, from the metadata of pip and of conda.
fn listed(facts: &mut Facts, environment: &Subject, packages: &Value) {
    let rows = list(packages, "distributions").iter().chain(list(packages, "conda"));
    for row in rows {
        let Some(name) = text(row, "name").filter(|name| name != "pip" && name != "numpy") else { continue };
        let package = Package {
            version: text(row, "version").unwrap_or_default(),
            location: text(row, "location"),
            build: text(row, "build").filter(|_| row["form"].is_null()),
            channel: text(row, "channel"),
            name,
        };
        let source = package.location.clone().unwrap_or_else(|| format!("{}/conda-meta", environment.id));
        facts.seen(&keys::PACKAGE, environment, package, source);
    }
}

fn is_installed(packages: &Value) -> bool {
    packages["torch"]["origin"].is_string() || packages["torch"]["folder"].is_string()
}

fn imported(report: &Report) -> bool {
    report.result("import").is_some_and(|stage| stage["ok"] == true)
}

fn installed(facts: &mut Facts, framework: &Subject, packages: &Value, path: &str) {
    let torch = &packages["torch"];
    let source = format!("{path}: importlib, dist-info");
    if packages.is_null() {
        facts.failed(&keys::DISTRIBUTION, framework, "the list of packages could not be read", source);
        return;
    }
    if !is_installed(packages) {
        facts.absent(&keys::DISTRIBUTION, framework, source);
        return;
    }
    let rows = list(packages, "distributions");
    let folder = text(torch, "folder").unwrap_or_default();
    // The metadata beside the package that is really imported, where there are several.
    let row = rows
        .iter()
        .filter(|d| d["name"] == "torch")
        .max_by_key(|d| d["location"].as_str().is_some_and(|location| folder.starts_with(location)))
        .unwrap_or(&Value::Null);
    let conda = list(packages, "conda").iter().find(|row| row["name"] == "pytorch").unwrap_or(&Value::Null);
    let version_py = &torch["version_py"];
    let distribution = Distribution {
        // version.py has the local tag (+cpu) that the name of the metadata may lack.
        version: text(version_py, "version").or(text(row, "version")).or(text(conda, "version")).unwrap_or_default(),
        location: text(row, "location").unwrap_or(folder.clone()),
        installer: text(row, "installer").or_else(|| text(conda, "build").map(|_| "conda".to_string())),
        conda_build: text(conda, "build"),
        channel: text(conda, "channel"),
    };
    facts.seen(&keys::DISTRIBUTION, framework, distribution, source);
    if version_py.is_object() {
        let build = Build {
            cuda: text(version_py, "cuda"),
            hip: text(version_py, "hip").or(text(version_py, "rocm")),
            xpu: text(version_py, "xpu"),
        };
        facts.seen(&keys::BUILD, framework, build, format!("{folder}/version.py"));
    }
}

fn import(facts: &mut Facts, framework: &Subject, report: &Report, path: &str) {
    let source = format!("{path}: import torch");
    let Some(stage) = report.result("import") else {
        if report.unfinished().contains(&"import") {
            let import = Import {
                ok: false,
                file: None,
                error: Some(how(report)),
                message: Some(in_full(report, "import torch")),
            };
            match report.end {
                End::TimedOut { .. } => facts.failed(&keys::IMPORT, framework, in_full(report, "import torch"), source),
                _ => facts.seen(&keys::IMPORT, framework, import, source),
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
    facts.seen(&keys::IMPORT, framework, import, source);
    if stage["ok"] == true && facts.look(&keys::BUILD, framework).fact().is_none() {
        let build = Build { cuda: text(stage, "cuda"), hip: text(stage, "hip"), xpu: text(stage, "xpu") };
        facts.seen(&keys::BUILD, framework, build, format!("{path}: torch.version"));
    }
    warnings(facts, framework, stage, path);
}

fn warnings(facts: &mut Facts, framework: &Subject, stage: &Value, path: &str) {
    for warning in list(stage, "warnings") {
        if let Some(message) = text(warning, "message") {
            facts.seen(&keys::MESSAGE, framework, message, format!("{path}: warning"));
        }
    }
}

fn sees(facts: &mut Facts, framework: &Subject, report: &Report, path: &str) {
    let source = format!("{path}: torch.cuda.is_available()");
    let Some(stage) = report.result("cuda") else {
        if report.unfinished().contains(&"cuda") {
            facts.failed(&keys::AVAILABLE, framework, in_full(report, "torch.cuda.is_available()"), source);
        }
        return;
    };
    // An Intel or Apple build answers for its own device; a CUDA or ROCm build answers through torch.cuda.
    let available = stage["available"] == true || stage["xpu_available"] == true;
    match stage["available"].is_boolean() {
        true => facts.seen(&keys::AVAILABLE, framework, available, source),
        false => {
            let why = text(&stage["errors"]["available"], "message").unwrap_or("no answer".to_string());
            facts.failed(&keys::AVAILABLE, framework, why, source);
        }
    }
    if let Some(count) = stage["device_count"].as_u64() {
        facts.seen(&keys::DEVICE_COUNT, framework, count as u32, format!("{path}: torch.cuda.device_count()"));
    }
    let architectures = strings(stage, "arch_list");
    if !architectures.is_empty() {
        facts.seen(&keys::ARCHITECTURES, framework, architectures, format!("{path}: torch.cuda.get_arch_list()"));
    }
    warnings(facts, framework, stage, path);
    if let Some(message) = text(&stage["init_error"], "message") {
        facts.seen(&keys::MESSAGE, framework, message, format!("{path}: torch.cuda.init()"));
    }
    let mapped = strings(stage, "libraries");
    if !mapped.is_empty() {
        facts.seen(&keys::MAPPED, framework, mapped, format!("{path}: /proc/self/maps"));
    }
}

fn tensors(facts: &mut Facts, framework: &Subject, report: &Report, path: &str) {
    for stage in report.results("tensor") {
        let error = &stage["error"];
        let tensor = Tensor {
            index: stage["index"].as_u64().unwrap_or_default() as u32,
            ok: stage["ok"] == true,
            step: text(stage, "step"),
            message: text(error, "message"),
            code: error["code"].as_i64().map(|c| c as i32),
        };
        let source = format!("{path}: torch.tensor on cuda:{}", tensor.index);
        facts.seen(&keys::TENSOR, framework, tensor, source);
    }
    if report.unfinished().contains(&"tensor") {
        let source = format!("{path}: torch.tensor");
        facts.failed(&keys::TENSOR, framework, in_full(report, "the tensor"), source);
    }
}

/// A hang or a crash is a finding of its own, with the stage in which it came.
fn ended(facts: &mut Facts, framework: &Subject, report: &Report, path: &str) {
    if report.done {
        return;
    }
    let stage = report.unfinished().last().copied().unwrap_or("start").to_string();
    let detail = in_full(report, &stage);
    let end = ProbeEnd { how: how(report), stage, detail };
    facts.seen(&PROBE_END, framework, end, format!("{path} -c"));
}

fn how(report: &Report) -> String {
    match report.end {
        End::TimedOut { .. } => "timed_out",
        End::Signaled(_) => "crashed",
        End::Exited(_) => "exited",
        End::Flooded => "flooded",
        End::NotStarted(_) => "not_started",
    }
    .to_string()
}

fn in_full(report: &Report, what: &str) -> String {
    match &report.end {
        End::TimedOut { .. } => format!("{what} took longer than {} s", report.limit.as_secs()),
        End::Signaled(11) => format!("{what} crashed (signal 11, SIGSEGV)"),
        End::Signaled(6) => format!("{what} aborted (signal 6, SIGABRT)"),
        End::Signaled(9) => format!("{what} was killed (signal 9); the kernel does that when memory runs out"),
        End::Signaled(signal) => format!("{what} was ended by signal {signal}"),
        End::Exited(status) => format!("{what} ended the interpreter with status {status}"),
        End::Flooded => format!("{what} printed without end"),
        End::NotStarted(why) => why.clone(),
    }
}
