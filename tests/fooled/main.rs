//! Machines whose evidence looks like one cause and is another: what must be said of them, and what must not.

mod cards;
mod driver;
mod frameworks;
mod places;
mod remedies;

use gpu_doctor::causes::example;
use gpu_doctor::report::{Confidence, Report};

fn report(text: &str) -> Report {
    let facts = example::facts(text, false).unwrap_or_else(|e| panic!("{e}"));
    Report::of(facts, "2026-11-30T00:00:00Z".to_string())
}

/// Slug and confidence of each cause, in order.
fn causes(report: &Report) -> Vec<(&'static str, Confidence)> {
    report.root_causes.iter().map(|c| (c.slug, c.confidence)).collect()
}

fn slugs(report: &Report) -> Vec<&'static str> {
    report.root_causes.iter().map(|c| c.slug).collect()
}

/// A second card on the bus, driven by nvidia.
const SECOND: &str = r#"
pci.vendor gpu 0000:02:00.0 = "0x10de"
pci.device gpu 0000:02:00.0 = "0x2684"
pci.driver gpu 0000:02:00.0 = "nvidia"
pci.name gpu 0000:02:00.0 = "NVIDIA GeForce RTX 4090"
kernel.nvidia.gpu gpu 0000:01:00.0 = {"model": "NVIDIA GeForce RTX 4090", "minor": 0}
kernel.nvidia.gpu gpu 0000:02:00.0 = {"model": "NVIDIA GeForce RTX 4090", "minor": 1}
node.file file /dev/nvidia1 = {"kind": "char", "major": 195, "minor": 1, "mode": "666", "uid": 0, "gid": 0}
"#;

/// CUDA does not start, and nothing that needs it works.
const NO_CUDA: &str = r#"
- cuda.count
- cuda.device
- cuda.compute
- framework.tensor
framework.available framework torch@/home/u/venv = false
"#;

/// NVML lists no GPU.
const NO_NVML_GPU: &str = r#"
nvml.count = 0
- nvml.handle
- nvml.name
- nvml.uuid
- nvml.compute_capability
- nvml.memory
- nvml.compute_mode
- nvml.processes
- nvml.minor
"#;
