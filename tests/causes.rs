//! What the causes promise together: every symptom has a name of last resort, one fault is one group, and what works is not
//! called broken.

use gpu_doctor::causes::{self, example};
use gpu_doctor::report::{Confidence, Report, RootCause, Severity, Verdict};
use gpu_doctor::symptom::Kind;

fn report(text: &str) -> Report {
    let facts = example::facts(text, false).unwrap_or_else(|e| panic!("{e}"));
    Report::of(facts, "2026-11-30T00:00:00Z".to_string())
}

fn find<'a>(report: &'a Report, slug: &str) -> &'a RootCause {
    let slugs: Vec<&str> = report.root_causes.iter().map(|c| c.slug).collect();
    report.root_causes.iter().find(|c| c.slug == slug).unwrap_or_else(|| panic!("no {slug} in {slugs:?}"))
}

fn judged(one: &example::Example) -> Report {
    Report::of(one.facts(false).unwrap_or_else(|e| panic!("{e}")), "2026-11-30T00:00:00Z".to_string())
}

/// Who is asked for a fact must be told between which causes it decides.
#[test]
fn questions_separate_causes_that_exist() {
    let mut wrong = Vec::new();
    for cause in causes::all() {
        for one in &example::examples(cause.page, cause.head().slug) {
            for unknown in judged(one).unknowns {
                wrong.extend(unknown.separates.into_iter().filter(|slug| causes::find(slug).is_none()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "no such causes: {wrong:?}");
}

#[test]
fn the_list_of_kinds_is_whole() {
    let last = Kind::ALL.len() - 1;
    assert_eq!(Kind::ALL[last] as usize, last, "a kind is missing from Kind::ALL, or not in its place");
    assert!(Kind::ALL.iter().enumerate().all(|(i, kind)| *kind as usize == i));
}

/// For every kind, a machine on which its check sees it, and as little else as may be.
fn machine_with(kind: Kind) -> &'static str {
    match kind {
        Kind::NoNvidiaGpu => "host.os = \"linux\"\npci.devices = 10",
        Kind::GpuNotAnswering => "from bare\npci.config_all_ones gpu 0000:01:00.0 = true",
        Kind::FewerGpusThanExpected => "from healthy\nasked.expect_gpus = 2",
        Kind::DriverNotLoaded => "from bare\nkernel.modules = []",
        Kind::BoundTo => "from bare\npci.driver gpu 0000:01:00.0 = \"other\"",
        Kind::Unclaimed => "from bare\nkernel.modules = [\"nvidia\"]\npci.driver gpu 0000:01:00.0 absent",
        Kind::NodeOpen => "from healthy\nnode.open file /dev/nvidiactl = \"EIO\"",
        Kind::NodeMissing => {
            "from healthy\nnode.open file /dev/nvidiactl absent\nnvml.init = 9\ncuda.init = 100\n- cuda.compute"
        }
        Kind::SmiMissing => "from healthy\nsmi.found absent\n- smi.run",
        Kind::SmiFails => {
            "from healthy\nsmi.run file /usr/bin/nvidia-smi = {\"exit\": 255, \"message\": \"Unknown Error\"}"
        }
        Kind::NvmlMissing => "from healthy\nnvml.library absent\n- nvml.init\n- nvml.count\n- nvml.handle",
        Kind::NvmlInit => "from healthy\nnvml.init = 17\n- nvml.count\n- nvml.handle",
        Kind::NvmlDevice => "from healthy\nnvml.handle gpu 0000:01:00.0 = 999",
        Kind::NvmlFewer => "from healthy\n- nvml.handle\nnvml.count = 0",
        Kind::MaskHidesAll => "from healthy\nhost.variable variable CUDA_VISIBLE_DEVICES = \"-1\"",
        Kind::MigEmpty => "from healthy\nnvml.mig gpu 0000:01:00.0 = {\"enabled\": true, \"pending\": true}",
        Kind::ComputeMode => "from bare\nnvml.compute_mode gpu 0000:01:00.0 = \"prohibited\"",
        Kind::LibcudaMissing => "from bare\nkernel.modules = [\"nvidia\"]\ncuda.library absent",
        Kind::LibcudaUnloadable => "from bare\nkernel.modules = [\"nvidia\"]\ncuda.library failed \"file too short\"",
        Kind::CuInit => "from bare\nkernel.modules = [\"nvidia\"]\ncuda.init = 999",
        Kind::CudaFewer => "from healthy\ncuda.count = 0\n- cuda.device\n- cuda.compute",
        Kind::RuntimeTooNew => {
            "from healthy\nkernel.nvidia.version = \"470.256.02\"\ncuda.driver_version = 11040\n- framework.tensor"
        }
        Kind::CudaCompute => "from healthy\ncuda.compute gpu 0000:01:00.0 = {\"stage\": \"compare\", \"code\": 0}",
        Kind::PythonBroken => "from bare\npython.broken environment /bin/false = \"it exits with 1 and says nothing\"",
        Kind::FrameworkMissing => "from bare\nframework.distribution framework jax@/home/u/venv absent",
        Kind::FrameworkImport => {
            "from bare\nframework.import framework jax@/home/u/venv = {\"ok\": false, \"error\": \"SystemExit\"}"
        }
        Kind::FrameworkCpuBuild => "from bare\nframework.build framework jax@/home/u/venv = {}",
        Kind::FrameworkSeesNoGpu => "from bare\nframework.available framework jax@/home/u/venv = false",
        Kind::ArchitectureMissing => {
            "from healthy\n- framework.tensor\nframework.architectures framework torch@/home/u/venv = [\"sm_90a\"]"
        }
        Kind::Tensor => {
            "from healthy\n- framework.tensor\nframework.tensor framework torch@/home/u/venv = {\"index\": 0, \"ok\": false, \"step\": \"compare\"}"
        }
        Kind::LibtorchTensor => {
            "from healthy\nlibtorch.tensor = {\"index\": 0, \"ok\": false, \"step\": \"compute\", \"code\": 700}"
        }
        Kind::MemoryErrors => "from bare\nnvml.ecc gpu 0000:01:00.0 = {\"remap_failure\": true}",
        Kind::ResetRequired => "from bare\nnvml.recovery_action gpu 0000:01:00.0 = 3",
        Kind::Xid => {
            "from bare\nkernel.log.line = \"NVRM: Xid: 154, GPU recovery action changed to 0x2 (Node Reboot Required)\""
        }
        Kind::Throttled => "from bare\nnvml.clock_reasons gpu 0000:01:00.0 = 4",
        Kind::NarrowLink => {
            "from bare\npci.link gpu 0000:01:00.0 = {\"speed_now\": 8.0, \"speed_max\": 16.0, \"width_now\": 1, \"width_max\": 16}"
        }
        Kind::LinksDown => {
            "from bare\npci.nvswitches = 4\nnvml.nvlinks gpu 0000:01:00.0 = [{\"link\": 0, \"active\": true}, {\"link\": 1, \"active\": false}]"
        }
        Kind::ProbeEnd => {
            "from bare\nprobe.end probe nvml = {\"how\": \"flooded\", \"stage\": \"nvmlInit\", \"detail\": \"too much\"}"
        }
        Kind::Said => {
            "host.os = \"linux\"\nsaid.message = {\"id\": \"torch-not-compiled-with-cuda\", \"text\": \"Torch not compiled with CUDA enabled\"}"
        }
        Kind::ProgramOnCpu => {
            "from bare\nprogram.found file /usr/bin/ollama = {\"name\": \"ollama\", \"running\": true}\nprogram.models file /usr/bin/ollama = [{\"name\": \"m\", \"processor\": \"100% CPU\", \"gpu_percent\": 0}]"
        }
        Kind::ProgramCpuBuild => {
            "from bare\npci.vendor gpu 0000:01:00.0 = \"0x10de\"\nlibtorch.build file /opt/libtorch = {\"version\": \"2.13.0+cpu\", \"cuda\": false, \"hip\": false, \"chosen_by\": \"LIBTORCH\"}"
        }
        Kind::NoPython => "from bare\npython.none_found = [\"PATH\"]\nasked.framework = \"torch\"",
    }
}

/// Symptoms that no root cause of a report explains.
fn unexplained(report: &Report) -> Vec<String> {
    let explained: Vec<_> = report.root_causes.iter().flat_map(|c| &c.explains).collect();
    let all = report.checks.iter().flat_map(|row| row.symptoms.iter().map(move |symptom| (row, symptom)));
    let left = all.filter(|(row, symptom)| {
        !explained.iter().any(|o| o.check == row.id && o.subject == row.subject && o.symptom == **symptom)
    });
    left.map(|(row, symptom)| format!("{symptom} of {}", row.subject)).collect()
}

/// What no known cause explains gets a name of last resort: nothing fails without a root cause.
#[test]
fn every_kind_of_symptom_is_explained() {
    let mut wrong = Vec::new();
    for kind in Kind::ALL {
        let report = report(machine_with(kind));
        let there = report.checks.iter().flat_map(|row| &row.symptoms).any(|symptom| symptom.kind == kind);
        if !there {
            wrong.push(format!("{}: its check does not say so", kind.name()));
        }
        wrong.extend(unexplained(&report).iter().map(|left| format!("{}: no cause for {left}", kind.name())));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_example_leaves_a_symptom_unexplained() {
    let mut wrong = Vec::new();
    for cause in causes::all() {
        let head = cause.head();
        for (number, one) in example::examples(cause.page, head.slug).iter().enumerate() {
            let left = unexplained(&judged(one));
            wrong.extend(left.iter().map(|left| format!("{} example {}: {left}", head.slug, number + 1)));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

const DRIVER_535: &str = r#"from healthy
kernel.nvidia.version = "535.183.01"
nvml.driver_version = "535.183.01"
nvml.cuda_version = 12020
smi.run file /usr/bin/nvidia-smi = {"exit": 0, "message": "", "driver": "535.183.01", "cuda": "12.2"}
library.file file /usr/lib/x86_64-linux-gnu/libcuda.so.1 = {"name": "libcuda", "target": "/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01", "version": "535.183.01"}
library.file file /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 = {"name": "libnvidia-ml", "target": "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.183.01", "version": "535.183.01"}
nvml.library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.183.01"
cuda.library = {"path": "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "target": "/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01", "version": "535.183.01"}
cuda.driver_version = 12020
"#;

const NO_GPU_IN_TORCH: &str = r#"- framework.tensor
framework.available framework torch@/home/u/venv = false
framework.device_count framework torch@/home/u/venv = 0
"#;

#[test]
fn a_driver_of_the_same_cuda_family_is_ready() {
    let build = "framework.build framework torch@/home/u/venv = {\"cuda\": \"12.8\"}";
    let report = report(&format!("{DRIVER_535}{build}"));
    assert_eq!(report.verdict, Verdict::Ready);
    assert!(report.root_causes.is_empty(), "{:?}", report.root_causes);
}

#[test]
fn code_for_an_earlier_minor_version_is_ready() {
    // The card is an sm_89, the build has sm_86.
    let report = report("from healthy\nframework.architectures framework torch@/home/u/venv = [\"sm_80\", \"sm_86\"]");
    assert_eq!(report.verdict, Verdict::Ready);
    assert!(report.root_causes.is_empty(), "{:?}", report.root_causes);
}

/// torch says "driver too old (found version 12020)" whenever its own CUDA is newer; cuInit's code is the truth.
#[test]
fn the_sentence_of_torch_is_not_believed_over_cuinit() {
    let said = "framework.message framework torch@/home/u/venv = \"The NVIDIA driver on your system is too old (found version 12020).\"\nframework.build framework torch@/home/u/venv = {\"cuda\": \"12.8\"}\ncuda.init = 304\n- cuda.count\n- cuda.device\n- cuda.compute\n";
    let report = report(&format!("{DRIVER_535}{NO_GPU_IN_TORCH}{said}"));
    let slugs: Vec<&str> = report.root_causes.iter().map(|c| c.slug).collect();
    assert_eq!(slugs, ["cuda-init-fails"]);
}

#[test]
fn closed_nodes_come_before_a_build_that_is_too_new_as_well() {
    let nodes = "node.open file /dev/nvidiactl = \"EACCES\"\nnode.open file /dev/nvidia0 = \"EACCES\"\nnode.file file /dev/nvidiactl = {\"kind\": \"char\", \"major\": 195, \"minor\": 255, \"mode\": \"660\", \"uid\": 0, \"gid\": 44, \"group\": \"video\"}\nhost.user = {\"uid\": 1000, \"gid\": 1000, \"groups\": [[1000, null]]}\nnvml.init = 4\n- nvml.count\n- nvml.handle\ncuda.init = 100\n- cuda.count\n- cuda.device\n- cuda.compute\n";
    let report = report(&format!("{DRIVER_535}{NO_GPU_IN_TORCH}{nodes}"));
    let slugs: Vec<&str> = report.root_causes.iter().map(|c| c.slug).collect();
    assert_eq!(slugs, ["device-node-permission", "driver-too-old-for-cuda-runtime"]);
    let names = |cause: &RootCause| cause.explains.iter().map(|o| o.symptom.to_string()).collect::<Vec<_>>();
    assert!(names(&report.root_causes[0]).contains(&"framework-sees-no-gpu".to_string()));
    assert_eq!(names(&report.root_causes[1]), ["runtime-too-new(13.0)"]);
}

#[test]
fn a_cpu_build_behind_a_dead_driver_is_a_second_group() {
    let report = report("from no-driver\nframework.build framework torch@/home/u/venv = {}");
    let wheel = find(&report, "torch-cpu-only-wheel");
    assert_eq!((wheel.severity, wheel.confidence), (Severity::Error, Confidence::Certain));
    let others: Vec<&RootCause> = report.root_causes.iter().filter(|c| c.slug != "torch-cpu-only-wheel").collect();
    assert!(!others.is_empty() && others.iter().all(|c| c.group != wheel.group));
    assert_eq!(report.verdict, Verdict::NotReady);
}

#[test]
fn a_cpu_build_gets_the_command_of_whoever_manages_the_environment() {
    for (manager, starts) in [
        (
            "pip",
            "/home/u/venv/bin/python -m pip uninstall -y torch torchvision torchaudio && /home/u/venv/bin/python -m pip install torch",
        ),
        (
            "uv",
            "uv pip uninstall --python /home/u/venv/bin/python torch torchvision torchaudio; uv pip install --python /home/u/venv/bin/python torch",
        ),
        ("conda", "conda install -p /home/u/venv -c conda-forge"),
        ("poetry", "poetry remove torch; poetry remove torchvision; poetry remove torchaudio; poetry add torch"),
        (
            "pixi",
            "pixi workspace system-requirements add cuda 13.0 && pixi add \"pytorch=*=cuda*\" \"cuda-version=13\"",
        ),
        ("system", "/home/u/venv/bin/python -m venv ~/gpu-env && ~/gpu-env/bin/python -m pip install torch"),
    ] {
        let report = report(&format!(
            "from healthy\n{NO_GPU_IN_TORCH}framework.build framework torch@/home/u/venv = {{}}\npython.interpreter environment /home/u/venv = {{\"path\": \"/home/u/venv/bin/python\", \"version\": \"3.12.3\", \"prefix\": \"/home/u/venv\", \"bits\": 64, \"chosen_by\": \"PATH\", \"manager\": \"{manager}\"}}\nframework.distribution framework torch@/home/u/venv = {{\"version\": \"2.13.0\", \"location\": \"/x\", \"installer\": \"{manager}\"}}"
        ));
        let steps = &find(&report, "torch-cpu-only-wheel").remedy.steps;
        let commands: Vec<&str> = steps.iter().filter_map(|s| s.command.as_deref()).collect();
        assert!(commands.iter().any(|c| c.starts_with(starts)), "{manager}: {commands:?}");
    }
}

#[test]
fn an_old_driver_gets_the_index_that_it_can_run() {
    let build = "framework.build framework torch@/home/u/venv = {}";
    let report = report(&format!("{DRIVER_535}{NO_GPU_IN_TORCH}{build}"));
    let steps = &find(&report, "torch-cpu-only-wheel").remedy.steps;
    let wanted =
        "/home/u/venv/bin/python -m pip install \"torch<2.15\" --index-url https://download.pytorch.org/whl/cu126";
    let fits = |command: &str| command.ends_with(wanted) && command.contains("pip uninstall -y torch");
    assert!(steps.iter().any(|s| s.command.as_deref().is_some_and(fits)), "{steps:?}");
}

#[test]
fn torch_that_is_not_there_is_a_note_unless_it_was_asked_for() {
    let without = "from healthy\nframework.distribution framework torch@/home/u/venv absent\n- framework.build\n- framework.import\n- framework.architectures\n- framework.available\n- framework.device_count\n- framework.tensor\n";
    let missing = report(without);
    assert_eq!(find(&missing, "torch-not-installed").severity, Severity::Note);
    assert_eq!(missing.verdict, Verdict::Ready);
    let asked = report(&format!("{without}asked.framework = \"torch\""));
    assert_eq!(find(&asked, "torch-not-installed").severity, Severity::Error);
    assert_eq!(asked.verdict, Verdict::NotReady);
}

#[test]
fn an_idle_link_and_idle_clocks_are_silent() {
    let report = report(
        "from healthy\nnvml.pcie gpu 0000:01:00.0 = {\"generation\": 1, \"generation_max\": 4, \"width\": 16, \"width_max\": 16}\nnvml.clock_reasons gpu 0000:01:00.0 = 1\npci.link gpu 0000:01:00.0 = {\"speed_now\": 2.5, \"speed_max\": 16.0, \"width_now\": 16, \"width_max\": 16}",
    );
    assert_eq!(report.verdict, Verdict::Ready);
    assert!(report.root_causes.is_empty(), "{:?}", report.root_causes);
}

#[test]
fn a_full_load_at_the_own_power_limit_is_silent() {
    let at = |limit: u32| {
        report(&format!(
            "from healthy\nnvml.clock_reasons gpu 0000:01:00.0 = 4\nnvml.power gpu 0000:01:00.0 = {{\"now\": 449.0, \"limit\": {limit}.0, \"default_limit\": 450.0}}"
        ))
    };
    assert_eq!(at(450).verdict, Verdict::Ready);
    let lowered = at(300);
    assert_eq!(lowered.verdict, Verdict::Degraded);
    assert_eq!(find(&lowered, "power-cap-throttling").confidence, Confidence::Certain);
}

#[test]
fn warnings_never_make_a_working_machine_not_ready() {
    let report = report(
        "from healthy\nnvml.ecc gpu 0000:01:00.0 = {\"enabled\": true, \"uncorrected_volatile\": 1}\nnvml.clock_reasons gpu 0000:01:00.0 = 128\nkernel.log = 10\nkernel.log.line = \"NVRM: Xid (PCI:0000:01:00): 62, pid=1\"",
    );
    assert_eq!(report.verdict, Verdict::Degraded);
    assert!(report.root_causes.iter().all(|c| c.severity == Severity::Warning), "{:?}", report.root_causes);
    assert_eq!(report.root_causes.len(), 3);
}

#[test]
fn missing_nvidia_libraries_are_named_with_the_exception() {
    let report = report(
        "from healthy\nframework.import framework torch@/home/u/venv = {\"ok\": false, \"error\": \"ValueError\", \"message\": \"libcublasLt.so.*[0-9] not found in the system path ['/usr/lib']\"}\n- framework.architectures\n- framework.available\n- framework.device_count\n- framework.tensor",
    );
    let cause = find(&report, "torch-import-fails");
    assert!(cause.message.contains("ValueError: libcublasLt.so.*[0-9] not found"), "{}", cause.message);
    assert!(cause.remedy.steps.iter().any(|s| s.command.as_deref().is_some_and(|c| c.contains("torch==2.13.0"))));
}

#[test]
fn the_stub_of_nvml_beside_the_stub_of_libcuda_is_no_missing_driver() {
    let report = report(&format!(
        "from healthy\nhost.variable variable LD_LIBRARY_PATH = \"/usr/local/cuda/lib64/stubs\"\nnvml.library = \"/usr/local/cuda/lib64/stubs/libnvidia-ml.so\"\nnvml.init = 9\ncuda.library = {{\"path\": \"/usr/local/cuda/lib64/stubs/libcuda.so\", \"target\": \"/usr/local/cuda/lib64/stubs/libcuda.so\"}}\ncuda.init = 34\ncuda.init in without-library-path = 0\n- cuda.count\n- cuda.device\n- cuda.compute\n{NO_GPU_IN_TORCH}"
    ));
    let slugs: Vec<&str> = report.root_causes.iter().map(|c| c.slug).collect();
    assert_eq!(slugs, ["libcuda-stub-loaded"]);
    let steps = &report.root_causes[0].remedy.steps;
    assert_eq!(steps[0].command.as_deref(), Some("unset LD_LIBRARY_PATH"));
}

#[test]
fn a_notebook_of_a_cloud_is_told_where_its_accelerator_is_chosen() {
    let machine = "host.os = \"linux\"\npci.devices = 10\nhost.virtualization = \"kvm\"";
    let of = |variable: &str| {
        let report = report(&format!("{machine}\nhost.variable variable {variable} = \"set\""));
        let steps = &find(&report, "no-nvidia-gpu-present").remedy.steps;
        steps.iter().map(|step| step.text.clone()).collect::<Vec<_>>().join(" ")
    };
    assert!(of("COLAB_RELEASE_TAG").contains("Change runtime type"));
    assert!(of("KAGGLE_KERNEL_RUN_TYPE").contains("under \"Accelerator\""));
    assert!(of("SLURM_LOCALID").contains("attach one"));
}

#[test]
fn a_notebooks_kernel_is_started_again_after_an_install() {
    let report = report(&format!(
        "from healthy\n{NO_GPU_IN_TORCH}framework.build framework torch@/home/u/venv = {{}}\npython.environment environment /home/u/venv = {{\"path\": \"/home/u/venv/bin/python\", \"names\": [\"kernel ml\"], \"in_use\": true, \"manager\": \"pip\"}}"
    ));
    let steps = &find(&report, "torch-cpu-only-wheel").remedy.steps;
    let command = steps[0].command.as_deref().unwrap_or_default();
    // Into the kernel's own interpreter.
    assert!(command.contains("/home/u/venv/bin/python -m pip install"), "{command}");
    assert!(steps.last().is_some_and(|step| step.text.contains("Restart the notebook's kernel")), "{steps:?}");
}
