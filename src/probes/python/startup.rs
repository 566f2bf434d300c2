//! How an interpreter starts: what its first child shows of that, and a second start without the code that runs at every
//! start (`site`, `sitecustomize`, `.pth` files), which tells whether that code is what keeps it from starting.

use super::Chosen;
use crate::facts::python::Trouble;
use crate::facts::{Facts, Look};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What takes longer is worth a word: an interpreter starts in 20 ms, over a network in some 100.
const SLOW: Duration = Duration::from_secs(2);
/// Limit of the second start.
const SECOND: Duration = Duration::from_secs(10);
/// What the second start prints.
const WORD: &str = "gpu-doctor-starts";

/// What the start of a first child shows.
pub fn troubles(report: &Report) -> Vec<Trouble> {
    let trouble = |kind: &str, detail: String| Trouble { kind: kind.to_string(), detail, file: None };
    let mut found = Vec::new();
    if report.result("interpreter").is_none() {
        found.extend(missing_library(&report.stderr).map(|detail| trouble("no_library", detail)));
        return found;
    }
    if let Some(first) = report.noise.lines().map(str::trim).find(|line| !line.is_empty()) {
        found.push(trouble("startup_output", first.chars().take(100).collect()));
    }
    if let Some(took) = report.first.filter(|took| *took >= SLOW) {
        found.push(trouble("slow", format!("{:.1} s", took.as_secs_f64())));
    }
    found
}

/// The variables that keep a framework off the GPU and that the interpreter has otherwise than this program was started with:
/// code that runs at every start set them, or the settings of a notebook's kernel.
pub fn switches(interpreter: &Value, known: &Facts, file: Option<String>) -> Vec<Trouble> {
    let Some(switches) = interpreter["switches"].as_object() else { return Vec::new() };
    let inside = switches.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let changed = |(name, value): &(&String, &str)| match known.variable(name) {
        Look::Seen(outside, _) => outside != *value,
        Look::Absent(_) => true,
        Look::Failed(..) | Look::NotAsked => false,
    };
    let trouble = |(name, value): (&String, &str)| Trouble {
        kind: "startup_variable".to_string(),
        detail: format!("{name}=\"{value}\""),
        file: file.clone(),
    };
    inside.filter(changed).map(trouble).collect()
}

/// What CPython says when it does not find its own standard library.
fn missing_library(stderr: &str) -> Option<String> {
    let line = stderr.lines().find(|line| {
        ["'encodings'", "'site'", "'os'"].iter().any(|name| line.contains(&format!("No module named {name}")))
    })?;
    let home = stderr.lines().find_map(|line| line.trim().strip_prefix("PYTHONHOME = "));
    let home = home.filter(|home| *home != "(not set)").map(|home| format!(", with PYTHONHOME = {home}"));
    Some(format!("{}{}", line.trim(), home.unwrap_or_default()))
}

/// The second start; nothing where the first one says enough.
pub fn second(chosen: &Chosen, report: &Report, limit: Duration) -> Option<Spec> {
    let says_enough = matches!(report.end, End::NotStarted(_)) || missing_library(&report.stderr).is_some();
    if says_enough || report.result("interpreter").is_some() {
        return None;
    }
    let script = format!("print('{WORD}')");
    Some(Spec::text(&chosen.path, limit.min(SECOND)).arguments(["-B", "-I", "-S", "-c", &script]))
}

/// What the second start tells of the first.
pub fn failure(first: &Report, second: &Report, file: Option<String>) -> Option<Trouble> {
    let detail = match &first.end {
        End::TimedOut { .. } => format!("it does not answer within {} s", first.limit.as_secs()),
        End::Flooded => "it prints without end".to_string(),
        End::Signaled(signal) => format!("it is ended by signal {signal}"),
        End::Exited(status) => format!("it exits with status {status} before any program runs"),
        End::NotStarted(_) => return None,
    };
    let starts = second.stdout.lines().any(|line| line.trim() == WORD);
    starts.then(|| Trouble { kind: "startup_failure".to_string(), detail, file })
}

/// The file that runs at every start, where there is one in these folders. The one of Debian and Ubuntu only has crashes
/// reported and says nothing.
pub fn culprit(machine: &Machine, program: &Path, folders: &[PathBuf]) -> Option<String> {
    if is_script(machine, program) {
        return None;
    }
    let files = ["sitecustomize.py", "usercustomize.py", "sitecustomize/__init__.py"];
    let mut all = folders.iter().flat_map(|folder| files.iter().map(|file| folder.join(file)));
    let of_distribution = |file: &Path| {
        machine.range(file, 0, 400).is_ok_and(|text| String::from_utf8_lossy(&text).contains("apport_python_hook"))
    };
    all.find(|file| machine.exists(file) && !of_distribution(file)).map(|file| file.display().to_string())
}

/// Whether the program is a script that starts the interpreter: what it does itself is no code of Python's start.
pub fn is_script(machine: &Machine, program: &Path) -> bool {
    machine.range(program, 0, 2).is_ok_and(|head| head == b"#!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::host;

    #[test]
    fn a_variable_that_start_up_code_sets_is_told_from_one_that_was_there() {
        let interpreter = serde_json::json!({"switches": {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}});
        let mut known = Facts::new();
        let variable = crate::subject::Subject::variable;
        known.seen(&host::VARIABLE, &variable("CUDA_VISIBLE_DEVICES"), "0".to_string(), "environment");
        known.seen(&host::VARIABLE, &variable("JAX_PLATFORMS"), "cpu".to_string(), "environment");
        let told =
            |known: &Facts| switches(&interpreter, known, None).into_iter().map(|t| t.detail).collect::<Vec<_>>();
        assert_eq!(told(&known), ["CUDA_VISIBLE_DEVICES=\"-1\""]);
        // Nobody looked at the environment.
        assert_eq!(told(&Facts::new()), [""; 0]);
    }

    #[test]
    fn a_missing_standard_library_is_read_from_cpythons_words() {
        let fatal = "Python path configuration:\n  PYTHONHOME = '/nowhere'\n  PYTHONPATH = (not set)\n\
                     Fatal Python error: init_fs_encoding: failed to get the Python codec of the filesystem encoding\n\
                     ModuleNotFoundError: No module named 'encodings'\n";
        assert_eq!(
            missing_library(fatal).as_deref(),
            Some("ModuleNotFoundError: No module named 'encodings', with PYTHONHOME = '/nowhere'")
        );
        let unset = fatal.replace("'/nowhere'", "(not set)");
        assert_eq!(missing_library(&unset).as_deref(), Some("ModuleNotFoundError: No module named 'encodings'"));
        assert_eq!(missing_library("ModuleNotFoundError: No module named 'torch'"), None);
    }
}
