//! Virtual machines.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance};

/// The rows.
pub static ROWS: &[Message] = &[
    // Consumer cards in a guest: drivers before 465 looked for the hypervisor.
    circumstance(
        "hypervisor-is-hidden",
        &[
            "hidden state='on'",
            "hidden state=\"on\"",
            "hidden state = \"on\"",
            "kvm=off",
            "hidden=1",
            "hypervisor.cpuid.v0",
            "vendor_id state",
            "vendor_id value",
            "hv_vendor_id",
            "hide the hypervisor",
            "hiding the hypervisor",
            "hidden state",
            "-cpu host,kvm",
            "hidden kvm",
        ],
        &[
            ("geforce-in-vm-driver-refuses", Supports),
            ("passthrough-hypervisor-specific", Suggests),
            ("gpu-fell-off-bus", Against),
        ],
    ),
    // A guest.
    circumstance(
        "runs-in-a-guest",
        &[
            "proxmox",
            "vmware",
            "vsphere",
            "esxi ho",
            "esxi 6",
            "esxi 7",
            "esxi 8",
            "on esxi",
            "under esxi",
            "qemu-",
            "qemu/",
            "qemu vm",
            "kvm/qemu",
            "libvirt",
            "virt-manager",
            "hyper-v",
            "xenserver",
            "xcp-ng",
            "bhyve",
            "unraid",
            "passthrough",
            "pass-through",
            "pass through",
            "gpu in a vm",
            "virtual machine",
            "flags*hypervisor",
            "grep hypervisor",
            "hypervisor",
        ],
        &[("above-4g-decoding-disabled", Against), ("dgpu-disabled-in-firmware", Against)],
    ),
];
