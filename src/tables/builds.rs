//! Which build of a framework to install: the choice among those that the tables name.
//!
//! A build fits where there is a wheel of it for the Python, where the driver runs its CUDA, and where it has code for the
//! GPUs. The first of the table that serves every GPU is taken. Where none does, it is one for the newest GPU (and of those
//! the one that serves most of the others), and the GPUs that it leaves out are named.

use super::archs::{Served, serves};
use super::drivers::{Cuda, DriverVersion, Platform, floor, native_cuda, runs_on};
use super::{gpu_packages, wheels};

/// A compute capability: (8, 9) for 8.9.
pub type Capability = (u32, u32);

/// Systems for which wheels differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and WSL on x86-64.
    LinuxX86,
    /// Linux on ARM servers (not Jetson, which needs JetPack's own wheels).
    LinuxArm,
    /// Windows on x86-64.
    WindowsX86,
}

impl System {
    /// By the words of `host.os` and `host.arch`; nothing where no CUDA wheel exists (macOS, Windows on ARM).
    pub fn of(os: &str, arch: &str) -> Option<System> {
        match (os, arch) {
            ("linux", "x86_64") => Some(System::LinuxX86),
            ("linux", "aarch64") => Some(System::LinuxArm),
            ("windows", "x86_64") => Some(System::WindowsX86),
            _ => None,
        }
    }
}

/// What a Python is, where wheels depend on it. The usual one is CPython of 64 bits for glibc or Windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// The one that most wheels are for.
    #[default]
    Usual,
    /// CPython without its global lock (`cp314t`), which wants wheels of its own.
    FreeThreaded,
    /// For the C library musl, as on Alpine: wheels named `manylinux` are for glibc.
    Musl,
    /// Another implementation, as PyPy and GraalPy.
    Other,
    /// A program of 32 bits.
    Bits32,
}

/// The Python that a wheel has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Python {
    /// 3.12 as (3, 12); nothing where it is not known.
    pub version: Option<(u32, u32)>,
    /// Its kind.
    pub flavour: Flavour,
}

/// The minor versions of Python 3 for which a build has wheels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pythons {
    /// First and last.
    pub usual: (u32, u32),
    /// Those of the free-threaded Python.
    pub free_threaded: &'static [u32],
}

impl Pythons {
    /// Whether there is a wheel for this Python. One of which the version is not known counts as a current one.
    pub fn has(&self, python: &Python) -> bool {
        let minor = match python.version {
            Some((3, minor)) => Some(minor),
            Some(_) => return false,
            None => None,
        };
        match python.flavour {
            Flavour::Usual => minor.is_none_or(|minor| (self.usual.0..=self.usual.1).contains(&minor)),
            Flavour::FreeThreaded => match minor {
                Some(minor) => self.free_threaded.contains(&minor),
                None => !self.free_threaded.is_empty(),
            },
            Flavour::Musl | Flavour::Other | Flavour::Bits32 => false,
        }
    }

    /// `Python 3.10 to 3.14`.
    pub fn range(&self) -> String {
        match self.usual {
            (first, last) if first == last => format!("Python 3.{first}"),
            (first, last) => format!("Python 3.{first} to 3.{last}"),
        }
    }
}

/// A build that can be installed.
#[derive(Clone, Debug)]
pub struct Build {
    /// The requirements, words apart by blanks: `torch<2.15`.
    pub spec: &'static str,
    /// Tag of the PyTorch index; nothing for PyPI.
    pub index: Option<&'static str>,
    /// The CUDA that it is built for.
    pub cuda: Cuda,
    /// Its architectures, `sm_86`, `compute_120`.
    pub code: Vec<String>,
    /// Whether PTX alone counts. Where a framework is known to fail with it, or nobody tried, it does not.
    pub ptx: bool,
    /// Its Pythons.
    pub pythons: Pythons,
    /// Why this one, in one sentence.
    pub why: &'static str,
}

impl Build {
    /// Whether the code for a GPU is in it; with only PTX, whether this driver can translate it.
    fn has_code(&self, cc: Capability, driver: Option<DriverVersion>, platform: Platform) -> bool {
        match serves(&self.code, cc, false, Some(self.cuda)) {
            Served::Cubin => true,
            // PTX of a newer CUDA than the driver's own is refused (222).
            Served::Ptx if self.ptx => {
                driver.is_none_or(|driver| native_cuda(driver, platform).is_some_and(|native| native >= self.cuda))
            }
            _ => false,
        }
    }

    /// Whether the driver runs its CUDA. Without a driver the choice is for one that is still to be installed.
    fn runs(&self, wanted: &Wanted) -> bool {
        wanted.driver.is_none_or(|driver| runs_on(driver, self.cuda, wanted.platform) == Some(true))
    }

