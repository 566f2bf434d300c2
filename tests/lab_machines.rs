//! Machines that are played by fakes of the driver's libraries: the verdict, the root causes and the exit status of each,
//! live and from the snapshot.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::fake::{CPU, CU118, CU124, CU128, Fake, Torch};

/// The driver of the scenarios with GeForce cards.
const GEFORCE: &str = "535.183.01";
/// And with data-centre cards.
const DATACENTRE: &str = "570.124.06";
const FIRST: &str = "0000:01:00.0";
const SECOND: &str = "0000:02:00.0";
/// The eight GPUs of the server.
const EIGHT: [&str; 8] = [
    "0000:1b:00.0",
    "0000:43:00.0",
    "0000:52:00.0",
    "0000:61:00.0",
    "0000:9d:00.0",
    "0000:c3:00.0",
    "0000:d1:00.0",
    "0000:df:00.0",
];

/// One RTX 4090 with driver 535, whatever the scenario makes of it.
fn workstation(scenario: &str) -> Fake {
    let machine = Fake::new(scenario).driver(GEFORCE, 1);
    machine.tree(|tree| {
        tree.rtx_4090(FIRST, Some("nvidia")).gpu_information(FIRST, "NVIDIA GeForce RTX 4090", 0);
    })
}

/// One H100 with driver 570.
fn server(scenario: &str) -> Fake {
    let machine = Fake::new(scenario).driver(DATACENTRE, 1);
    machine.tree(|tree| {
        tree.h100(EIGHT[0], Some("nvidia")).gpu_information(EIGHT[0], "NVIDIA H100 80GB HBM3", 0);
    })
}

/// Eight H100 with driver 570.
fn eight(scenario: &str) -> Fake {
    Fake::new(scenario).driver(DATACENTRE, 8).tree(|tree| {
        for (minor, address) in (0..).zip(EIGHT) {
            tree.h100(address, Some("nvidia")).gpu_information(address, "NVIDIA H100 80GB HBM3", minor);
        }
    })
}

#[test]
fn one_gpu() {
    workstation("one-gpu").torch(CU124).check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn eight_gpus() {
    eight("eight-gpus").torch(CU124).check(&["--expect-gpus", "8", "--strict"]).verdict("ready", 0).causes(&[]).clean();
}

/// The links of every GPU and the ways between them are facts; links that all are up are no finding.
#[test]
fn links_between_eight_gpus() {
    let checked = eight("eight-gpus").torch(CU124).check(&[]);
    let links = checked.fact("nvml.nvlinks", EIGHT[0]).expect("the links");
    assert_eq!(links["value"].as_array().map(Vec::len), Some(18));
    assert_eq!(links["value"][0], serde_json::json!({ "link": 0, "active": true, "remote": "switch" }));
    let peers = checked.fact("nvml.p2p", EIGHT[0]).expect("the peers");
    assert_eq!(peers["value"].as_object().map(|o| o.len()), Some(7));
    assert_eq!(peers["value"][EIGHT[7]], "ok");
}

/// Three links down beside fifteen that are up: the GPUs compute, and what joins them is broken.
#[test]
fn links_that_are_down() {
    let checked = eight("nvlink-down").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["nvlink-failure (certain)"]).says("3 of its 18 NVLinks are down");
}

/// A card without NVLink has no links to be down, and one GPU alone has no peer.
#[test]
fn no_links_on_a_card_without() {
    let checked = workstation("one-gpu").torch(CU124).check(&[]);
    checked.verdict("ready", 0);
    assert_eq!(checked.fact("nvml.nvlinks", FIRST).expect("asked")["state"], "absent");
    assert!(checked.fact("nvml.p2p", FIRST).is_none());
}

#[test]
fn one_of_two_lost() {
    let machine = workstation("one-of-two-lost").node("nvidia1").torch(CU124).tree(|tree| {
        tree.rtx_4090(SECOND, Some("nvidia")).gpu_information(SECOND, "NVIDIA GeForce RTX 4090", 1).gone(SECOND);
    });
    machine.check(&[]).verdict("degraded", 0).causes(&["gpu-fell-off-bus (certain)"]).about(SECOND);
    machine.check(&["--strict"]).verdict("degraded", 1);
}

#[test]
fn a_container_with_one_gpu_of_eight() {
    let machine = Fake::new("container-one-of-eight").driver(DATACENTRE, 0).node("nvidia3").torch(CU124).tree(|tree| {
        for (minor, address) in (0..).zip(EIGHT) {
            tree.h100(address, Some("nvidia")).gpu_information(address, "NVIDIA H100 80GB HBM3", minor);
        }
        tree.docker();
    });
    let checked = machine.check(&[]);
    checked.verdict("ready", 0).causes(&[]).clean();
    checked.says("/dev/nvidiactl, /dev/nvidia-uvm, /dev/nvidia3 can be opened");
}

