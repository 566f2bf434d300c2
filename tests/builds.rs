//! Every combination of card, driver, Python, system and framework gets a build that exists, whose CUDA the driver runs and that
//! has code for the card; and where none is advised, none exists.
//!
//! What exists is written down here once more, by hand: by requirement and index, the CUDA family, the cards and the Pythons
//! (release notes, the files on PyPI, fat binaries; 2026-12). None of it is asked of the tables that make the choice.

use gpu_doctor::tables::builds::{Advice, Capability, Flavour, Python, System, Wanted, advise, why_none};
use gpu_doctor::tables::drivers::{DriverVersion, Platform};

const CARDS: [Capability; 17] = [
    (3, 0),
    (3, 5),
    (3, 7),
    (5, 0),
    (5, 2),
    (6, 0),
    (6, 1),
    (7, 0),
    (7, 5),
    (8, 0),
    (8, 6),
    (8, 9),
    (9, 0),
    (10, 0),
    (10, 3),
    (12, 0),
    (12, 1),
];

/// One driver of each branch: on Linux, on Windows.
const DRIVERS: [(&str, &str); 12] = [
    ("390.157", "391.35"),
    ("418.226.00", "419.67"),
    ("440.100", "442.59"),
    ("450.248.02", "453.94"),
    ("470.256.02", "472.12"),
    ("525.147.05", "528.49"),
    ("535.183.01", "537.13"),
    ("550.163.01", "553.24"),
    ("560.35.03", "560.94"),
    ("570.133.07", "572.83"),
    ("580.95.05", "581.29"),
    ("590.48.01", "591.44"),
];

const FRAMEWORKS: [&str; 5] = ["torch", "jax", "tensorflow", "onnxruntime", "cupy"];
const SYSTEMS: [(System, Platform); 4] = [
    (System::LinuxX86, Platform::Linux),
    (System::LinuxArm, Platform::Linux),
    (System::WindowsX86, Platform::Windows),
    // WSL.
    (System::LinuxX86, Platform::Windows),
];

use System::{LinuxArm as A, LinuxX86 as L, WindowsX86 as W};