    /// Which of the GPUs it serves with this driver.
    fn served(&self, wanted: &Wanted) -> Vec<Capability> {
        let serves = |cc: &&Capability| {
            drives(wanted, **cc) && self.has_code(**cc, wanted.driver, wanted.platform) && self.runs(wanted)
        };
        wanted.gpus.iter().filter(serves).copied().collect()
    }

    fn advice(&self, wanted: &Wanted) -> Advice {
        let alone = wanted.driver.is_none() && self.why == wheels::CURRENT;
        Advice { spec: self.spec, index: self.index, why: if alone { wheels::CURRENT_ALONE } else { self.why } }
    }
}

/// Whether the driver knows a GPU at all: Blackwell never works below these, whatever the build (NVIDIA's cuDNN matrix).
fn drives(wanted: &Wanted, cc: Capability) -> bool {
    let first = match wanted.platform {
        Platform::Linux => DriverVersion::new(570, 26, 0),
        Platform::Windows => DriverVersion::new(570, 65, 0),
    };
    cc < (10, 0) || wanted.driver.is_none_or(|driver| driver >= first)
}

/// What a build is wanted for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// System of the wheel.
    pub system: System,
    /// Whose driver numbers: Windows also under WSL.
    pub platform: Platform,
    /// Driver in use; nothing where none is installed yet, which is taken as "a current one will be".
    pub driver: Option<DriverVersion>,
    /// Compute capabilities of the GPUs, each once.
    pub gpus: Vec<Capability>,
    /// The Python.
    pub python: Python,
}

/// What to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The requirement: `torch`, `torch<2.15`, `torch==2.13.0`.
    pub spec: &'static str,
    /// Tag of the PyTorch index; nothing for PyPI.
    pub index: Option<&'static str>,
    /// Why this one, in one sentence.
    pub why: &'static str,
}

impl Advice {
    /// Address of the package index; nothing for PyPI.
    pub fn index_url(&self) -> Option<String> {
        self.index.map(|tag| format!("https://download.pytorch.org/whl/{tag}"))
    }

    /// The requirements as words of a command. Double quotes mean the same to every shell.
    pub fn specs(&self) -> String {
        let quoted = |word: &str| match word.contains(['<', '>', '[', '=']) {
            true => format!("\"{word}\""),
            false => word.to_string(),
        };
        // A version alone needs no quotes.
        let plain = |word: &str| word.contains("==") && !word.contains(['<', '>', '[']);
        let words = self.spec.split_whitespace();
        words.map(|w| if plain(w) { w.to_string() } else { quoted(w) }).collect::<Vec<_>>().join(" ")
    }

    /// What follows `pip install` or `uv pip install`.
    pub fn arguments(&self) -> String {
        match self.index_url() {
            Some(url) => format!("{} --index-url {url}", self.specs()),
            None => self.specs(),
        }
    }
}

/// The build to advise, and the GPUs that it has nothing for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What to install.
    pub advice: Advice,
    /// Every GPU that is left out, with the build that it would need; nothing where no build serves it.
    pub left_out: Vec<(Capability, Option<Advice>)>,
}

/// Whether the tables know a framework.
pub fn knows(framework: &str) -> bool {
    framework == "torch" || gpu_packages::knows(framework)
}

/// The builds of a framework, best first.
fn builds(framework: &str, system: System) -> Vec<Build> {
    match gpu_packages::knows(framework) {
        true => gpu_packages::builds(framework, system),
        false => wheels::builds(system),
    }
}

/// The build to advise; nothing where none fits any of the GPUs. A Jetson needs JetPack's builds: do not ask for one.
pub fn advise(framework: &str, wanted: &Wanted) -> Option<Plan> {
    choose(&builds(framework, wanted.system), wanted)
}

fn choose(builds: &[Build], wanted: &Wanted) -> Option<Plan> {
    let fitting: Vec<(&Build, Vec<Capability>)> = builds
        .iter()
        .filter(|build| build.pythons.has(&wanted.python))
        .map(|build| (build, build.served(wanted)))
        .filter(|(_, served)| !served.is_empty())
        .collect();
    let best = fitting.iter().flat_map(|(_, served)| served.iter().copied()).max()?;
    let for_best = fitting.iter().filter(|(_, served)| served.contains(&best));
    // Of equal ones the earlier is better; `max_by_key` would take the later.
    let (build, served) = for_best.rev().max_by_key(|(_, served)| served.len())?;
    let left_out = wanted.gpus.iter().filter(|cc| !served.contains(cc)).map(|cc| {
        let alone = Wanted { gpus: vec![*cc], ..wanted.clone() };
        (*cc, choose(builds, &alone).map(|plan| plan.advice))
    });
    Some(Plan { advice: build.advice(wanted), left_out: left_out.collect() })
}

