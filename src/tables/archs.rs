//! Which GPUs a build contains code for.
//!
//! The rules (CUDA programming guide and nvcc manual on binary and PTX compatibility; the Jetson rows from the table that
//! torch 2.13 and 2.15 carry; as of 2026-11):
//! - `sm_XY` runs on the same major with a minor of at least Y;
//! - `sm_XYa` and `compute_XYa` run on that chip only, `sm_XYf` on its family: `100f` on 10.0 and 10.3, `120f` on 12.0 and
//!   12.1;
//! - `compute_XY` (PTX) is compiled by the driver for any newer chip;
//! - the Jetson chips 5.3, 6.2, 7.2, 8.7 and 10.1 are not served by desktop code of their major; code built with CUDA 13.2
//!   or later serves 7.2 and 8.7;
//! - CUDA 13 calls 10.1 by the new name 11.0.

/// What a build has for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Machine code that runs as it is.
    Cubin,
    /// Only PTX; the driver's JIT compiles it. That needs a driver whose own CUDA is at least the one that made it.
    Ptx,
    /// Nothing that runs.
    No(Why),
}

/// Why a build has nothing for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The GPU is newer than everything in the build, and there is no PTX.
    TooNew,
    /// The GPU is older than everything in the build.
    TooOld,
    /// The GPU lies between the oldest and the newest of the build, but its own code is missing (Jetson chips, partial
    /// builds).
    Missing,
    /// The list names no architecture at all.
    Empty,
}

impl Served {
    /// Whether a kernel can run.
    pub fn is_served(self) -> bool {
        matches!(self, Served::Cubin | Served::Ptx)
    }
}

/// One entry of an architecture list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether it is PTX (`compute_XY`) and not machine code (`sm_XY`).
    pub ptx: bool,
    /// Compute capability.
    pub cc: (u32, u32),
    /// `a`, `f`, or nothing.
    pub suffix: Option<char>,
}

/// The chips of system-on-chip boards (Jetson), which have variants of their own.
const JETSON: [(u32, u32); 6] = [(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)];

