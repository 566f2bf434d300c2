//! Expectations from the rules on which build to advise, worked out by hand.

use super::*;

fn wanted(driver: &str, cc: Capability) -> Wanted {
    several(driver, &[cc])
}

fn several(driver: &str, gpus: &[Capability]) -> Wanted {
    Wanted {
        system: System::LinuxX86,
        platform: Platform::Linux,
        driver: DriverVersion::parse(driver),
        gpus: gpus.to_vec(),
        python: usual(12),
    }
}

fn usual(minor: u32) -> Python {
    Python { version: Some((3, minor)), flavour: Flavour::Usual }
}

fn of(framework: &str, wanted: &Wanted) -> String {
    advise(framework, wanted).map_or("none".to_string(), |plan| plan.advice.arguments())
}

fn torch(wanted: &Wanted) -> String {
    of("torch", wanted)
}

const CU126: &str = "\"torch<2.15\" --index-url https://download.pytorch.org/whl/cu126";

#[test]
fn a_current_driver_and_gpu_get_the_default() {
    for cc in [(7, 5), (8, 0), (8, 9), (9, 0), (10, 0), (12, 0), (12, 1)] {
        assert_eq!(torch(&wanted("580.65.06", cc)), "torch", "{cc:?}");
    }
    let none_yet = advise("torch", &wanted("", (8, 6))).map(|plan| plan.advice);
    let none_yet = none_yet.map(|advice| (advice.spec, advice.why));
    assert_eq!(none_yet, Some(("torch", "the current build; it needs a driver of branch 580 or newer")));
}

#[test]
fn a_driver_of_the_cuda_12_family_gets_cu126() {
    for cc in [(5, 0), (6, 1), (7, 0), (7, 5), (8, 9), (9, 0)] {
        assert_eq!(torch(&wanted("535.183.01", cc)), CU126, "{cc:?}");
    }
}

#[test]
fn maxwell_pascal_and_volta_get_cu126_on_any_driver() {
    for cc in [(5, 2), (6, 1), (7, 0)] {
        assert_eq!(torch(&wanted("580.65.06", cc)), CU126, "{cc:?}");
    }
}

#[test]
fn blackwell_on_570_gets_the_last_builds_of_its_family() {
    assert_eq!(
        torch(&wanted("570.133.07", (12, 0))),
        "torch==2.13.0 --index-url https://download.pytorch.org/whl/cu129"
    );
    let windows = Wanted { system: System::WindowsX86, platform: Platform::Windows, ..wanted("572.83", (12, 0)) };
    assert_eq!(torch(&windows), "torch==2.11.0 --index-url https://download.pytorch.org/whl/cu128");
    assert_eq!(torch(&wanted("550.163.01", (12, 0))), "none", "Blackwell never works below 570");
}

#[test]
fn windows_always_gets_an_index() {
    let windows = Wanted { system: System::WindowsX86, platform: Platform::Windows, ..wanted("581.29", (8, 9)) };
    assert_eq!(torch(&windows), "torch --index-url https://download.pytorch.org/whl/cu130");
    assert_eq!(torch(&Wanted { driver: DriverVersion::parse("546.33"), ..windows }), CU126);
}

#[test]
fn wsl_has_linux_wheels_and_windows_driver_numbers() {
    let index = |driver: &str| {
        let wsl = Wanted { platform: Platform::Windows, ..wanted(driver, (8, 6)) };
        advise("torch", &wsl).and_then(|plan| plan.advice.index)
    };
    assert_eq!(index("526.98"), Some("cu118"));
    assert_eq!(index("527.41"), Some("cu126"));
}

#[test]
fn an_arm_server_needs_a_newer_gpu() {
    let arm = |driver: &str, cc| Wanted { system: System::LinuxArm, ..wanted(driver, cc) };
    assert_eq!(torch(&arm("580.65.06", (9, 0))), "torch");
    assert!(torch(&arm("535.183.01", (9, 0))).ends_with("/cu126"));
    assert_eq!(torch(&arm("580.65.06", (7, 5))), "none");
}

