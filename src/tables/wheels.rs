//! Which torch builds exist, for which GPUs they have code, and which ones to choose from.
//!
//! Sources, as of 2026-11: the PyPI wheels themselves (flags of libtorch_python, version.py, metadata), the build scripts
//! and release matrices of pytorch/pytorch, pytorch/builder and pytorch/test-infra, and printouts in public issues where
//! named. A row that those leave open is not in the table: then the answer is "not known", and the live list
//! (`torch.cuda.get_arch_list()`) goes before the table anyway.

pub use super::builds::System;
use super::builds::{Build, Pythons, code};
use super::drivers::parse_cuda;

/// A torch release, `2.13.0`.
pub type Release = (u32, u32, u32);

/// Reads `2.13.0`, `2.13.0+cu130`, `2.7.1.post1`.
pub fn parse_release(text: &str) -> Option<Release> {
    let mut parts = text.trim().split('+').next()?.split('.').map(|part| part.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)))
}

/// The tag behind the plus sign: `cu130`, `cpu`, `rocm6.4`; nothing for a version without one (PyPI on Linux).
pub fn tag(version: &str) -> Option<&str> {
    version.split_once('+').map(|(_, tag)| tag).filter(|tag| !tag.is_empty())
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
    Some(code(row.3))
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

/// The Pythons of a release's wheels (names of the files on PyPI, 2026-12; those of the PyTorch index are built by the same
/// matrix). Windows and ARM came later to 3.11 and 3.13 than Linux on x86-64.
pub fn pythons(release: Release, system: System) -> Option<Pythons> {
    let first_on_linux = system == System::LinuxX86;
    let usual = match (release.0, release.1) {
        (1, 12) => (7, 10),
        (1, 13) => (7, if first_on_linux { 11 } else { 10 }),
        (2, 0 | 1) => (8, 11),
        (2, 2..=4) => (8, 12),
        (2, 5) => (9, if first_on_linux { 13 } else { 12 }),
        (2, 6..=8) => (9, 13),
        (2, 9..=14) => (10, 14),
        (2, 15) => (11, 15),
        _ => return None,
    };
    let free_threaded: &[u32] = match release {
        (2, 7 | 8, _) => &[13],
        (2, 9..=11, _) | (2, 12, 0) => &[13, 14],
        (2, 12..=14, _) => &[14],
        (2, 15, _) => &[14, 15],
        _ => &[],
    };
    Some(Pythons { usual, free_threaded })
}

fn rows(system: System) -> &'static [Row] {
    match system {
        System::LinuxX86 => LINUX_X86,
        System::LinuxArm => LINUX_ARM,
        System::WindowsX86 => WINDOWS_X86,
    }
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

pub(super) const CURRENT: &str = "the current build has code for this GPU, and the driver is new enough for it";
/// The same where no driver is known.
pub(super) const CURRENT_ALONE: &str = "the current build; it needs a driver of branch 580 or newer";
const CU126: &str = "CUDA 12.6 builds are the newest that have code for GPUs from Maxwell to Hopper and run on drivers from 525 on; \
                     2.14 is their last release";
const CU129: &str = "it is the last build for Blackwell that runs on a driver of branch 570 or 575";
const CU118: &str = "CUDA 11.8 builds are the newest that run on a driver older than 525; 2.7.1 is their last release";
const CU128: &str = "it is the last build with code for Volta and Blackwell as well, and runs on drivers from 525 on (with Blackwell \
                     from 570 on)";
const ALL_ON_WINDOWS: &str = "it is the only build with code for GPUs from Maxwell to Blackwell";
const CU102: &str = "it is the last build for CUDA 10.2, and drivers older than 450.80.02 run no newer CUDA";
const OLD_PYTHON: &str = "it is the newest build for this Python that has code for this GPU and runs on this driver";

/// Best first. What is offered is what the tables above say exists.
static CHOICES_LINUX_X86: &[Choice] = &[
    choice("torch", None, "cu132", (2, 15, 0), CURRENT),
    choice("torch", None, "cu130", (2, 14, 1), CURRENT),
    choice("torch", None, "cu130", (2, 12, 0), CURRENT),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 12, 0), CU126),
    choice("torch==2.13.0", Some("cu129"), "cu129", (2, 13, 0), CU129),
    choice("torch==2.10.0", None, "cu128", (2, 10, 0), CU128),
    choice("torch==2.8.0", Some("cu126"), "cu126", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.8.0", Some("cu128"), "cu128", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.4.1", Some("cu121"), "cu121", (2, 4, 1), OLD_PYTHON),
    choice("torch==2.7.1", Some("cu118"), "cu118", (2, 7, 1), CU118),
    choice("torch==2.4.1", Some("cu118"), "cu118", (2, 4, 1), OLD_PYTHON),
    choice("torch==1.12.1", None, "cu102", (1, 12, 1), CU102),
];

static CHOICES_LINUX_ARM: &[Choice] = &[
    choice("torch", None, "cu132", (2, 15, 0), CURRENT),
    choice("torch", None, "cu130", (2, 14, 1), CURRENT),
    choice("torch", None, "cu130", (2, 12, 0), CURRENT),
    choice("torch>=2.12,<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch>=2.12,<2.15", Some("cu126"), "cu126", (2, 12, 0), CU126),
    choice("torch==2.9.1", Some("cu128"), "cu128", (2, 9, 1), CU129),
    choice("torch==2.7.1", Some("cu128"), "cu128", (2, 7, 1), OLD_PYTHON),
];

/// PyPI's Windows wheels have no CUDA, so every choice names the PyTorch index.
static CHOICES_WINDOWS: &[Choice] = &[
    choice("torch", Some("cu130"), "cu130", (2, 15, 0), CURRENT),
    choice("torch", Some("cu130"), "cu130", (2, 14, 0), CURRENT),
    choice("torch", Some("cu130"), "cu130", (2, 12, 0), CURRENT),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 14, 0), CU126),
    choice("torch<2.15", Some("cu126"), "cu126", (2, 12, 0), CU126),
    choice("torch==2.11.0", Some("cu128"), "cu128", (2, 11, 0), CU129),
    choice("torch==2.10.0", Some("cu128"), "cu128", (2, 10, 0), CU128),
    choice("torch==2.7.1", Some("cu128"), "cu128", (2, 7, 1), ALL_ON_WINDOWS),
    choice("torch==2.8.0", Some("cu126"), "cu126", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.8.0", Some("cu128"), "cu128", (2, 8, 0), OLD_PYTHON),
    choice("torch==2.4.1", Some("cu121"), "cu121", (2, 4, 1), OLD_PYTHON),
    choice("torch==2.7.1", Some("cu118"), "cu118", (2, 7, 1), CU118),
    choice("torch==2.4.1", Some("cu118"), "cu118", (2, 4, 1), OLD_PYTHON),
];

/// The builds of torch for a system, best first.
pub fn builds(system: System) -> Vec<Build> {
    let choices = match system {
        System::LinuxX86 => CHOICES_LINUX_X86,
        System::LinuxArm => CHOICES_LINUX_ARM,
        System::WindowsX86 => CHOICES_WINDOWS,
    };
    let build = |choice: &Choice| {
        Some(Build {
            spec: choice.spec,
            index: choice.index,
            cuda: parse_cuda(choice.tag)?,
            code: architectures(choice.release, choice.tag, system)?,
            // No build in the list has PTX that anybody has tried.
            ptx: false,
            pythons: pythons(choice.release, system)?,
            why: choice.why,
        })
    };
    choices.iter().filter_map(build).collect()
}

#[cfg(test)]
#[path = "wheels_tests.rs"]
mod tests;
