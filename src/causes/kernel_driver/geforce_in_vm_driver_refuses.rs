//! A consumer card in a guest, with a driver of the time when it declined to work under a hypervisor.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::given;
use crate::facts::{host, kernel, nvidia};
use crate::symptom::{AFTER_KERNEL_DRIVER, Kind};
use crate::tables::drivers::DriverVersion;

const MORE: &[Kind] = &[Kind::NvmlDevice, Kind::FewerGpusThanExpected];

/// The cause.
pub static CAUSE: Cause =
    Cause { page: include_str!("geforce-in-vm-driver-refuses.md"), explains: &[AFTER_KERNEL_DRIVER, MORE], assess };

/// From this branch on NVIDIA allows consumer cards in guests (announced with 465).
const ALLOWED: u32 = 465;

fn assess(case: &Case) -> Vec<Finding> {
    let facts = case.facts;
    let guest = facts.machine(&host::VIRTUALIZATION);
    let version = given::driver_version(facts);
    let old = version.as_deref().and_then(DriverVersion::parse).is_some_and(|v| v.branch < ALLOWED);
    let consumer = given::expected(facts).iter().any(|gpu| given::name(facts, gpu).contains("GeForce"));
    let hypervisor = guest.clone().seen().filter(|kind| kind != "microsoft" || facts.machine(&host::WSL).is_absent());
    let Some(hypervisor) = hypervisor.filter(|_| old && consumer) else { return Vec::new() };
    let finding = Finding::machine(Level::Supported)
        .because_of(&guest, format!("this is a guest of {hypervisor}, and the GPU is a GeForce"))
        .because_of(&facts.machine(&kernel::MODULE_VERSION), format!("the driver is {}", version.unwrap_or_default()))
        .because_of(&facts.machine(&nvidia::NVML_INIT), "the driver gives no GPU to use")
        .unknown(
            "whether the GPU works with driver 465 or newer, or with the hypervisor hidden",
            "sudo journalctl -k -b | grep -iE 'nvrm|nvidia'",
            &["geforce-in-vm-driver-refuses", "pci-bar-not-assigned", "passthrough-host-framebuffer-claims-gpu"],
        );
    vec![finding]
}
