//! The texts behind the facts, for a report that is passed on: what `nvidia-smi -q` prints, the packages of each environment, the
//! NVIDIA libraries that the loader knows, the lines of the kernel log. They are asked for anew, each within the limit.

use super::{careful, run, smi};
use crate::facts::{Facts, kernel, python};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Session, Spec, now};
use std::path::{Path, PathBuf};

/// A text, and the name of the file that it belongs into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// `nvidia-smi-q.txt`.
    pub name: String,
    /// Its text, which begins with where it is from.
    pub text: String,
}

/// Interpreters that are asked at most.
const MOST: usize = 40;

/// What pip would list, also where there is no pip. The folder that it is started in is not searched.
const PACKAGES: &str = "\
import sys
sys.path = [p for p in sys.path if p not in ('', '.')]
from importlib.metadata import distributions
found = {'%s==%s' % (d.metadata['Name'], d.version) for d in distributions() if d.metadata['Name']}
print('\\n'.join(sorted(found, key=str.lower)))
";

/// What the facts themselves hold of these texts.
pub fn known(facts: &Facts) -> Vec<Raw> {
    let log: Vec<String> = facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect();
    if log.is_empty() {
        return Vec::new();
    }
    vec![Raw { name: "kernel-log.txt".to_string(), text: format!("# lines of the kernel log\n{}\n", log.join("\n")) }]
}

/// The packages that facts know, for a machine that cannot be asked.
pub fn known_packages(facts: &Facts) -> Vec<Raw> {
    let lines: Vec<String> = facts
        .all(&python::PACKAGE)
        .map(|(package, fact)| format!("{}=={}  # {}", package.name, package.version, fact.subject))
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let text = format!("# packages that have to do with GPUs, as the snapshot has them\n{}\n", lines.join("\n"));
    vec![Raw { name: "packages.txt".to_string(), text }]
}

/// Asks this machine. In an image nothing can be asked.
pub fn look(machine: &Machine, facts: &Facts) -> Vec<Raw> {
    if !machine.is_live() {
        return known_packages(facts);
    }
    let powers = run::driver_seen(machine);
    let due = now() + machine.limit;
    let start = |program: &Path, arguments: &[&str]| {
        let mut session =
            careful(Spec::text(program, machine.limit)).arguments(arguments.to_vec()).powers(powers).start();
        session.due(due);
        session
    };
    let mut running: Vec<(String, String, Session)> = Vec::new();
    // All at once: the limit is for all of them together.
    if let Some(program) = smi::find(machine).first().filter(|_| run::nvidia_possible(machine, facts)) {
        let title = format!("{} -q", program.display());
        running.push(("nvidia-smi-q.txt".to_string(), title, start(program, &["-q"])));
    }
    for (n, (interpreter, _)) in facts.all(&python::INTERPRETER).take(MOST).enumerate() {
        let title = format!("packages of {}", interpreter.prefix);
        let session = start(interpreter.path.as_ref(), &["-B", "-c", PACKAGES]);
        running.push((format!("packages-{}.txt", n + 1), title, session));
    }
    if let Some(program) = loader(machine) {
        running.push((
            "ldconfig-nvidia.txt".to_string(),
            format!("{} -p", program.display()),
            start(&program, &["-p"]),
        ));
    }
    running
        .into_iter()
        .map(|(name, title, session)| {
            let report = session.finish();
            let text = if name.starts_with("ldconfig") { of_nvidia(&report.stdout) } else { report.stdout.clone() };
            Raw { text: format!("# {title}\n{text}{}", end(&report)), name }
        })
        .collect()
}

/// ldconfig, which is not on every user's PATH.
fn loader(machine: &Machine) -> Option<PathBuf> {
    let known = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].map(PathBuf::from);
    machine.programs("ldconfig").into_iter().chain(known).find(|path| machine.exists_here(path))
}

/// The lines of `ldconfig -p` about libraries of NVIDIA and of CUDA.
pub fn of_nvidia(text: &str) -> String {
    let words = ["nvidia", "cuda", "libcu", "libnv", "libnpp", "libtorch", "libc10", "libnccl"];
    let of_nvidia = |line: &&str| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    };
    text.lines().filter(of_nvidia).map(|line| format!("{line}\n")).collect()
}

/// How a program ended that did not end well, and what it said then.
fn end(report: &Report) -> String {
    let how = match &report.end {
        End::Exited(0) => return String::new(),
        End::Exited(status) => format!("it exited with status {status}"),
        End::Signaled(signal) => format!("signal {signal} ended it"),
        End::TimedOut { .. } => "it did not end in time".to_string(),
        End::Flooded => "it printed without end".to_string(),
        End::NotStarted(why) => format!("it could not be started: {why}"),
    };
    format!("# {how}\n{}", report.stderr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_nvidia_are_kept() {
        let text = "1234 libs found in cache `/etc/ld.so.cache'\n\tlibz.so.1 (libc6,x86-64) => /lib/libz.so.1\n\
                    \tlibcuda.so.1 (libc6,x86-64) => /lib/libcuda.so.1\n\tlibcurl.so.4 (libc6) => /lib/libcurl.so.4\n";
        assert!(of_nvidia(text).contains("libcuda.so.1") && !of_nvidia(text).contains("libz.so"));
    }
}
