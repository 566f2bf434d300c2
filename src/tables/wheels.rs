//! Which torch builds exist, for which GPUs they have code, and which one to advise.
//!
//! Sources, as of 2026-11: the PyPI wheels themselves (flags of libtorch_python, version.py, metadata), the build scripts
//! and release matrices of pytorch/pytorch, pytorch/builder and pytorch/test-infra, and printouts in public issues where
//! named. A row that those leave open is not in the table: then the answer is "not known", and the live list
//! (`torch.cuda.get_arch_list()`) goes before the table anyway.

use super::archs::{Served, serves};
use super::drivers::{Cuda, DriverVersion, Platform, floor, parse_cuda, runs_on};

/// A torch release, `2.13.0`.
pub type Release = (u32, u32, u32);

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

/// Reads `2.13.0`, `2.13.0+cu130`, `2.7.1.post1`.
pub fn parse_release(text: &str) -> Option<Release> {
    let mut parts = text.trim().split('+').next()?.split('.').map(|part| part.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)))
}

/// The tag behind the plus sign: `cu130`, `cpu`, `rocm6.4`; nothing for a version without one (PyPI on Linux).
pub fn tag(version: &str) -> Option<&str> {
    version.split_once('+').map(|(_, tag)| tag).filter(|tag| !tag.is_empty())
}

/// The newest Python for which a CUDA wheel of torch exists, as of 2026-11: 2.15's, and on the PyTorch index 2.13's.
pub const NEWEST_PYTHON: (u32, u32) = (3, 15);

/// Whether a Python (`3.16.0`) is newer than every CUDA wheel of torch; no for a version that cannot be read.
pub fn newer_than_wheels(python: &str) -> bool {
    let mut numbers = python.split('.').map_while(|part| part.parse::<u32>().ok());
    matches!((numbers.next(), numbers.next()), (Some(major), Some(minor)) if (major, minor) > NEWEST_PYTHON)
}

/// Oldest release and newest release (by minor version), CUDA tag.
type Span = ((u32, u32), (u32, u32), &'static str);

/// PyPI's Linux x86-64 wheels, measured on them; those before 1.8 from PyTorch's page of previous versions.
static PYPI_LINUX_X86: &[Span] = &[
    ((1, 2), (1, 2), "cu100"),
    ((1, 3), (1, 4), "cu101"),
    ((1, 5), (1, 12), "cu102"),
    ((1, 13), (2, 0), "cu117"),
    ((2, 1), (2, 4), "cu121"),
    ((2, 5), (2, 6), "cu124"),
    ((2, 7), (2, 7), "cu126"),
    ((2, 8), (2, 10), "cu128"),
    ((2, 11), (2, 14), "cu130"),
    ((2, 15), (2, 15), "cu132"),
];

/// What PyPI's wheel of a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pypi {
    /// A build without CUDA.
    Cpu,
    /// A CUDA build, by tag.
    Cuda(&'static str),
}

/// What a plain `pip install torch==RELEASE` gives; nothing for a release that the table does not know.
pub fn pypi(release: Release, system: System) -> Option<Pypi> {
    let minor = (release.0, release.1);
    let by_span = || {
        let row = PYPI_LINUX_X86.iter().find(|row| (row.0..=row.1).contains(&minor))?;
        Some(Pypi::Cuda(row.2))
    };
    match system {
        System::LinuxX86 => by_span(),
        System::LinuxArm if minor <= (2, 10) => Some(Pypi::Cpu),
        System::LinuxArm => by_span(),
        System::WindowsX86 if minor <= (2, 15) => Some(Pypi::Cpu),
        System::WindowsX86 => None,
    }
}

/// The last release on the PyTorch index for a CUDA tag that ended; nothing for tags that go on.
/// cu126 ended with 2.14, whose last patch is not known: take `<2.15`.
pub fn last_release(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "cu117" => "2.0.1",
        "cu121" => "2.5.1",
        "cu124" => "2.6.0",
        "cu118" => "2.7.1",
        "cu128" => "2.11.0",
        "cu129" => "2.13.0",
        "cu126" => "2.14",
        _ => return None,
    })
}

