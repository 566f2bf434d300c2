//! Which fields of which facts are identity, and which are technical and stay as they are. A field that is in neither list is
//! text: known shapes and learnt names are replaced in it.

use super::Kind;
use crate::facts::{asked, cuda, host, kernel, nvidia, pci, python, said};

/// How a field is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is technical: a version may look like an address.
    Plain,
    /// It may hold anything.
    Text,
    /// It is a name, as a whole.
    Name(Kind),
}

/// Fields that are identity as a whole; the field of a value that is no struct is empty.
const NAMES: &[(&str, &str, Kind)] = &[
    (host::USER_NAME.name, "", Kind::User),
    (host::NAME.name, "", Kind::Host),
    // Group names of the system are never learnt, and stay.
    (host::USER.name, "groups", Kind::Group),
];

/// Keys of which every field is technical.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    asked::FRAMEWORK.name, asked::DESELECTED.name,
    host::OS.name, host::DISTRO.name, host::PACKAGE_MANAGER.name, host::KERNEL.name, host::ARCH.name, host::VIRTUALIZATION.name,
    host::JETSON.name, host::PRODUCT.name, host::SELINUX.name, host::GPU_SWITCH.name, host::DEVICE_MOUNTS.name,
    pci::VENDOR.name, pci::DEVICE.name, pci::CLASS.name, pci::NAME.name, pci::ARCHITECTURE.name, pci::DRIVER.name, pci::IOMMU.name,
    pci::POWER.name,
    kernel::MODULES.name, kernel::MODULE_VERSION.name, kernel::MODULE_FLAVOUR.name, kernel::MODULE_PARAMS.name,
    kernel::MODULE_OTHER_KERNELS.name, kernel::LOCKDOWN.name, kernel::NODE.name, kernel::NODE_OPEN.name,
    kernel::GPU_INFORMATION.name,
    nvidia::NVML_DRIVER.name, nvidia::NVML_NAME.name, nvidia::NVML_CC.name, nvidia::NVML_COMPUTE_MODE.name,
    cuda::DEVICE.name, cuda::COMPUTE.name, cuda::TOOLKIT.name, cuda::NVCC.name, cuda::CUDART.name,
    python::BUILD.name, python::ARCHITECTURES.name, python::BACKENDS.name,
];

/// Fields that are technical in every key.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "version", "commit", "driver", "cuda", "hip", "xpu", "build", "conda_build", "codename", "manager", "chosen_by", "installer", "license",
    "engine", "scheduler", "how", "driver_version", "memory.total", "memory.used", "pci.bus_id",
];

/// How a field of a key is treated.
pub fn how(key: &str, field: &str) -> How {
    if let Some((_, _, kind)) = NAMES.iter().find(|(name, of, _)| *name == key && *of == field) {
        return How::Name(*kind);
    }
    // A package's name is no name of anybody; but what a text says under that word may be.
    let package = key == python::PACKAGE.name && field == "name" || key == python::DAMAGE.name && field == "package";
    match PLAIN.contains(&key) || package || FIELDS.contains(&field) && key != said::MESSAGE.name {
        true => How::Plain,
        false => How::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::catalogue;

    #[test]
    fn every_key_of_the_table_exists_once() {
        let known: Vec<&str> = catalogue().map(|key| key.name()).collect();
        for name in NAMES.iter().map(|(name, _, _)| name).chain(PLAIN) {
            assert!(known.contains(name), "{name}");
        }
        for (n, name) in PLAIN.iter().enumerate() {
            assert!(!PLAIN[..n].contains(name), "{name} twice");
        }
    }
}