/// Reads `sm_86`, `compute_120`, `sm_90a`, `sm_100f`, also bare `86`. The last digit is the minor version.
pub fn parse(entry: &str) -> Option<Target> {
    let entry = entry.trim();
    let (ptx, rest) = match (entry.strip_prefix("compute_"), entry.strip_prefix("sm_")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => (false, entry),
    };
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = match &rest[digits.len()..] {
        "" => None,
        "a" => Some('a'),
        "f" => Some('f'),
        _ => return None,
    };
    if !(2..=3).contains(&digits.len()) {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    Some(Target { ptx, cc: renamed((number / 10, number % 10)), suffix })
}

/// Reads a compute capability, `8.9`.
pub fn parse_cc(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// 10.1 and 11.0 are two names of one chip.
fn renamed(cc: (u32, u32)) -> (u32, u32) {
    if cc == (10, 1) { (11, 0) } else { cc }
}

/// The GPUs that a framework serves which compiles its kernels where it runs, as CuPy: those of its CUDA's compiler, written as
/// PTX of the oldest one. NVRTC 13 begins with Turing, 12 with Maxwell, 11 with Kepler's 3.5; nothing for another CUDA.
pub fn compiled_on_the_spot(cuda: &str) -> Option<Vec<String>> {
    let oldest = match cuda.split('.').next()? {
        "13" => "compute_75",
        "12" => "compute_50",
        "11" => "compute_35",
        _ => return None,
    };
    Some(vec![oldest.to_string()])
}

fn cubin_runs(target: &Target, cc: (u32, u32), jetson: bool, build_cuda: Option<(u32, u32)>) -> bool {
    match target.suffix {
        Some('a') => target.cc == cc,
        Some(_) => match target.cc {
            (10, 0) => matches!(cc, (10, 0) | (10, 3)),
            (12, 0) => matches!(cc, (12, 0) | (12, 1)),
            // A family of which only its first chip is known.
            other => other == cc,
        },
        None if target.cc == cc => true,
        None => {
            let same_major = target.cc.0 == cc.0 && target.cc.1 <= cc.1;
            let own_variant = jetson || JETSON.contains(&cc);
            let desktop_code_serves = build_cuda.is_some_and(|v| v >= (13, 2)) && matches!(cc, (7, 2) | (8, 7));
            // Code of a Jetson chip is for that chip: sm_87 does nothing for a desktop 8.9.
            same_major && !JETSON.contains(&target.cc) && (!own_variant || desktop_code_serves)
        }
    }
}

/// What a build with this architecture list has for a GPU.
///
/// `list` is `torch.cuda.get_arch_list()` or its like, `cc` the compute capability of the GPU, `jetson` whether it is part
/// of a system-on-chip, `build_cuda` the CUDA version the build was made with. Entries that cannot be read are ignored.
pub fn serves(list: &[String], cc: (u32, u32), jetson: bool, build_cuda: Option<(u32, u32)>) -> Served {
    let cc = renamed(cc);
    let targets: Vec<Target> = list.iter().filter_map(|entry| parse(entry)).collect();
    if targets.iter().any(|t| !t.ptx && cubin_runs(t, cc, jetson, build_cuda)) {
        return Served::Cubin;
    }
    let ptx_runs = |t: &Target| match t.suffix {
        None => t.cc <= cc,
        Some(_) => cubin_runs(t, cc, jetson, build_cuda),
    };
    if targets.iter().any(|t| t.ptx && ptx_runs(t)) {
        return Served::Ptx;
    }
    let lowest = targets.iter().map(|t| t.cc).min();
    let highest = targets.iter().map(|t| t.cc).max();
    match (lowest, highest) {
        (Some(lowest), Some(highest)) => Served::No(if cc < lowest {
            Why::TooOld
        } else if cc > highest {
            Why::TooNew
        } else {
            Why::Missing
        }),
        _ => Served::No(Why::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &str) -> Vec<String> {
        entries.split_whitespace().map(str::to_string).collect()
    }

    fn desktop(entries: &str, cc: (u32, u32)) -> Served {
        serves(&list(entries), cc, false, Some((12, 6)))
    }

    const CU126: &str = "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90";
    const CU130: &str = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120";

    #[test]
    fn code_for_an_earlier_minor_of_the_same_major_runs() {
        assert_eq!(desktop(CU126, (8, 9)), Served::Cubin); // RTX 4090 on sm_86
        assert_eq!(desktop(CU126, (6, 1)), Served::Cubin); // GTX 1080 on sm_60
        assert_eq!(desktop(CU126, (5, 2)), Served::Cubin);
        assert_eq!(desktop(CU130, (12, 1)), Served::Cubin); // GB10 on plain sm_120
        assert_eq!(desktop(CU130, (10, 3)), Served::Cubin); // B300 on plain sm_100
    }

    #[test]
    fn code_for_another_major_does_not_run() {
        assert_eq!(desktop(CU126, (12, 0)), Served::No(Why::TooNew));
        assert_eq!(desktop(CU126, (10, 0)), Served::No(Why::TooNew));
        assert_eq!(desktop(CU130, (6, 1)), Served::No(Why::TooOld));
        assert_eq!(desktop(CU130, (7, 0)), Served::No(Why::TooOld));
        assert_eq!(desktop("sm_80 sm_90", (7, 5)), Served::No(Why::TooOld));
    }

    #[test]
    fn a_later_minor_does_not_serve_an_earlier_one() {
        assert_eq!(desktop("sm_86 sm_90", (8, 0)), Served::No(Why::TooOld));
        assert_eq!(desktop("sm_75 sm_86 sm_90", (8, 0)), Served::No(Why::Missing));
    }

    #[test]
    fn ptx_serves_every_newer_chip() {
        assert_eq!(desktop("sm_80 sm_90 compute_90", (12, 0)), Served::Ptx);
        assert_eq!(desktop("sm_80 sm_90 compute_90", (8, 6)), Served::Cubin);
        assert_eq!(desktop("sm_80 compute_90", (7, 5)), Served::No(Why::TooOld));
    }

    #[test]
    fn a_is_for_one_chip_and_f_for_its_family() {
        assert_eq!(desktop("sm_90a", (9, 0)), Served::Cubin);
        assert_eq!(desktop("sm_90a compute_90a", (10, 0)), Served::No(Why::TooNew));
        assert_eq!(desktop("sm_100a", (10, 3)), Served::No(Why::TooNew));
        assert_eq!(desktop("sm_100f", (10, 3)), Served::Cubin);
        assert_eq!(desktop("sm_120f", (12, 1)), Served::Cubin);
        assert_eq!(desktop("sm_120a", (12, 1)), Served::No(Why::TooNew));
    }

    #[test]
    fn jetson_needs_its_own_code() {
        let desktop_arm = list("sm_80 sm_86 sm_90");
        assert_eq!(serves(&desktop_arm, (8, 7), true, Some((12, 6))), Served::No(Why::Missing));
        assert_eq!(serves(&desktop_arm, (8, 7), true, Some((13, 0))), Served::No(Why::Missing));
        assert_eq!(serves(&desktop_arm, (8, 7), true, Some((13, 2))), Served::Cubin);
        assert_eq!(serves(&list("sm_87"), (8, 7), true, Some((12, 6))), Served::Cubin);
        assert_eq!(serves(&list("sm_87"), (8, 9), false, Some((12, 6))), Served::No(Why::TooNew));
        assert_eq!(serves(&list("sm_80 compute_80"), (8, 7), true, Some((12, 6))), Served::Ptx);
    }

    #[test]
    fn thor_has_two_names() {
        assert_eq!(serves(&list("sm_101"), (11, 0), true, Some((12, 9))), Served::Cubin);
        assert_eq!(serves(&list("sm_110"), (10, 1), true, Some((13, 0))), Served::Cubin);
    }

    #[test]
    fn lists_of_other_makers_and_empty_lists_say_so() {
        assert_eq!(desktop("", (8, 6)), Served::No(Why::Empty));
        assert_eq!(desktop("gfx1030 gfx90a", (8, 6)), Served::No(Why::Empty));
        assert_eq!(parse("sm_9"), None);
        assert_eq!(parse("sm_"), None);
        assert_eq!(parse("86"), Some(Target { ptx: false, cc: (8, 6), suffix: None }));
        assert_eq!(parse_cc("12.0"), Some((12, 0)));
        assert_eq!(parse_cc("x"), None);
    }
}
