//! Which driver a CUDA version needs, which CUDA a driver brings, and which GPUs a driver still serves.
//!
//! Sources, as of 2026-11: NVIDIA's CUDA release notes (table of driver versions), the cuDNN support matrix (family
//! floors), the Unix driver notices on legacy GPUs, the notes of the open kernel modules. CUDA 13.4 and 13.5 have no
//! published number beyond ">= 580".

use super::pci_ids::Architecture;
use std::fmt;

/// A CUDA version, major and minor.
pub type Cuda = (u32, u32);

/// Systems whose drivers are numbered differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and everything that runs on a Linux driver.
    Linux,
    /// Windows, and WSL, whose driver is the Windows one.
    Windows,
}

/// A driver version, `535.183.01`; the parts compare as numbers, and missing ones are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverVersion {
    /// Branch: 535.
    pub branch: u32,
    /// Second part: 183.
    pub minor: u32,
    /// Third part: 1.
    pub patch: u32,
}

impl DriverVersion {
    /// A version by its parts.
    pub const fn new(branch: u32, minor: u32, patch: u32) -> DriverVersion {
        DriverVersion { branch, minor, patch }
    }

    /// Reads `535.183.01`, `551.61`, `580`, and the file version of Windows, `32.0.15.6094` (which is 560.94).
    pub fn parse(text: &str) -> Option<DriverVersion> {
        let parts: Vec<&str> = text.trim().split('.').collect();
        let number = |s: &&str| -> Option<u32> { s.parse().ok().filter(|n| *n < 100_000) };
        match parts[..] {
            // The last five digits of Windows' own numbering are the driver's version.
            [_, _, third, last] => {
                let (third, last) = (number(&third)?, number(&last)?);
                let digits = third % 10 * 10_000 + last;
                Some(DriverVersion::new(digits / 100, digits % 100, 0))
            }
            [branch] => Some(DriverVersion::new(number(&branch)?, 0, 0)),
            [branch, minor] => Some(DriverVersion::new(number(&branch)?, number(&minor)?, 0)),
            [branch, minor, patch] => Some(DriverVersion::new(number(&branch)?, number(&minor)?, number(&patch)?)),
            _ => None,
        }
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.minor, self.patch) {
            (0, 0) => write!(f, "{}", self.branch),
            (minor, 0) => write!(f, "{}.{minor:02}", self.branch),
            (minor, patch) => write!(f, "{}.{minor:02}.{patch:02}", self.branch),
        }
    }
}

/// Reads a CUDA version: `12.8`, `12.8.1`, `cu128`, or the number that cuDriverGetVersion gives, `12080`.
pub fn parse_cuda(text: &str) -> Option<Cuda> {
    let text = text.trim();
    if let Some(tag) = text.strip_prefix("cu").filter(|t| t.len() >= 2 && t.bytes().all(|b| b.is_ascii_digit())) {
        let (major, minor) = tag.split_at(tag.len() - 1);
        return Some((major.parse().ok()?, minor.parse().ok()?));
    }
    match text.split_once('.') {
        Some((major, rest)) => {
            let minor = rest.split('.').next().unwrap_or_default();
            Some((major.parse().ok()?, minor.parse().ok()?))
        }
        None => text.parse().ok().filter(|n| (1000..100_000).contains(n)).map(cuda_of_code),
    }
}

/// 1000*major + 10*minor, as cuDriverGetVersion and torch's messages write it.
pub fn cuda_of_code(code: u32) -> Cuda {
    (code / 1000, code % 1000 / 10)
}

type Driver = DriverVersion;
const fn v(branch: u32, minor: u32, patch: u32) -> Driver {
    DriverVersion::new(branch, minor, patch)
}

/// CUDA, the driver that came with it on Linux, on Windows.
type Row = (Cuda, Driver, Driver);