/// CUDA tags on the PyTorch index, Linux x86-64 (test-infra's matrix; 2.12.1 and 2.13 from wheel ledgers).
static INDEX_TAGS: &[((u32, u32), &[&str])] = &[
    ((1, 11), &["cu102", "cu113"]),
    ((1, 12), &["cu102", "cu113", "cu116"]),
    ((1, 13), &["cu116", "cu117"]),
    ((2, 0), &["cu117", "cu118"]),
    ((2, 1), &["cu118", "cu121"]),
    ((2, 2), &["cu118", "cu121"]),
    ((2, 3), &["cu118", "cu121"]),
    ((2, 4), &["cu118", "cu121", "cu124"]),
    ((2, 5), &["cu118", "cu121", "cu124"]),
    ((2, 6), &["cu118", "cu124", "cu126"]),
    ((2, 7), &["cu118", "cu126", "cu128"]),
    ((2, 8), &["cu126", "cu128", "cu129"]),
    ((2, 9), &["cu126", "cu128", "cu129", "cu130"]),
    ((2, 10), &["cu126", "cu128", "cu129", "cu130"]),
    ((2, 11), &["cu126", "cu128", "cu129", "cu130"]),
    ((2, 12), &["cu126", "cu129", "cu130", "cu132"]),
    ((2, 13), &["cu126", "cu129", "cu130", "cu132"]),
    ((2, 14), &["cu126", "cu130", "cu132"]),
    ((2, 15), &["cu130", "cu132"]),
];

/// The CUDA tags of a release on the PyTorch index; empty for a release that the table does not know.
pub fn index_tags(release: Release, system: System) -> Vec<&'static str> {
    let minor = (release.0, release.1);
    let all = INDEX_TAGS.iter().find(|row| row.0 == minor).map_or(&[] as &[&str], |row| row.1);
    let there = |tag: &&&str| match system {
        System::LinuxX86 => !(**tag == "cu129" && release == (2, 12, 0)),
        // Windows has cu129 only for 2.8.0 and 2.9.0.
        System::WindowsX86 => **tag != "cu129" || matches!(release, (2, 8, 0) | (2, 9, 0)),
        System::LinuxArm => match minor {
            (2, 6) => **tag == "cu126",
            (2, 7) => **tag == "cu128",
            (2, 8) => **tag != "cu126",
            (2, 9..=11) => true,
            (2, 12..) => **tag != "cu129",
            _ => false,
        },
    };
    all.iter().filter(there).copied().collect()
}

/// First and last release (minor version), tags, architectures; "+" is PTX of the last one.
type Row = ((u32, u32), (u32, u32), &'static [&'static str], &'static str);

/// Linux x86-64: cuobjdump lists (to 1.10), pytorch/builder's build scripts (1.12 to 2.5), pytorch's `.ci` scripts after
/// that, the PyPI wheels; 2.7 cu128 from CorridorKey issue 141, 2.11 from pytorch issue 182250, 2.9 and 2.10 cu130 from
/// pytorch PR 164471.
#[rustfmt::skip]
static LINUX_X86: &[Row] = &[
    ((1, 7), (1, 7), &["cu110"], "37 50 60 70 75 80"),
    ((1, 8), (1, 12), &["cu102"], "37 50 60 70"),
    ((1, 8), (1, 10), &["cu101"], "37 50 60 70"),
    ((1, 8), (1, 10), &["cu111", "cu113"], "37 50 60 70 75 80 86"),
    ((1, 12), (2, 0), &["cu113", "cu116", "cu117"], "37 50 60 70 75 80 86"),
    ((2, 0), (2, 7), &["cu118"], "37 50 60 70 75 80 86 90"),
    ((2, 1), (2, 5), &["cu121"], "50 60 70 75 80 86 90"),
    ((2, 4), (2, 6), &["cu124"], "50 60 70 75 80 86 90"),
    ((2, 7), (2, 14), &["cu126"], "50 60 70 75 80 86 90"),
    ((2, 7), (2, 7), &["cu128"], "75 80 86 90 100 120+"),
    ((2, 8), (2, 10), &["cu128"], "70 75 80 86 90 100 120"),
    ((2, 11), (2, 11), &["cu128"], "75 80 86 90 100 120"),
    ((2, 8), (2, 9), &["cu129"], "70 75 80 86 90 100 120+"),
    ((2, 12), (2, 13), &["cu129"], "75 80 86 90 100 120"),
    ((2, 9), (2, 10), &["cu130"], "75 80 86 90 100 120+"),
    ((2, 11), (2, 15), &["cu130", "cu132"], "75 80 86 90 100 120"),
];