/// A build: framework, systems, requirement, index, CUDA, first and last Python, cards.
type Known = (
    &'static str,
    &'static [System],
    &'static str,
    &'static str,
    (u32, u32),
    (u32, u32),
    &'static [(Capability, Capability)],
);

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    // 2.15 for 3.11 to 3.15, 2.14 for 3.10: both of CUDA 13, both from Turing on.
    ("torch", &[L], "torch", "", (13, 0), (10, 15), &[((7, 5), (12, 1))]),
    ("torch", &[A], "torch", "", (13, 0), (10, 15), &[((8, 0), (12, 1))]),
    ("torch", &[W], "torch", "cu130", (13, 0), (10, 15), &[((7, 5), (12, 1))]),
    ("torch", &[L, W], "torch<2.15", "cu126", (12, 6), (10, 14), &[((5, 0), (9, 0))]),
    ("torch", &[A], "torch>=2.12,<2.15", "cu126", (12, 6), (10, 14), &[((8, 0), (9, 0))]),
    ("torch", &[L], "torch==2.13.0", "cu129", (12, 9), (10, 14), &[((7, 5), (12, 1))]),
    ("torch", &[L], "torch==2.10.0", "", (12, 8), (10, 14), &[((7, 0), (12, 1))]),
    ("torch", &[W], "torch==2.11.0", "cu128", (12, 8), (10, 14), &[((7, 5), (12, 1))]),
    ("torch", &[W], "torch==2.10.0", "cu128", (12, 8), (10, 14), &[((7, 0), (12, 1))]),
    ("torch", &[W], "torch==2.7.1", "cu128", (12, 8), (9, 13), &[((5, 0), (12, 1))]),
    ("torch", &[A], "torch==2.9.1", "cu128", (12, 8), (10, 14), &[((8, 0), (12, 1))]),
    ("torch", &[A], "torch==2.7.1", "cu128", (12, 8), (9, 13), &[((9, 0), (12, 1))]),
    ("torch", &[L, W], "torch==2.8.0", "cu126", (12, 6), (9, 13), &[((5, 0), (9, 0))]),
    ("torch", &[L, W], "torch==2.8.0", "cu128", (12, 8), (9, 13), &[((7, 0), (12, 1))]),
    ("torch", &[L, W], "torch==2.4.1", "cu121", (12, 1), (8, 12), &[((5, 0), (9, 0))]),
    ("torch", &[L, W], "torch==2.7.1", "cu118", (11, 8), (9, 13), &[((3, 7), (9, 0))]),
    ("torch", &[L, W], "torch==2.4.1", "cu118", (11, 8), (8, 12), &[((3, 7), (9, 0))]),
    ("torch", &[L], "torch==1.12.1", "", (10, 2), (7, 10), &[((3, 7), (7, 5))]),
    ("jax", &[L, A], "jax[cuda13]>=0.7.2", "", (13, 0), (11, 15), &[((7, 5), (12, 1))]),
    ("jax", &[L, A], "jax[cuda12]>=0.6.2", "", (12, 8), (10, 15), &[((7, 5), (12, 1))]),
    ("jax", &[L, A], "jax[cuda12]>=0.6.2 nvidia-cudnn-cu12<9.11", "", (12, 8), (10, 15), &[((5, 0), (12, 1))]),
    ("jax", &[L, A], "jax[cuda12]", "", (12, 3), (9, 9), &[((7, 5), (9, 0))]),
    ("jax", &[L, A], "jax[cuda12] nvidia-cudnn-cu12<9.11", "", (12, 3), (9, 9), &[((5, 0), (9, 0))]),
    ("tensorflow", &[L], "tensorflow[and-cuda]>=2.18", "", (12, 5), (9, 13), &[((7, 5), (9, 0))]),
    ("tensorflow", &[L], "tensorflow[and-cuda]>=2.18 nvidia-cudnn-cu12<9.11", "", (12, 5), (9, 13), &[((6, 0), (9, 0))]),
    ("tensorflow", &[L], "tensorflow[and-cuda]==2.16.2", "", (12, 3), (9, 12), &[((5, 0), (9, 0))]),
    ("tensorflow", &[L], "tensorflow[and-cuda]==2.14.1", "", (11, 8), (9, 10), &[((3, 5), (8, 9))]),
    ("tensorflow", &[L], "tensorflow==2.13.1", "", (11, 8), (8, 11), &[((3, 5), (8, 9))]),
    ("tensorflow", &[W], "tensorflow==2.10.1 numpy<2", "", (11, 2), (7, 10), &[((3, 5), (8, 9))]),
    ("onnxruntime", &[L, W], "onnxruntime-gpu[cuda,cudnn]>=1.29", "", (13, 0), (11, 14), &[((7, 5), (9, 0)), ((12, 0), (12, 0))]),
    ("onnxruntime", &[A], "onnxruntime-gpu[cuda,cudnn]>=1.29", "", (13, 0), (11, 14), &[((8, 9), (9, 0)), ((12, 0), (12, 1))]),
    ("onnxruntime", &[L], "onnxruntime-gpu[cuda,cudnn]==1.28.0", "", (13, 0), (11, 14), &[((7, 5), (10, 0)), ((12, 0), (12, 0))]),
    ("onnxruntime", &[L], "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27", "", (12, 8), (10, 14), &[((7, 5), (9, 0))]),
    ("onnxruntime", &[W], "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27", "", (12, 8), (10, 14), &[((7, 5), (7, 5)), ((8, 6), (8, 9))]),
    ("onnxruntime", &[L], "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27 nvidia-cudnn-cu12<9.11", "", (12, 8), (10, 14), &[((6, 0), (9, 0))]),
    ("onnxruntime", &[W], "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27 nvidia-cudnn-cu12<9.11", "", (12, 8), (10, 14), &[((5, 2), (5, 2)), ((6, 1), (6, 1)), ((7, 5), (7, 5)), ((8, 6), (8, 9))]),
    ("onnxruntime", &[L, W], "onnxruntime-gpu==1.19.2", "", (12, 4), (8, 9), &[((5, 2), (8, 9))]),
    ("onnxruntime", &[L, W], "onnxruntime-gpu==1.18.1", "", (11, 8), (8, 12), &[((5, 2), (8, 9))]),
    ("cupy", &[L, A, W], "cupy-cuda13x[ctk]>=14", "", (13, 0), (10, 14), &[((7, 5), (12, 1))]),
    ("cupy", &[L, A, W], "cupy-cuda12x[ctk]>=14", "", (12, 9), (10, 14), &[((5, 0), (12, 1))]),
    ("cupy", &[L, A, W], "cupy-cuda12x", "", (12, 9), (8, 9), &[((5, 0), (12, 1))]),
    ("cupy", &[L, A, W], "cupy-cuda11x", "", (11, 8), (8, 13), &[((3, 5), (9, 0))]),
    ("cupy", &[L, A, W], "cupy-cuda102", "", (10, 2), (8, 12), &[((3, 0), (7, 5))]),
    ("cupy", &[L, W], "cupy-cuda101", "", (10, 1), (7, 9), &[((3, 0), (7, 5))]),
];