/// Why no build can be advised, with the last one that served the best GPU: a sentence.
pub fn why_none(framework: &str, wanted: &Wanted) -> String {
    let builds = builds(framework, wanted.system);
    if builds.is_empty() {
        return gpu_packages::none_for(framework, wanted.system);
    }
    let of = Named(framework);
    match wanted.python.flavour {
        Flavour::Musl => {
            return format!(
                "{of} has no wheel with CUDA for a Python on musl, as Alpine's; its wheels are for glibc, as in Debian, Ubuntu and Fedora"
            );
        }
        Flavour::Other => return format!("{of} has wheels with CUDA for CPython only, not for PyPy or GraalPy"),
        Flavour::Bits32 => return format!("{of} has no wheel for a Python of 32 bits"),
        Flavour::FreeThreaded if builds.iter().all(|build| build.pythons.free_threaded.is_empty()) => {
            return format!(
                "{of} has no wheel with CUDA for a free-threaded Python; take the usual one of the same version"
            );
        }
        _ => {}
    }
    let with_code = |cc: Capability| builds.iter().filter(move |build| build.has_code(cc, None, wanted.platform));
    let Some(best) = wanted.gpus.iter().copied().filter(|cc| with_code(*cc).next().is_some()).max() else {
        let all: Vec<String> = wanted.gpus.iter().map(|cc| format!("{}.{}", cc.0, cc.1)).collect();
        let extra =
            gpu_packages::elsewhere(framework, &wanted.gpus).map(|text| format!("; {text}")).unwrap_or_default();
        return format!("no known build of {of} has code for compute capability {}{extra}", all.join(" or "));
    };
    let alone = Wanted { gpus: vec![best], ..wanted.clone() };
    // One that the driver runs comes first: then only the Python stands in the way.
    let runs = with_code(best).find(|build| !build.served(&alone).is_empty());
    let oldest = || with_code(best).min_by_key(|build| floor(build.cuda, wanted.platform).map(|floor| floor.driver));
    let Some(last) = runs.or_else(oldest) else { return format!("no build of {of} is known") };
    let place = last.index.map(|tag| format!(" of the index {tag}")).unwrap_or_default();
    let mut text = format!(
        "the last build of {of} with code for compute capability {}.{} {} is `{}`{place}",
        best.0,
        best.1,
        if runs.is_some() { "that this driver runs" } else { "and the oldest CUDA" },
        last.advice(wanted).specs(),
    );
    if runs.is_none() {
        let (cuda, point) = last.cuda;
        let needs = match floor(last.cuda, wanted.platform) {
            Some(_) if !drives(wanted, best) => "570 or newer, as every Blackwell card does".to_string(),
            Some(floor) => format!("{} or newer", floor.driver),
            None => "a newer one".to_string(),
        };
        text.push_str(&format!("; its CUDA {cuda}.{point} needs driver {needs}"));
        if let Some(have) = wanted.driver {
            text.push_str(&format!(", and the driver is {have}"));
        }
    }
    if !last.pythons.has(&wanted.python) {
        let this = match (wanted.python.version, wanted.python.flavour) {
            (Some((major, minor)), Flavour::FreeThreaded) => format!(", and this is {major}.{minor}, free-threaded"),
            (Some((major, minor)), _) => format!(", and this is {major}.{minor}"),
            (None, _) => String::new(),
        };
        text.push_str(&format!("; it has wheels for {}{this}", last.pythons.range()));
    }
    text
}

/// The newest minor version of Python 3 for which a framework has a build on a system; nothing where it has no build there.
pub fn newest_python(framework: &str, system: System) -> Option<u32> {
    builds(framework, system).iter().map(|build| build.pythons.usual.1).max()
}

/// Whether a framework has a build for this Python on a system, whatever the GPU and the driver.
pub fn has_wheel(framework: &str, system: System, python: &Python) -> bool {
    builds(framework, system).iter().any(|build| build.pythons.has(python))
}

/// A framework's name as people write it.
struct Named<'a>(&'a str);

impl std::fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            "jax" => "JAX",
            "tensorflow" => "TensorFlow",
            "onnxruntime" => "ONNX Runtime",
            "cupy" => "CuPy",
            "numba" => "Numba",
            other => other,
        })
    }
}

/// `sm_90 compute_90` of `90+`: a plus sign behind a number is PTX of it.
pub(super) fn code(numbers: &str) -> Vec<String> {
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
#[path = "builds_tests.rs"]
mod tests;