#[test]
fn mig_with_instances() {
    let machine = Fake::new("mig-with-instances").driver(GEFORCE, 1).torch(CU124).tree(|tree| {
        tree.gpu(EIGHT[0], "0x10de", "0x20b0", "0x030200", Some("nvidia"));
    });
    machine.check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn mig_without_instances() {
    let machine = Fake::new("mig-no-instances").driver(GEFORCE, 1).torch(CU124).tree(|tree| {
        tree.gpu(EIGHT[0], "0x10de", "0x20b0", "0x030200", Some("nvidia"));
    });
    machine.check(&[]).verdict("not_ready", 1).causes(&["mig-enabled-unintentionally (certain)"]);
}

#[test]
fn exclusive_mode_that_is_free() {
    // A second context at the same time would get 46 from the fake: the doctor would be its own culprit.
    let machine = workstation("exclusive").with("calls = calls").torch(CU124);
    machine.check(&[]).verdict("ready", 0).causes(&[]).clean();
    assert!(machine.calls().contains(&"cuCtxCreate_v2".to_string()));
    assert!(machine.calls().contains(&"cuDevicePrimaryCtxRetain".to_string()));
}

#[test]
fn exclusive_mode_held_by_another_process() {
    let machine =
        workstation("exclusive").with("calls = calls").with_last("processes = 41234:8000:python").torch(CU124);
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["exclusive-compute-mode (likely)"]).says("41234");
    assert!(no_context(&machine));
    machine.check(&["--busy"]).verdict("not_ready", 1).causes(&["exclusive-compute-mode (certain)"]);
}

/// Whether nothing made a context.
fn no_context(machine: &Fake) -> bool {
    !machine.calls().iter().any(|call| call.starts_with("cuCtxCreate") || call.starts_with("cuDevicePrimaryCtx"))
}

#[test]
fn a_gpu_on_which_somebody_computes() {
    let machine = server("busy").with("calls = calls").torch(CU124);
    let checked = machine.check(&[]);
    checked.verdict("inconclusive", 3).causes(&[]).statuses("cuda-kernel", &["unknown"]).says("41234").says("--busy");
    assert!(no_context(&machine), "{:?}", machine.calls());
    machine.check(&["--passive"]).verdict("ready", 0).causes(&[]).statuses("cuda-kernel", &["deselected"]);
    assert!(no_context(&machine), "{:?}", machine.calls());
    machine.check(&["--busy"]).verdict("ready", 0).causes(&[]).statuses("cuda-kernel", &["pass"]);
    assert!(!no_context(&machine));
}

#[test]
fn passive_makes_no_context_on_a_free_gpu() {
    let machine = workstation("one-gpu").with("calls = calls").torch(CU124);
    machine.check(&["--passive"]).verdict("ready", 0).causes(&[]).says("nothing was computed on a GPU");
    assert!(no_context(&machine), "{:?}", machine.calls());
}

#[test]
fn a_card_newer_than_the_build() {
    let card = || {
        Fake::new("sm120").driver("575.57.08", 1).tree(|tree| {
            tree.rtx_5090(FIRST, Some("nvidia"));
        })
    };
    card()
        .torch(CU124)
        .check(&[])
        .verdict("not_ready", 1)
        .causes(&["gpu-arch-too-new-for-build (certain)"])
        .says("sm_120");
    card().torch(CU128).check(&[]).verdict("ready", 0).causes(&[]).clean();
    // PTX for an older architecture is compiled for the new card.
    let with_ptx = Torch { architectures: "sm_80 sm_90 compute_90", ..CU124 };
    card().torch(with_ptx).check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn a_card_older_than_the_build() {
    let machine = Fake::told(
        "driver_version = 535.183.01\ncuda_version = 12020\n[gpu 0]\nname = NVIDIA GeForce GTX 1080\ncc = 6.1\n\
         memory_total = 8192\npci = 0000:01:00.0\n",
    );
    let machine = machine.driver(GEFORCE, 1).torch(CU128).tree(|tree| {
        tree.gpu(FIRST, "0x10de", "0x1b80", "0x030000", Some("nvidia"));
    });
    machine.check(&[]).verdict("not_ready", 1).causes(&["gpu-arch-too-old-for-build (certain)"]).says("sm_61");
}

#[test]
fn builds_that_run_on_more_than_they_name() {
    // CUDA 12.8's runtime on driver 535 (CUDA 12.2): every driver of the same major version runs it. sm_86 runs on 8.9.
    workstation("one-gpu").torch(CU128).check(&[]).verdict("ready", 0).causes(&[]).clean();
    // CUDA 11.8's on CUDA 12.2.
    workstation("one-gpu").torch(CU118).check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn a_driver_too_old_for_the_build() {
    let machine = Fake::told(
        "driver_version = 470.256.02\ncuda_version = 11040\n[gpu 0]\nname = NVIDIA GeForce RTX 3070\ncc = 8.6\n\
         memory_total = 8192\npci = 0000:01:00.0\n",
    );
    let machine = machine.driver("470.256.02", 1).torch(CU124).tree(|tree| {
        tree.gpu(FIRST, "0x10de", "0x2484", "0x030000", Some("nvidia"));
    });
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["driver-too-old-for-cuda-runtime (certain)"]).says("525");
}

#[test]
fn a_build_for_the_processor() {
    let machine = workstation("one-gpu").torch(CPU);
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["torch-cpu-only-wheel (certain)"]).says("pip");
}