/// The oldest driver for a CUDA: NVIDIA's table of families, and before 11 of single versions.
fn oldest_driver(cuda: (u32, u32), platform: Platform) -> DriverVersion {
    let number = match (cuda, platform) {
        ((13, _), _) => "580",
        ((12, _), Platform::Linux) => "525.60.13",
        ((12, _), Platform::Windows) => "527.41",
        ((11, _), Platform::Linux) => "450.80.02",
        ((11, _), Platform::Windows) => "452.39",
        ((10, 2), Platform::Linux) => "440.33",
        ((10, 2), Platform::Windows) => "441.22",
        ((10, 1), Platform::Linux) => "418.39",
        ((10, 1), Platform::Windows) => "418.96",
        other => panic!("no driver is written down for {other:?}"),
    };
    DriverVersion::parse(number).expect("a version")
}

/// Whether the driver starts a program of this CUDA, and knows the card: Blackwell from 570 on.
fn driver_takes(wanted: &Wanted, cuda: (u32, u32), cc: Capability) -> bool {
    let Some(driver) = wanted.driver else { return true };
    driver >= oldest_driver(cuda, wanted.platform) && (cc.0 < 10 || driver.branch >= 570)
}

fn is_for(known: &Known, wanted: &Wanted, cc: Capability) -> bool {
    known.6.iter().any(|(first, last)| (*first..=*last).contains(&cc)) && driver_takes(wanted, known.4, cc)
}

fn has_wheel(known: &Known, wanted: &Wanted) -> bool {
    wanted.python.version.is_none_or(|(_, minor)| (known.5.0..=known.5.1).contains(&minor))
}

fn known<'a>(framework: &str, system: System, advice: &Advice) -> Option<&'a Known> {
    let index = advice.index.unwrap_or_default();
    KNOWN.iter().find(|k| k.0 == framework && k.1.contains(&system) && k.2 == advice.spec && k.3 == index)
}

/// Every machine of these cards.
fn machines(gpus: &[Capability]) -> impl Iterator<Item = Wanted> + '_ {
    SYSTEMS.iter().flat_map(move |(system, platform)| {
        let drivers = DRIVERS.iter().map(move |(linux, windows)| {
            DriverVersion::parse(if *platform == Platform::Linux { linux } else { windows })
        });
        drivers.chain([None]).flat_map(move |driver| {
            let pythons = (8..=16).map(Some).chain([None]);
            pythons.map(move |minor| Wanted {
                system: *system,
                platform: *platform,
                driver,
                gpus: gpus.to_vec(),
                python: Python { version: minor.map(|minor| (3, minor)), flavour: Flavour::Usual },
            })
        })
    })
}