#[test]
fn old_drivers_get_old_builds_and_older_ones_nothing() {
    let cu118 = "torch==2.7.1 --index-url https://download.pytorch.org/whl/cu118";
    assert_eq!(torch(&wanted("470.223.02", (8, 6))), cu118);
    assert_eq!(torch(&wanted("470.223.02", (3, 7))), cu118);
    assert_eq!(torch(&wanted("470.223.02", (3, 5))), "none", "no build has code for 3.5");
    // CUDA 10.2, whose last build has no wheel for 3.12.
    assert_eq!(torch(&wanted("440.33.01", (7, 0))), "none");
    assert_eq!(torch(&Wanted { python: usual(9), ..wanted("440.33.01", (7, 0)) }), "torch==1.12.1");
    assert_eq!(torch(&Wanted { python: usual(9), ..wanted("418.226.00", (7, 0)) }), "none");
}

#[test]
fn python_limits_the_choice() {
    let python = |minor, driver: &str, cc| torch(&Wanted { python: usual(minor), ..wanted(driver, cc) });
    assert_eq!(python(10, "580.65.06", (8, 9)), "torch");
    assert_eq!(python(9, "580.65.06", (8, 9)), "torch==2.8.0 --index-url https://download.pytorch.org/whl/cu126");
    assert_eq!(python(9, "580.65.06", (12, 0)), "torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128");
    assert!(python(8, "580.65.06", (8, 9)).starts_with("torch==2.4.1 "));
    assert_eq!(python(8, "580.65.06", (12, 0)), "none");
    assert_eq!(python(16, "580.65.06", (8, 9)), "none");
    let unknown = Python { version: None, flavour: Flavour::Usual };
    assert_eq!(torch(&Wanted { python: unknown, ..wanted("580.65.06", (8, 9)) }), "torch");
}

#[test]
fn one_build_serves_cards_of_different_age_where_there_is_one() {
    // V100 and H100; Maxwell and Ada: CUDA 12.6.
    assert_eq!(torch(&several("580.95.05", &[(7, 0), (9, 0)])), CU126);
    assert_eq!(torch(&several("580.95.05", &[(5, 2), (8, 9)])), CU126);
    // V100 and RTX 5090: the last builds with both are of CUDA 12.8.
    assert_eq!(torch(&several("580.95.05", &[(7, 0), (12, 0)])), "torch==2.10.0");
    // K80 and A100.
    assert!(torch(&several("470.256.02", &[(3, 7), (8, 0)])).ends_with("/cu118"));
    // Only Windows has a build for GTX 1080 and RTX 5090.
    let windows =
        Wanted { system: System::WindowsX86, platform: Platform::Windows, ..several("581.29", &[(6, 1), (12, 0)]) };
    assert_eq!(torch(&windows), "torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128");
    assert_eq!(
        of("jax", &several("580.95.05", &[(6, 1), (12, 0)])),
        "\"jax[cuda12]>=0.6.2\" \"nvidia-cudnn-cu12<9.11\""
    );
    assert_eq!(of("cupy", &several("580.95.05", &[(6, 1), (12, 0)])), "\"cupy-cuda12x[ctk]>=14\"");
}

#[test]
fn where_no_build_serves_all_the_newest_card_has_its_own_and_the_others_are_named() {
    let plan = advise("torch", &several("580.95.05", &[(6, 1), (12, 0)])).expect("a build for the newer card");
    assert_eq!(plan.advice.arguments(), "torch");
    let [((6, 1), Some(needs))] = &plan.left_out[..] else { panic!("{:?}", plan.left_out) };
    assert_eq!(needs.arguments(), CU126);
    // Of three cards the build for the newest takes as many of the others as it can.
    let plan = advise("torch", &several("580.95.05", &[(6, 1), (7, 0), (12, 0)])).expect("a build");
    assert_eq!(plan.advice.spec, "torch==2.10.0");
    assert_eq!(plan.left_out.iter().map(|(cc, _)| *cc).collect::<Vec<_>>(), [(6, 1)]);
    // One that no build serves at all.
    let plan = advise("torch", &several("470.256.02", &[(3, 5), (8, 6)])).expect("a build");
    assert_eq!(plan.left_out, [((3, 5), None)]);
}

