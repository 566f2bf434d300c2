//! The fix for somebody who pasted a text: what the text does not say gets words that fit any machine, and where the system is
//! not known the ways of all systems are shown, each with its name.

use crate::causes::page::{self, Head, RUNNING_KERNEL, Step, Sure};
use crate::causes::{Finding, Unknown};
use crate::facts::{Facts, host};
use crate::report::Remedy;
use std::collections::BTreeMap;

/// Marks a finding of which only words are known: its rule did not say which of the page's own conditions hold.
pub const SAID: &str = "said";

/// Values that a text rarely gives: name, in a sentence, in a command.
const WORDS: &[(&str, &str, &str)] = &[
    ("python", "python", "python"),
    ("prefix", "your environment", "ENVIRONMENT"),
    ("framework", "the framework", "torch"),
    ("computation", "a small computation", "import torch; print(torch.ones(1, device='cuda') + 1)"),
    ("words", "its own words", "import torch; torch.zeros(1, device='cuda')"),
    ("installed", "the installed torch", "torch"),
    ("kernel", "the running kernel", RUNNING_KERNEL),
    ("driver", "the installed version", "DRIVER_VERSION"),
    ("branch", "580", "580"),
    ("gpu", "the GPU", "GPU"),
    ("gpus", "the GPU", "GPU"),
    ("address", "its PCI address", "ADDRESS"),
    ("architecture", "this architecture", "ARCHITECTURE"),
    ("capability", "not in its list", "CAPABILITY"),
    ("built_for", "other GPUs", "OTHERS"),
    ("runtime", "a newer version", "CUDA_VERSION"),
    ("needed", "a newer driver", "DRIVER_VERSION"),
    ("have", "the installed driver", "DRIVER_VERSION"),
    ("variable", "CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    ("node", "/dev/nvidiactl", "/dev/nvidiactl"),
    ("nodes", "the device nodes", "/dev/nvidia*"),
    ("group", "the group of the node", "GROUP"),
    ("folder", "the folder of the library", "FOLDER"),
    ("library", "the library", "LIBRARY"),
    ("module", "of another version", "MODULE"),
    ("container", "the container", "CONTAINER"),
    ("image", "the image", "IMAGE"),
    ("pod", "the pod", "POD"),
    ("pid", "the process", "PID"),
    ("version", "the installed version", "VERSION"),
    ("action", "Restart the machine", "ACTION"),
    ("conda", "conda", "conda"),
    ("llama", "cu124", "cu124"),
    ("new_python", "the new environment's Python", "~/gpu-env/bin/python"),
    ("driver_cuda", "the driver's CUDA version", "CUDA_VERSION"),
    ("cuda_major", "12", "12"),
    ("library_path_fix", "unset LD_LIBRARY_PATH", "unset LD_LIBRARY_PATH"),
];

/// Words of conditions that a machine is or is not; where a text is silent about them, it mostly is not.
const OF_A_MACHINE: &[&str] = &[
    "container",
    "docker",
    "podman",
    "kubernetes",
    "lxc",
    "apptainer",
    "gvisor",
    "wsl",
    "jetson",
    "vm",
    "root",
    "linux",
    "windows",
    "macos",
    "x86_64",
    "aarch64",
    "slurm",
    "image",
    "pip",
    "uv",
    "conda",
    "poetry",
    "pixi",
    "system",
    "pipx",
    "pdm",
    "hatch",
    "project",
    "kernel",
    "colab",
    "kaggle",
    "no_gpu",
    "index",
    "pypi",
    "no_build",
];

/// Package managers, and distributions.
const OF_A_SYSTEM: &[&str] = &[
    "apt",
    "dnf",
    "pacman",
    "zypper",
    "apk",
    "nix",
    "ubuntu",
    "debian",
    "fedora",
    "rhel",
    "centos",
    "rocky",
    "almalinux",
    "arch",
    "manjaro",
    "opensuse",
    "suse",
    "opensuse-leap",
    "opensuse-tumbleweed",
    "sles",
    "alpine",
    "nixos",
    "amzn",
    "portage",
    "gentoo",
];

/// Fills what is not known.
pub struct Spoken {
    words: BTreeMap<&'static str, String>,
    /// The same for commands.
    typed: BTreeMap<&'static str, String>,
    tags: Vec<String>,
    system_known: bool,
    said: bool,
}

impl Spoken {
    /// For one finding, with the values and conditions that are known.
    pub fn new(
        facts: &Facts,
        finding: &Finding,
        values: &BTreeMap<&'static str, String>,
        mut tags: Vec<String>,
    ) -> Spoken {
        let (mut words, mut typed) = (values.clone(), values.clone());
        for (name, sentence, command) in WORDS {
            words.entry(name).or_insert_with(|| sentence.to_string());
            typed.entry(name).or_insert_with(|| command.to_string());
        }
        // A text whose system is not named mostly comes from Linux, and one that names no manager of packages from pip.
        if facts.value(&host::OS).is_none() {
            tags.push("linux".to_string());
        }
        if !["pip", "uv", "conda", "poetry", "pixi"].iter().any(|manager| tags.iter().any(|tag| tag == manager)) {
            tags.push("pip".to_string());
        }
        let system_known =
            facts.value(&host::PACKAGE_MANAGER).is_some() || facts.value(&host::OS).is_some_and(|os| os != "linux");
        let said = finding.tags.contains(&SAID);
        Spoken { words, typed, tags, system_known, said }
    }

    fn open(&self, word: &str) -> bool {
        match OF_A_SYSTEM.contains(&word) {
            true => !self.system_known,
            false => self.said && !OF_A_MACHINE.contains(&word),
        }
    }

    /// The message; the title where it would have a hole.
    pub fn message(&self, head: &Head) -> String {
        page::fill(head.message, &self.words).unwrap_or_else(|| head.title.to_string())
    }

    /// The fix.
    pub fn remedy(&self, head: &Head, page: &'static str) -> Remedy {
        let steps = self.steps(page);
        Remedy {
            summary: page::fill(head.summary, &self.words).unwrap_or_else(|| head.title.to_string()),
            verify: self.after(&steps).command(head.verify),
            steps,
        }
    }

    /// The steps that fit, and those that may. Where none does, the text did not name the place that the page is about, as the
    /// container's engine.
    fn steps(&self, page: &'static str) -> Vec<Step> {
        let steps = self.steps_where(page, |word| self.open(word));
        if steps.is_empty() { self.steps_where(page, |_| true) } else { steps }
    }

    /// The steps, given which words may hold; a part that may hold begins with its name.
    fn steps_where(&self, page: &'static str, open: impl Fn(&str) -> bool) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for fix in page::fixes(page) {
            let Some(sure) = page::may_hold(fix.condition, &self.tags, &open) else { continue };
            for (n, step) in fix.steps.into_iter().flat_map(|step| step.of_manager(&self.tags)).enumerate() {
                let now = self.after(&steps);
                let mut text = now.sentence(&step.text);
                if n == 0 && sure == Sure::Maybe && !fix.title.is_empty() {
                    text = format!("{}: {text}", fix.title);
                }
                let command = step.command.as_ref().map(|command| now.command(command));
                steps.push(Step { text, command, ..step });
            }
        }
        steps.extend(page::last(&steps, &self.tags));
        steps
    }

    /// What is true after these steps.
    fn after(&self, steps: &[Step]) -> Spoken {
        Spoken {
            words: page::after(steps, &self.words, &self.tags),
            typed: page::after(steps, &self.typed, &self.tags),
            tags: self.tags.clone(),
            ..*self
        }
    }

    fn sentence(&self, text: &str) -> String {
        let mut words = self.words.clone();
        let names = page::names(text);
        for name in &names {
            words.entry(name).or_insert_with(|| format!("the {}", name.replace('_', " ")));
        }
        page::fill(text, &words).unwrap_or_else(|| text.to_string())
    }

    /// A command; what is not known stands there in capitals.
    pub fn command(&self, text: &str) -> String {
        let mut typed: BTreeMap<&str, String> = self.typed.clone();
        let names = page::names(text);
        for name in &names {
            typed.entry(name).or_insert_with(|| name.to_uppercase());
        }
        page::command(text, &typed).unwrap_or_else(|| text.to_string())
    }
}

/// The most questions that are put to a reporter.
const QUESTIONS: usize = 4;

/// The shortest list of questions: each command once, the one that separates the most candidates first.
pub fn questions(unknowns: Vec<Unknown>, candidates: &[&'static str]) -> Vec<Unknown> {
    let mut list: Vec<Unknown> = Vec::new();
    for unknown in unknowns.into_iter().filter(|unknown| !unknown.ask.trim().is_empty()) {
        match list.iter_mut().find(|other| other.ask.trim() == unknown.ask.trim()) {
            None => list.push(unknown),
            Some(same) => {
                let new = |slug: &&&str| !same.separates.contains(slug);
                let more: Vec<&'static str> = unknown.separates.iter().filter(new).copied().collect();
                same.separates.extend(more);
            }
        }
    }
    let separated = |unknown: &Unknown| unknown.separates.iter().filter(|slug| candidates.contains(slug)).count();
    list.sort_by_key(|unknown| std::cmp::Reverse(separated(unknown)));
    list.truncate(QUESTIONS);
    list
}