#[test]
fn what_is_advised_exists_and_runs_and_what_exists_is_advised() {
    let (mut advised, mut none) = (0, 0);
    for framework in FRAMEWORKS {
        for cc in CARDS {
            for wanted in machines(&[cc]) {
                let here = || KNOWN.iter().filter(|k| k.0 == framework && k.1.contains(&wanted.system));
                let exists = here().any(|k| is_for(k, &wanted, cc) && has_wheel(k, &wanted));
                let context = format!("{framework} {wanted:?}");
                let Some(plan) = advise(framework, &wanted) else {
                    assert!(!exists, "there is a build: {context}");
                    none += 1;
                    let why = why_none(framework, &wanted);
                    assert!(!why.is_empty() && !why.contains("``"), "{context}: {why}");
                    // The last one that served the card is named, by a requirement that stands in the list.
                    let ever = here().find(|k| k.6.iter().any(|(first, last)| (*first..=*last).contains(&cc)));
                    let named = why.split('`').nth(1).map(|text| text.replace('"', ""));
                    let named = named.filter(|_| why.contains("last build"));
                    match (ever, named) {
                        (Some(_), Some(named)) => assert!(
                            here().any(|k| k.2 == named && k.6.iter().any(|(a, b)| (*a..=*b).contains(&cc))),
                            "{context}: {why}"
                        ),
                        (Some(_), None) => panic!("the last build is not named: {context}: {why}"),
                        (None, named) => assert_eq!(named, None, "{context}: {why}"),
                    }
                    continue;
                };
                advised += 1;
                assert!(plan.left_out.is_empty(), "{context}");
                let build = known(framework, wanted.system, &plan.advice)
                    .unwrap_or_else(|| panic!("nobody knows this build: {:?} for {context}", plan.advice));
                assert!(has_wheel(build, &wanted), "no wheel: {:?} for {context}", plan.advice);
                assert!(is_for(build, &wanted, cc), "does not run: {:?} for {context}", plan.advice);
            }
        }
    }
    assert!(advised > 5000 && none > 5000, "{advised} with a build, {none} without");
}

/// Of the machines with two cards those with a driver of each CUDA family, and a Python of each span of wheels.
fn is_telling(wanted: &Wanted) -> bool {
    let branch = wanted.driver.is_none_or(|driver| [470, 472, 535, 537, 570, 572, 580, 581].contains(&driver.branch));
    let python = wanted.python.version.is_none_or(|(_, minor)| [8, 9, 12, 14].contains(&minor));
    branch && python && (wanted.system == System::WindowsX86 || wanted.platform == Platform::Linux)
}

#[test]
fn two_cards_have_one_build_where_one_exists_and_else_the_newer_one_has_it() {
    let (mut together, mut alone) = (0, 0);
    for framework in FRAMEWORKS {
        for (n, first) in CARDS.into_iter().enumerate() {
            for second in CARDS.into_iter().skip(n + 1) {
                for wanted in machines(&[first, second]).filter(is_telling) {
                    let context = format!("{framework} {wanted:?}");
                    let fits = |cards: &[Capability]| {
                        KNOWN.iter().any(|k| {
                            k.0 == framework
                                && k.1.contains(&wanted.system)
                                && has_wheel(k, &wanted)
                                && cards.iter().all(|cc| is_for(k, &wanted, *cc))
                        })
                    };
                    let Some(plan) = advise(framework, &wanted) else {
                        assert!(!fits(&[first]) && !fits(&[second]), "there is a build: {context}");
                        continue;
                    };
                    let build = known(framework, wanted.system, &plan.advice).expect("a known build");
                    let out: Vec<Capability> = plan.left_out.iter().map(|(cc, _)| *cc).collect();
                    for cc in [first, second] {
                        assert_eq!(is_for(build, &wanted, cc), !out.contains(&cc), "{cc:?} of {context}: {plan:?}");
                    }
                    if fits(&[first, second]) {
                        assert_eq!(out, [], "one build serves both: {context}: {plan:?}");
                        together += 1;
                        continue;
                    }
                    alone += 1;
                    // The newer card goes first, unless nothing runs on it here.
                    assert_eq!(out, [if fits(&[second]) { first } else { second }], "{context}: {plan:?}");
                    let (left, needs) = &plan.left_out[0];
                    assert_eq!(needs.is_some(), fits(&[*left]), "{context}: {plan:?}");
                    if let Some(needs) = needs {
                        let build = known(framework, wanted.system, needs).expect("a known build");
                        assert!(is_for(build, &wanted, *left) && has_wheel(build, &wanted), "{context}: {needs:?}");
                    }
                }
            }
        }
    }
    assert!(together > 5000 && alone > 500, "{together} together, {alone} apart");
}