/// Linux on ARM: the PyPI wheels 2.11.0 and 2.15.0, pytorch's scripts, and openral issue 167 for 2.9.1.
#[rustfmt::skip]
static LINUX_ARM: &[Row] = &[
    ((2, 6), (2, 6), &["cu126"], "90"),
    ((2, 7), (2, 7), &["cu128"], "90 100 120"),
    ((2, 9), (2, 9), &["cu128"], "80 90 100 120"),
    ((2, 12), (2, 14), &["cu126"], "80 90"),
    ((2, 11), (2, 15), &["cu130", "cu132"], "80 90 100 110 120"),
];

/// Windows x86-64: pytorch/builder's `windows/*.bat` and pytorch's `.ci` scripts; 2.7 cu128 as measured in CorridorKey
/// issue 141. PTX of 3.7 in the old ones is left out: no driver of today has such a card as its newest.
#[rustfmt::skip]
static WINDOWS_X86: &[Row] = &[
    ((1, 11), (2, 0), &["cu113", "cu116", "cu117"], "37 50 60 61 70 75 80 86"),
    ((2, 0), (2, 7), &["cu118"], "37 50 60 61 70 75 80 86 90"),
    ((2, 1), (2, 5), &["cu121"], "50 60 61 70 75 80 86 90"),
    ((2, 4), (2, 6), &["cu124"], "50 60 61 70 75 80 86 90"),
    ((2, 6), (2, 14), &["cu126"], "50 60 61 70 75 80 86 90"),
    ((2, 7), (2, 7), &["cu128"], "50 60 61 70 75 80 86 90 100 120"),
    ((2, 8), (2, 10), &["cu128"], "70 75 80 86 90 100 120"),
    ((2, 11), (2, 11), &["cu128"], "75 80 86 90 100 120"),
    ((2, 11), (2, 15), &["cu130", "cu132"], "75 80 86 90 100 120"),
];

/// The architecture list of a build, in torch's words (`sm_86`, `compute_120`); nothing where the table has no sure row.
pub fn architectures(release: Release, tag: &str, system: System) -> Option<Vec<String>> {
    let table = rows(system);
    let minor = (release.0, release.1);
    let row = table.iter().find(|row| (row.0..=row.1).contains(&minor) && row.2.contains(&tag))?;
    Some(list(row.3))
}

/// The newest release that `pip install torch` finds for a Python, Linux x86-64 (PyPI metadata); nothing outside 3.7 to
/// 3.15.
pub fn newest_for_python(python: (u32, u32)) -> Option<&'static str> {
    Some(match python {
        (3, 7) => "1.13.1",
        (3, 8) => "2.4.1",
        (3, 9) => "2.8.0",
        (3, 10) => "2.14.1",
        (3, 11..=15) => "2.15.0",
        _ => return None,
    })
}

/// First and last Python of a release's wheels, by minor version of torch (PyPI metadata; Linux x86-64).
pub fn pythons(release: Release) -> Option<((u32, u32), (u32, u32))> {
    let (first, last) = match (release.0, release.1) {
        (1, 13) => (7, 11),
        (2, 0 | 1) => (8, 11),
        (2, 2..=4) => (8, 12),
        (2, 5..=8) => (9, 13),
        (2, 9..=14) => (10, 14),
        (2, 15) => (11, 15),
        _ => return None,
    };
    Some(((3, first), (3, last)))
}