#[test]
fn the_uvm_node_is_made_on_demand() {
    let machine = workstation("one-gpu").with("uvm_node = uvm\nuvm_on_demand = yes").torch(CU124);
    machine.tree.remove("dev/nvidia-uvm");
    let checked = machine.check(&[]);
    checked.verdict("ready", 0).causes(&[]).clean();
    checked.says("/dev/nvidiactl, /dev/nvidia0 can be opened; /dev/nvidia-uvm is made when a program asks");
}

#[test]
fn the_uvm_node_is_missing_and_nothing_makes_it() {
    let machine = workstation("one-gpu").with("uvm_node = uvm").torch(CU124);
    machine.tree.remove("dev/nvidia-uvm").remove("usr/bin/nvidia-modprobe");
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1);
    assert_eq!(checked.report["root_causes"][0]["slug"], "nvidia-uvm-node-missing", "{}", checked.text);
}

#[test]
fn the_mask_hides_every_gpu() {
    let machine = workstation("one-gpu").torch(CU124).variable("CUDA_VISIBLE_DEVICES", "");
    machine.check(&[]).verdict("not_ready", 1).causes(&["cuda-visible-devices-hides-all (certain)"]);
    let machine = workstation("one-gpu").torch(CU124).variable("CUDA_VISIBLE_DEVICES", "-1");
    machine.check(&[]).verdict("not_ready", 1).causes(&["cuda-visible-devices-hides-all (certain)"]);
}

#[test]
fn the_mask_names_a_gpu_that_is_not_there() {
    let machine = eight("eight-gpus").torch(CU124).variable("CUDA_VISIBLE_DEVICES", "8");
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["cuda-visible-devices-out-of-range (certain)"]).says("numbers 0 to 7");
}

