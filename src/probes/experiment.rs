//! Repeating one probe with one thing changed: if it then works, that thing is the cause. In a child, and never with a
//! context on a GPU.

use super::python::{self, Child};
use super::run::driver_seen;
use super::{Plan, careful, cuda, note_end, nvml, varied};
use crate::facts::{Facts, Variant, pci};
use crate::machine::Machine;
use crate::machine::child::{Report, Spec};
use crate::machine::scratch::Scratch;

/// Variables that hide GPUs.
pub(super) const MASKS: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "ONEAPI_DEVICE_SELECTOR",
    "ZE_AFFINITY_MASK",
];

/// Variables that make the loader take other files.
pub(super) const LIBRARY_PATHS: &[&str] = &["LD_LIBRARY_PATH", "LD_PRELOAD"];

/// The probe that an experiment repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Loading libcuda, cuInit and the devices.
    Cuda,
    /// Loading NVML and its readings.
    Nvml,
    /// One framework in one interpreter.
    Python(Child),
}

/// Repeats one probe with one thing changed.
pub fn experiment(machine: &Machine, plan: &Plan, facts: &Facts, which: &Which, variant: Variant) -> Facts {
    let scratch = Scratch::new();
    let report = spec(machine, plan, facts, which, variant, &scratch).run();
    parse(machine, facts, which, &report).in_variant(variant)
}

fn spec(machine: &Machine, plan: &Plan, facts: &Facts, which: &Which, variant: Variant, scratch: &Scratch) -> Spec {
    let spec = match which {
        Which::Cuda => cuda::spec(plan.own(machine)),
        Which::Nvml => nvml::spec(plan.own(machine), facts),
        Which::Python(child) => careful(child.spec(machine.limit, scratch)),
    };
    varied(spec, Some(variant)).powers(driver_seen(machine))
}

fn parse(machine: &Machine, facts: &Facts, which: &Which, report: &Report) -> Facts {
    let mut found = Facts::new();
    match which {
        Which::Cuda => {
            cuda::parse(report, &mut found);
            note_end(report, cuda::NAME, &mut found);
        }
        Which::Nvml => {
            // The addresses on the bus name the GPUs; they are not part of what this saw.
            let bus = facts.iter().filter(|fact| fact.key == pci::VENDOR.name).cloned();
            found = bus.collect();
            nvml::parse(report, &[], &mut found);
            found.retain(|fact| fact.key != pci::VENDOR.name);
            note_end(report, nvml::NAME, &mut found);
        }
        Which::Python(child) => found.extend(python::read(machine, child, report, &Facts::new())),
    }
    found
}