#[test]
fn other_pythons_want_wheels_of_their_own() {
    let python = |flavour, minor| Python { version: Some((3, minor)), flavour };
    let of = |framework, python| of(framework, &Wanted { python, ..wanted("580.95.05", (8, 9)) });
    assert_eq!(of("torch", python(Flavour::FreeThreaded, 14)), "torch");
    // 2.12.0 was the last for 3.13t, which pip finds by itself.
    assert_eq!(of("torch", python(Flavour::FreeThreaded, 13)), "torch");
    assert_eq!(of("torch", python(Flavour::FreeThreaded, 12)), "none");
    assert_eq!(of("jax", python(Flavour::FreeThreaded, 13)), "\"jax[cuda13]>=0.7.2\"");
    assert_eq!(of("onnxruntime", python(Flavour::FreeThreaded, 14)), "\"onnxruntime-gpu[cuda,cudnn]>=1.29\"");
    assert_eq!(of("cupy", python(Flavour::FreeThreaded, 13)), "none");
    assert_eq!(of("cupy", python(Flavour::FreeThreaded, 14)), "\"cupy-cuda13x[ctk]>=14\"");
    assert_eq!(of("tensorflow", python(Flavour::FreeThreaded, 13)), "none");
    for flavour in [Flavour::Musl, Flavour::Other, Flavour::Bits32] {
        for framework in ["torch", "jax", "tensorflow", "onnxruntime", "cupy", "numba"] {
            assert_eq!(of(framework, python(flavour, 12)), "none", "{framework} {flavour:?}");
        }
    }
}

#[test]
fn each_framework_has_its_newest_cuda_that_driver_and_gpu_take() {
    let linux = |framework, driver: &str, cc, minor| {
        let advice = advise(framework, &Wanted { python: usual(minor), ..wanted(driver, cc) });
        advice.map_or("none", |plan| plan.advice.spec)
    };
    assert_eq!(linux("jax", "580.95.05", (8, 9), 12), "jax[cuda13]>=0.7.2");
    assert_eq!(linux("jax", "535.183.01", (8, 9), 12), "jax[cuda12]>=0.6.2");
    assert_eq!(linux("jax", "535.183.01", (8, 9), 9), "jax[cuda12]");
    assert_eq!(linux("jax", "580.95.05", (6, 1), 12), "jax[cuda12]>=0.6.2 nvidia-cudnn-cu12<9.11");
    assert_eq!(linux("jax", "470.256.02", (8, 6), 12), "none");
    assert_eq!(linux("jax", "550.54.14", (12, 0), 12), "none");
    assert_eq!(linux("onnxruntime", "580.95.05", (8, 9), 12), "onnxruntime-gpu[cuda,cudnn]>=1.29");
    assert_eq!(linux("onnxruntime", "535.183.01", (8, 9), 12), "onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27");
    assert_eq!(linux("onnxruntime", "580.95.05", (10, 0), 12), "onnxruntime-gpu[cuda,cudnn]==1.28.0");
    assert_eq!(linux("onnxruntime", "470.256.02", (8, 6), 11), "onnxruntime-gpu==1.18.1");
    assert_eq!(linux("tensorflow", "", (8, 6), 11), "tensorflow[and-cuda]>=2.18");
    assert_eq!(linux("tensorflow", "535.183.01", (5, 2), 11), "tensorflow[and-cuda]==2.16.2");
    assert_eq!(linux("tensorflow", "535.183.01", (8, 6), 14), "none");
    // The extra of 2.14.1 cannot be resolved for 3.11, and 2.14 has no wheel for 3.8.
    assert_eq!(linux("tensorflow", "470.256.02", (8, 6), 10), "tensorflow[and-cuda]==2.14.1");
    assert_eq!(linux("tensorflow", "470.256.02", (8, 6), 11), "tensorflow==2.13.1");
    assert_eq!(linux("tensorflow", "580.95.05", (12, 0), 12), "none", "its wheels fail on Blackwell");
    assert_eq!(linux("cupy", "580.95.05", (7, 0), 12), "cupy-cuda12x[ctk]>=14");
    assert_eq!(linux("cupy", "470.256.02", (8, 6), 12), "cupy-cuda11x");
    assert_eq!(linux("cupy", "470.256.02", (3, 0), 12), "cupy-cuda102");
    assert_eq!(linux("cupy", "418.226.00", (6, 1), 9), "cupy-cuda101");
    assert_eq!(linux("numba", "550.54.14", (8, 9), 12), "numba-cuda[cu12]>=0.20");
}