#[test]
fn a_mask_that_leaves_some_is_no_fault() {
    let machine = eight("eight-gpus").torch(CU124).variable("CUDA_VISIBLE_DEVICES", "2,3");
    machine.check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn wsl2() {
    let machine = Fake::new("wsl2").torch(CU124).tree(|tree| {
        tree.wsl2().link("/dev/null", "dev/dxg").remove("sys/module").remove("proc/modules");
    });
    machine.check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn jetson() {
    let build = Torch { version: "2.5.0a0", cuda: Some("12.6"), architectures: "sm_87 compute_87" };
    let machine = Fake::new("jetson-like").torch(build).tree(|tree| {
        tree.jetson().no_pci();
        for node in ["nvmap", "nvhost-gpu", "nvhost-ctrl-gpu"] {
            tree.link("/dev/null", &format!("dev/{node}"));
        }
    });
    machine.check(&[]).verdict("ready", 0).causes(&[]).clean();
}

#[test]
fn an_amd_gpu_and_a_build_for_cuda() {
    let machine = || {
        Fake::new("one-gpu").without_libraries().tree(|tree| {
            tree.radeon("0000:03:00.0", Some("amdgpu")).module_loaded("amdgpu", None);
        })
    };
    machine().torch(CU124).check(&[]).verdict("not_ready", 1).causes(&["amd-gpu-with-cuda-torch (certain)"]);
    machine().torch(CPU).check(&[]).verdict("not_ready", 1).causes(&["amd-gpu-with-cuda-torch (certain)"]);
}

#[test]
fn gvisor_without_a_pci_directory() {
    let machine = Fake::new("one-gpu").node("nvidiactl").node("nvidia0").node("nvidia-uvm").torch(CU124).tree(|tree| {
        tree.gvisor();
    });
    machine.check(&[]).verdict("ready", 0).causes(&[]);
    // And one that was given no GPU is not said to have none.
    let bare = Fake::new("one-gpu").without_libraries().tree(|tree| {
        tree.gvisor();
    });
    let checked = bare.check(&[]);
    assert_ne!(checked.report["verdict"], "ready");
    let slugs = checked.report["root_causes"].to_string();
    assert!(!slugs.contains("no-nvidia-gpu-present") && !slugs.contains("driver-not-installed"), "{}", checked.text);
}

#[test]
fn the_fabric_is_not_ready() {
    let machine = eight("fabric-not-ready").torch(CU124).tree(|tree| {
        for address in ["0000:05:00.0", "0000:06:00.0", "0000:07:00.0", "0000:08:00.0"] {
            tree.nvswitch(address);
        }
    });
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["fabric-manager-not-ready (certain)"]).says("fabricmanager");
}

#[test]
fn a_gpu_must_be_reset() {
    let machine = server("reset-required").node("nvidia1").torch(CU124).tree(|tree| {
        tree.h100(EIGHT[1], Some("nvidia")).gpu_information(EIGHT[1], "NVIDIA H100 80GB HBM3", 1);
    });
    let causes = ["gpu-reset-required (certain)", "ecc-uncorrectable-error (certain)"];
    machine.check(&[]).verdict("degraded", 0).causes(&causes).about(EIGHT[0]).says("1 problem, 1 warning");
    // The only one there is.
    let both = std::fs::read_to_string(machine.at("scenario")).expect("the scenario");
    let one = Fake::told(both.split("[gpu 1]").next().expect("the first")).driver(DATACENTRE, 1).torch(CU124);
    let one = one.tree(|tree| {
        tree.h100(EIGHT[0], Some("nvidia")).gpu_information(EIGHT[0], "NVIDIA H100 80GB HBM3", 0);
    });
    one.check(&[]).verdict("not_ready", 1).causes(&causes);
}

#[test]
fn memory_errors_are_a_warning() {
    let checked = server("ecc").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["ecc-uncorrectable-error (certain)"]);
}

#[test]
fn heat_and_a_narrow_link_are_warnings() {
    let checked = workstation("throttled").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["pcie-link-degraded (certain)", "power-cap-throttling (certain)"]);
}

#[test]
fn fewer_gpus_than_expected() {
    let machine = workstation("one-gpu").torch(CU124);
    machine.check(&["--expect-gpus", "2"]).verdict("degraded", 0).causes(&["fewer-gpus-than-expected"]);
    machine.check(&["--expect-gpus", "1"]).verdict("ready", 0).causes(&[]);
}

#[test]
fn without_any_framework_the_driver_is_judged() {
    let machine = workstation("one-gpu").package("nothing", "");
    machine.check(&[]).verdict("ready", 0).causes(&["torch-not-installed"]).says("note[");
    let checked = machine.check(&["--framework", "torch"]);
    checked.verdict("not_ready", 1).causes(&["torch-not-installed (certain)"]).says("error[");
}

#[test]
fn what_is_left_out_is_not_judged() {
    let machine = workstation("one-gpu").with("calls = calls").torch(CPU);
    let checked = machine.check(&["--skip", "framework", "--skip", "tensor"]);
    checked.verdict("ready", 0).causes(&[]).statuses("framework", &["deselected"]);
    let machine = workstation("one-gpu").with("calls = calls").torch(CPU);
    let checked = machine.check(&["--only", "nvml"]);
    checked.verdict("ready", 0).causes(&[]).statuses("nvml", &["pass"]).statuses("cuda-driver", &["deselected"]);
    assert!(!machine.calls().iter().any(|call| call.starts_with("cu")), "{:?}", machine.calls());
}

/// The script for machines with a real GPU holds on a machine that is played, so that it is known to run.
#[test]
fn the_script_for_real_machines() {
    let machine = workstation("one-gpu").torch(CU124);
    let command = machine.command(&[]);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/on-gpu.sh");
    let output = std::process::Command::new("bash")
        .arg(script)
        .arg(command.get_program())
        .args(command.get_args().skip(1))
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .expect("bash");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    if std::env::var_os("GPU_DOCTOR_TEST_SHOW").is_some() {
        eprintln!("{text}");
    }
    assert!(text.contains(" passed, 0 failed"), "{text}");
}
