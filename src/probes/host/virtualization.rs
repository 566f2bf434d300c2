//! Virtual machine or bare metal, by the words that systemd-detect-virt uses.

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;

const VENDOR: &str = "/sys/class/dmi/id/sys_vendor";
const PRODUCT: &str = "/sys/class/dmi/id/product_name";
const CPUINFO: &str = "/proc/cpuinfo";

/// Adds the hypervisor, or its absence; failed where nothing here would show one.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let vendor = machine.line(VENDOR).ok();
    let product = machine.line(PRODUCT).unwrap_or_default();
    if let Some(name) = vendor.as_deref().and_then(|vendor| by_dmi(vendor, &product)) {
        facts.seen(&host::VIRTUALIZATION, &here, name.to_string(), format!("{VENDOR}, {PRODUCT}"));
        return;
    }
    // Xen's first domain has the file as well, and is the host.
    let xen_host = machine.text("/proc/xen/capabilities").is_ok_and(|text| text.contains("control_d"));
    if let Ok(kind) = machine.line("/sys/hypervisor/type")
        && !xen_host
    {
        facts.seen(&host::VIRTUALIZATION, &here, kind, "/sys/hypervisor/type");
        return;
    }
    let tree = "/proc/device-tree/hypervisor/compatible";
    if let Ok(compatible) = machine.line(tree) {
        let name = if compatible.contains("xen") { "xen" } else { "kvm" };
        facts.seen(&host::VIRTUALIZATION, &here, name.to_string(), tree);
        return;
    }
    let flags = machine.text(CPUINFO).ok().and_then(|text| has_hypervisor_flag(&text));
    match flags {
        Some(true) if !xen_host => facts.seen(&host::VIRTUALIZATION, &here, "vm-other".to_string(), CPUINFO),
        Some(_) => facts.absent(&host::VIRTUALIZATION, &here, format!("{VENDOR}, {CPUINFO}")),
        None if vendor.is_some() => facts.absent(&host::VIRTUALIZATION, &here, VENDOR),
        None => facts.failed(&host::VIRTUALIZATION, &here, "neither DMI nor processor flags can be read", CPUINFO),
    }
}

/// By what the firmware calls the machine. Microsoft and Amazon also sell bare metal under their names.
fn by_dmi(vendor: &str, product: &str) -> Option<&'static str> {
    let has = |text: &str, word: &str| text.to_ascii_lowercase().contains(word);
    Some(match () {
        () if has(product, "kvm") || has(vendor, "red hat") || has(vendor, "openstack") => "kvm",
        () if has(vendor, "qemu") => "qemu",
        () if has(vendor, "vmware") => "vmware",
        () if has(vendor, "innotek") || has(product, "virtualbox") => "oracle",
        () if has(vendor, "microsoft") && has(product, "virtual machine") => "microsoft",
        () if has(vendor, "amazon ec2") && !has(product, "metal") => "amazon",
        () if has(product, "google compute engine") => "google",
        () if has(vendor, "xen") || has(product, "hvm domu") => "xen",
        () if has(vendor, "parallels") => "parallels",
        () if has(vendor, "bhyve") => "bhyve",
        () if has(vendor, "apple") && has(product, "virtualization") => "apple",
        () if has(vendor, "digitalocean") || has(vendor, "hetzner") && has(product, "vserver") => "kvm",
        () => return None,
    })
}

/// Whether the processor's flags name a hypervisor; nothing where there is no line of flags (ARM has none of this kind).
fn has_hypervisor_flag(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware_names_the_hypervisor() {
        assert_eq!(by_dmi("QEMU", "Standard PC (Q35 + ICH9, 2009)"), Some("qemu"));
        assert_eq!(by_dmi("Red Hat", "KVM"), Some("kvm"));
        assert_eq!(by_dmi("Microsoft Corporation", "Virtual Machine"), Some("microsoft"));
        assert_eq!(by_dmi("Microsoft Corporation", "Surface Book 3"), None);
        assert_eq!(by_dmi("Amazon EC2", "p5.48xlarge"), Some("amazon"));
        assert_eq!(by_dmi("Amazon EC2", "g4dn.metal"), None);
        assert_eq!(by_dmi("VMware, Inc.", "VMware7,1"), Some("vmware"));
        assert_eq!(by_dmi("NVIDIA", "DGXH100"), None);
    }

    #[test]
    fn processor_flags_show_any_hypervisor() {
        assert_eq!(has_hypervisor_flag("processor : 0\nflags\t\t: fpu vme hypervisor lahf_lm\n"), Some(true));
        assert_eq!(has_hypervisor_flag("processor : 0\nflags\t\t: fpu vme\n"), Some(false));
        assert_eq!(has_hypervisor_flag("processor\t: 0\nFeatures\t: fp asimd\n"), None);
    }
}