#[test]
fn systems_differ() {
    let arm = |framework, cc| of(framework, &Wanted { system: System::LinuxArm, ..wanted("580.95.05", cc) });
    assert_eq!(arm("onnxruntime", (9, 0)), "\"onnxruntime-gpu[cuda,cudnn]>=1.29\"");
    assert_eq!(arm("onnxruntime", (12, 1)), "\"onnxruntime-gpu[cuda,cudnn]>=1.29\"");
    assert_eq!(arm("onnxruntime", (10, 0)), "none", "its wheel for ARM has code for 8.9, 9.0, 12.0 and 12.1");
    assert_eq!(arm("tensorflow", (9, 0)), "none");
    assert_eq!(arm("jax", (9, 0)), "\"jax[cuda13]>=0.7.2\"");
    assert_eq!(arm("cupy", (9, 0)), "\"cupy-cuda13x[ctk]>=14\"");
    let windows = |framework, cc| {
        let wanted = Wanted { system: System::WindowsX86, platform: Platform::Windows, ..wanted("546.33", cc) };
        of(framework, &wanted)
    };
    assert_eq!(windows("jax", (8, 9)), "none");
    assert_eq!(windows("onnxruntime", (8, 6)), "\"onnxruntime-gpu[cuda,cudnn]>=1.23,<1.27\"");
    // 1.23 to 1.26 for Windows have 5.2, 6.1, 7.5, 8.6 and 8.9.
    assert_eq!(windows("onnxruntime", (8, 0)), "onnxruntime-gpu==1.18.1");
}

#[test]
fn where_nothing_fits_the_last_that_did_is_named() {
    let torch = |cc, driver: &str, minor| why_none("torch", &Wanted { python: usual(minor), ..wanted(driver, cc) });
    assert_eq!(
        torch((3, 7), "390.157", 12),
        "the last build of torch with code for compute capability 3.7 and the oldest CUDA is `torch==1.12.1`; its CUDA 10.2 \
         needs driver 440.33 or newer, and the driver is 390.157; it has wheels for Python 3.7 to 3.10, and this is 3.12"
    );
    assert_eq!(
        torch((6, 1), "535.183.01", 16),
        "the last build of torch with code for compute capability 6.1 that this driver runs is `\"torch<2.15\"` of the index \
         cu126; it has wheels for Python 3.10 to 3.14, and this is 3.16"
    );
    assert_eq!(torch((3, 0), "470.256.02", 11), "no known build of torch has code for compute capability 3.0");
    assert!(torch((3, 5), "470.256.02", 11).ends_with("CUDA 10.2 (channel pytorch), up to torch 1.12"));
    let of = |framework, wanted: Wanted| why_none(framework, &wanted);
    assert_eq!(
        of("onnxruntime", Wanted { python: usual(15), ..wanted("580.95.05", (8, 9)) }),
        "the last build of ONNX Runtime with code for compute capability 8.9 that this driver runs is \
         `\"onnxruntime-gpu[cuda,cudnn]>=1.29\"`; it has wheels for Python 3.11 to 3.14, and this is 3.15"
    );
    let blackwell = of("tensorflow", wanted("580.95.05", (12, 0)));
    assert!(blackwell.ends_with("NVIDIA's container nvcr.io/nvidia/tensorflow works on Blackwell"), "{blackwell}");
    let old_driver = of("torch", wanted("550.163.01", (12, 0)));
    assert!(
        old_driver.contains("570 or newer, as every Blackwell card does, and the driver is 550.163.01"),
        "{old_driver}"
    );
    let musl = Python { version: Some((3, 12)), flavour: Flavour::Musl };
    assert!(of("torch", Wanted { python: musl, ..wanted("580.95.05", (8, 9)) }).contains("glibc"));
    let free = Python { version: Some((3, 13)), flavour: Flavour::FreeThreaded };
    assert!(of("tensorflow", Wanted { python: free, ..wanted("580.95.05", (8, 9)) }).contains("free-threaded"));
    let arm = Wanted { system: System::LinuxArm, ..wanted("580.95.05", (9, 0)) };
    assert!(of("tensorflow", arm).contains("nvcr.io/nvidia/tensorflow"));
}