/// NVIDIA CUDA release notes, table "CUDA Toolkit and Corresponding Driver Versions", 2026-11. Windows drivers are no longer
/// bundled from 13.0 on.
#[rustfmt::skip]
static TOOLKIT_DRIVERS: &[Row] = &[
    ((8, 0), v(375, 26, 0), v(376, 51, 0)),
    ((9, 0), v(384, 81, 0), v(385, 54, 0)),
    ((9, 1), v(390, 46, 0), v(391, 29, 0)),
    ((9, 2), v(396, 26, 0), v(397, 44, 0)),
    ((10, 0), v(410, 48, 0), v(411, 31, 0)),
    ((10, 1), v(418, 39, 0), v(418, 96, 0)),
    ((10, 2), v(440, 33, 0), v(441, 22, 0)),
    ((11, 0), v(450, 51, 5), v(451, 48, 0)),
    ((11, 1), v(455, 23, 0), v(456, 38, 0)),
    ((11, 2), v(460, 27, 3), v(460, 82, 0)),
    ((11, 3), v(465, 19, 1), v(465, 89, 0)),
    ((11, 4), v(470, 42, 1), v(471, 11, 0)),
    ((11, 5), v(495, 29, 5), v(496, 4, 0)),
    ((11, 6), v(510, 39, 1), v(511, 23, 0)),
    ((11, 7), v(515, 43, 4), v(516, 1, 0)),
    ((11, 8), v(520, 61, 5), v(520, 6, 0)),
    ((12, 0), v(525, 60, 13), v(527, 41, 0)),
    ((12, 1), v(530, 30, 2), v(531, 14, 0)),
    ((12, 2), v(535, 54, 3), v(536, 25, 0)),
    ((12, 3), v(545, 23, 6), v(545, 84, 0)),
    ((12, 4), v(550, 54, 14), v(551, 61, 0)),
    ((12, 5), v(555, 42, 2), v(555, 85, 0)),
    ((12, 6), v(560, 28, 3), v(560, 76, 0)),
    ((12, 8), v(570, 26, 0), v(570, 65, 0)),
    ((12, 9), v(575, 51, 3), v(576, 2, 0)),
    ((13, 0), v(580, 65, 6), v(580, 0, 0)),
    ((13, 1), v(590, 44, 1), v(580, 0, 0)),
    ((13, 2), v(595, 45, 4), v(580, 0, 0)),
    ((13, 3), v(610, 43, 2), v(580, 0, 0)),
];

/// Native CUDA of a Linux driver branch (NVIDIA release notes of each branch; 435 and 615 to 617 from nvidia-smi headers).
#[rustfmt::skip]
static BRANCHES: &[(u32, Cuda)] = &[
    (410, (10, 0)), (418, (10, 1)), (435, (10, 1)), (440, (10, 2)), (450, (11, 0)), (455, (11, 1)), (460, (11, 2)),
    (465, (11, 3)), (470, (11, 4)), (495, (11, 5)), (510, (11, 6)), (515, (11, 7)), (520, (11, 8)), (525, (12, 0)),
    (530, (12, 1)), (535, (12, 2)), (545, (12, 3)), (550, (12, 4)), (555, (12, 5)), (560, (12, 6)), (565, (12, 7)),
    (570, (12, 8)), (575, (12, 9)), (580, (13, 0)), (590, (13, 1)), (595, (13, 2)), (610, (13, 3)), (615, (13, 4)),
    (616, (13, 4)), (617, (13, 4)),
];

/// The oldest driver with which a program built with some CUDA version starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// The version.
    pub driver: DriverVersion,
    /// Whether it holds for the whole CUDA major (minor-version compatibility, from CUDA 11 on) or for this version alone.
    pub family: bool,
}

/// The floor of a CUDA version. Nothing where none is published: older than 8.0, or a major that the table does not know.
///
/// From CUDA 11 on one driver serves every minor version of a major; before, the exact number is a hard floor.
pub fn floor(cuda: Cuda, platform: Platform) -> Option<Floor> {
    let exact = toolkit_driver(cuda, platform);
    let family = match (cuda.0, platform) {
        (11, Platform::Linux) => Some(v(450, 80, 2)),
        (11, Platform::Windows) => Some(v(452, 39, 0)),
        (12, Platform::Linux) => Some(v(525, 60, 13)),
        (12, Platform::Windows) => Some(v(527, 41, 0)),
        (13, _) => Some(v(580, 0, 0)),
        _ => None,
    };
    match (family, exact) {
        // CUDA 11.0 came with a driver that is older than the floor of its family.
        (Some(family), exact) => Some(Floor { driver: exact.map_or(family, |e| e.min(family)), family: true }),
        (None, Some(exact)) => Some(Floor { driver: exact, family: false }),
        (None, None) => None,
    }
}