/// What a build is wanted for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// System of the wheel.
    pub system: System,
    /// Whose driver numbers: Windows also under WSL.
    pub platform: Platform,
    /// Driver in use; nothing where none is installed yet, which is taken as "a current one will be".
    pub driver: Option<DriverVersion>,
    /// Compute capability of the GPU.
    pub cc: (u32, u32),
    /// Python's version; nothing where it is not known.
    pub python: Option<(u32, u32)>,
}

/// A build to install.
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

/// Why no build can be advised, and the last one that served this GPU: a sentence.
pub fn why_none(wanted: &Wanted) -> String {
    let (major, minor) = wanted.cc;
    let table = rows(wanted.system);
    let serving = |row: &&Row| {
        row.2.iter().any(|tag| {
            let list = list(row.3);
            parse_cuda(tag).is_some_and(|cuda| serves(&list, wanted.cc, false, Some(cuda)) == Served::Cubin)
        })
    };
    let Some(last) = table.iter().filter(serving).max_by_key(|row| row.1) else {
        return format!("no known build of torch has code for compute capability {major}.{minor}");
    };
    let cuda = last.2.iter().filter_map(|tag| parse_cuda(tag)).min();
    let needs = cuda.and_then(|cuda| Some((cuda, floor(cuda, wanted.platform)?.driver)));
    let (release, tag) = (last.1, last.2[0]);
    let mut text = format!(
        "the last torch with code for compute capability {major}.{minor} is {}.{} of the index {tag}",
        release.0, release.1
    );
    if let Some(((cuda, point), driver)) = needs {
        text.push_str(&format!("; its CUDA {cuda}.{point} needs driver {driver} or newer"));
        if let Some(have) = wanted.driver.filter(|have| *have < driver) {
            text.push_str(&format!(", and the driver is {have}"));
        }
    }
    if let (Some((_, minor)), Some((first, newest))) = (wanted.python, pythons((release.0, release.1, 0)))
        && !(first.1..=newest.1).contains(&minor)
    {
        text.push_str(&format!("; it has wheels for Python 3.{} to 3.{}, and this is 3.{minor}", first.1, newest.1));
    }
    text
}

fn rows(system: System) -> &'static [Row] {
    match system {
        System::LinuxX86 => LINUX_X86,
        System::LinuxArm => LINUX_ARM,
        System::WindowsX86 => WINDOWS_X86,
    }
}

fn list(numbers: &str) -> Vec<String> {
    let mut list = Vec::new();
    for number in numbers.split_whitespace() {
        list.push(format!("sm_{}", number.trim_end_matches('+')));
        if let Some(ptx) = number.strip_suffix('+') {
            list.push(format!("compute_{ptx}"));
        }
    }
    list
}

/// One line of the advice table: requirement, tag (or PyPI), the CUDA that it needs, and a release that stands for it.
struct Choice {
    spec: &'static str,
    index: Option<&'static str>,
    tag: &'static str,
    release: Release,
    why: &'static str,
}

const fn choice(
    spec: &'static str,
    index: Option<&'static str>,
    tag: &'static str,
    release: Release,
    why: &'static str,
) -> Choice {
    Choice { spec, index, tag, release, why }
}

const CURRENT: &str = "the current build has code for this GPU, and the driver is new enough for it";
/// The same where no driver is known.
const CURRENT_ALONE: &str = "the current build has code for this GPU, and needs a current driver";
const CU126: &str = "CUDA 12.6 builds are the newest that have code for GPUs from Maxwell to Hopper and run on drivers from 525 on; \
                     2.14 is their last release";
const CU129: &str = "it is the last build for Blackwell that runs on a driver of branch 570 or 575";
const CU118: &str = "CUDA 11.8 builds are the newest that run on a driver older than 525; 2.7.1 is their last release";
const OLD_PYTHON: &str = "it is the newest build for this Python that has code for this GPU and runs on this driver";

/// Best first. What is offered is what the tables above say exists; the first whose code, driver and Python fit is taken.
static CHOICES_LINUX_X86: &[Choice] = &[
    choice("torch", None, "cu132", (2, 15, 0), CURRENT),
    choice("torch", None, "cu130", (2, 14, 1), CURRENT),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch==2.13.0", Some("cu129"), "cu129", (2, 13, 0), CU129),
    choice("torch==2.8.0", Some("cu126"), "cu126", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.8.0", Some("cu128"), "cu128", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.4.1", Some("cu121"), "cu121", (2, 4, 1), OLD_PYTHON),
    choice("torch==2.7.1", Some("cu118"), "cu118", (2, 7, 1), CU118),
    choice("torch==2.4.1", Some("cu118"), "cu118", (2, 4, 1), OLD_PYTHON),
];

static CHOICES_LINUX_ARM: &[Choice] = &[
    choice("torch", None, "cu132", (2, 15, 0), CURRENT),
    choice("torch", None, "cu130", (2, 14, 1), CURRENT),
    choice("torch>=2.12,<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch==2.9.1", Some("cu128"), "cu128", (2, 9, 1), CU129),
];

/// PyPI's Windows wheels have no CUDA, so every choice names the PyTorch index.
static CHOICES_WINDOWS: &[Choice] = &[
    choice("torch", Some("cu130"), "cu130", (2, 15, 0), CURRENT),
    choice("torch", Some("cu130"), "cu130", (2, 14, 0), CURRENT),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch==2.11.0", Some("cu128"), "cu128", (2, 11, 0), CU129),
    choice("torch==2.8.0", Some("cu126"), "cu126", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.8.0", Some("cu128"), "cu128", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.4.1", Some("cu121"), "cu121", (2, 4, 1), OLD_PYTHON),
    choice("torch==2.7.1", Some("cu118"), "cu118", (2, 7, 1), CU118),
    choice("torch==2.4.1", Some("cu118"), "cu118", (2, 4, 1), OLD_PYTHON),
];

/// The build to advise. Nothing where none exists: a GPU older than 3.7 or newer than every build, a driver too old for
/// both the GPU and CUDA 11, a Python that no wheel knows. A Jetson needs JetPack's builds: do not ask for one.
pub fn advise(wanted: &Wanted) -> Option<Advice> {
    let choices = match wanted.system {
        System::LinuxX86 => CHOICES_LINUX_X86,
        System::LinuxArm => CHOICES_LINUX_ARM,
        System::WindowsX86 => CHOICES_WINDOWS,
    };
    let fits = |choice: &&Choice| {
        let cuda = parse_cuda(choice.tag)?;
        let code = architectures(choice.release, choice.tag, wanted.system)?;
        let python_fits = match (wanted.python, pythons(choice.release)) {
            (Some(python), Some((first, last))) => (first..=last).contains(&python),
            _ => true,
        };
        let fits =
            python_fits && serves(&code, wanted.cc, false, Some(cuda)) == Served::Cubin && driver_fits(wanted, cuda);
        fits.then_some(())
    };
    choices.iter().find(|choice| fits(choice).is_some()).map(|choice| Advice {
        spec: choice.spec,
        index: choice.index,
        why: if wanted.driver.is_none() && choice.why == CURRENT { CURRENT_ALONE } else { choice.why },
    })
}

fn driver_fits(wanted: &Wanted, cuda: Cuda) -> bool {
    // Blackwell never works below 570, whatever the wheel.
    let blackwell_floor = match wanted.platform {
        Platform::Linux => DriverVersion::new(570, 26, 0),
        Platform::Windows => DriverVersion::new(570, 65, 0),
    };
    match wanted.driver {
        None => true,
        Some(driver) if wanted.cc >= (10, 0) && driver < blackwell_floor => false,
        Some(driver) => runs_on(driver, cuda, wanted.platform) == Some(true),
    }
}

#[cfg(test)]
#[path = "wheels_tests.rs"]
mod tests;