/// The driver that came with a toolkit: what its own version needs without minor-version compatibility.
pub fn toolkit_driver(cuda: Cuda, platform: Platform) -> Option<DriverVersion> {
    TOOLKIT_DRIVERS.iter().find(|row| row.0 == cuda).map(|row| match platform {
        Platform::Linux => row.1,
        Platform::Windows => row.2,
    })
}

/// Whether a program built with this CUDA starts on this driver; nothing where the floor is not known.
pub fn runs_on(driver: DriverVersion, cuda: Cuda, platform: Platform) -> Option<bool> {
    floor(cuda, platform).map(|floor| driver >= floor.driver)
}

/// The same, where only the driver's own CUDA version (cuDriverGetVersion) is known. It says "yes" to a libcuda from a
/// compat package as well, which is right: the program asks that library.
pub fn runs_on_cuda(driver: Cuda, build: Cuda) -> bool {
    if build.0 >= 11 { driver.0 >= build.0 } else { driver >= build }
}

/// The CUDA version that a driver brings by itself, without a compat library. Nothing for a branch that is not in the table:
/// what is not known is not compared.
pub fn native_cuda(driver: DriverVersion, platform: Platform) -> Option<Cuda> {
    // Windows drivers of a branch carry numbers up to four above it: 536 and 537 are R535, 551 to 553 are R550.
    let slack = if platform == Platform::Windows { 4 } else { 0 };
    BRANCHES
        .iter()
        .rev()
        .find(|(branch, _)| *branch <= driver.branch && driver.branch - branch <= slack)
        .map(|(_, cuda)| *cuda)
}

/// The oldest branch whose own CUDA is at least this one: what PTX made by it needs. Nothing where the table ends.
pub fn branch_for_ptx(cuda: Cuda) -> Option<u32> {
    BRANCHES.iter().find(|(_, native)| *native >= cuda).map(|(branch, _)| *branch)
}

/// The last driver branch that serves a generation; nothing where none has dropped it yet.
/// NVIDIA Unix driver notices: 390 last for Fermi, 470 for Kepler, 580 for Maxwell, Pascal and Volta.
pub fn last_branch(architecture: Architecture) -> Option<u32> {
    match architecture {
        Architecture::Fermi => Some(390),
        Architecture::Kepler => Some(470),
        Architecture::Maxwell | Architecture::Pascal | Architecture::Volta => Some(580),
        _ => None,
    }
}

/// The first driver branch that knows a generation, where that matters for a driver in use today: Blackwell needs 570
/// whatever the wheel (cuDNN support matrix, 570.26 on Linux and 570.65 on Windows).
pub fn first_branch(architecture: Architecture) -> Option<u32> {
    (architecture == Architecture::Blackwell).then_some(570)
}

/// Which flavours of the kernel module drive a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavours {
    /// Only the closed one: no GPU System Processor on the chip.
    ClosedOnly,
    /// Both.
    Both,
    /// Only the open one.
    OpenOnly,
}

/// The flavours for a generation (notes of NVIDIA's open kernel modules: from branch 515, Turing and newer, default from
/// 560, the only flavour on Blackwell). Grace Hopper needs the open one too, but its chip is the same as the H100's, so
/// `Hopper` answers both.
pub fn flavours(architecture: Architecture) -> Flavours {
    match architecture {
        a if a < Architecture::Turing => Flavours::ClosedOnly,
        Architecture::Blackwell => Flavours::OpenOnly,
        _ => Flavours::Both,
    }
}

/// Whether the open module of this driver needs `NVreg_OpenRmEnableUnsupportedGpus=1` on GeForce and workstation boards:
/// 515 to 535; ignored from 545.23.06 (module sources by tag).
pub fn open_module_opt_in(driver: DriverVersion) -> bool {
    driver.branch >= 515 && driver < v(545, 23, 6)
}

/// The oldest driver that reads zstd-compressed device code (ggml, so llama.cpp and ollama, by default); an older one says
/// 200 "device kernel image is invalid" (ollama PR 12258).
pub fn zstd_floor(platform: Platform) -> DriverVersion {
    match platform {
        Platform::Linux => v(550, 54, 14),
        Platform::Windows => v(551, 61, 0),
    }
}

#[cfg(test)]
#[path = "drivers_tests.rs"]
mod tests;
