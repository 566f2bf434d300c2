//! Cards that are handed to a guest.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // Handing a card to a guest: the firmware's console on the host holds its memory.
    fault(
        "kernel-driver",
        "vfio-cannot-reserve",
        &[
            "vfio-pci*can't reserve [mem",
            "vfio-pci*bar*can't reserve",
            "vfio_region_write*failed: device or resource busy",
            "vfio-pci: cannot reserve",
            "bar 1: can't reserve",
            "bar 3: can't reserve",
            "bar 0: can't reserve",
        ],
        &[("passthrough-host-framebuffer-claims-gpu", Supports)],
    ),
    circumstance(
        "host-framebuffer",
        &[
            "efifb:off",
            "vesafb:off",
            "simplefb:off",
            "initcall_blacklist=sysfb_init",
            "efi-framebuffer",
            "bootfb",
            "efifb",
            "unbind*vtcon",
        ],
        &[("passthrough-host-framebuffer-claims-gpu", Supports), ("geforce-in-vm-driver-refuses", Against)],
    ),
    // Windows' word for a device whose driver stopped it; the guest of a passthrough, as a rule.
    fault(
        "kernel-driver",
        "code-43",
        &["code 43", "error 43", "code43", "error code 43"],
        &[
            ("geforce-in-vm-driver-refuses", Suggests),
            ("passthrough-host-framebuffer-claims-gpu", Suggests),
            ("passthrough-hypervisor-specific", Suggests),
            ("pci-bar-not-assigned", Suggests),
        ],
    ),
    circumstance(
        "passthrough-is-used",
        &[
            "passthrough",
            "pass-through",
            "passed through",
            "vfio-pci",
            "proxmox",
            "virt-manager",
            "libvirt",
            "qemu-system",
            "virsh ",
        ],
        &[
            ("passthrough-hypervisor-specific", Suggests),
            ("passthrough-host-framebuffer-claims-gpu", Suggests),
            ("geforce-in-vm-driver-refuses", Suggests),
        ],
    ),
    // The same card works under another hypervisor.
    circumstance(
        "hypervisor-compared",
        &[
            "works under kvm",
            "works on kvm",
            "works with kvm",
            "works in proxmox",
            "works under proxmox",
            "works in vmware",
            "works on esxi",
            "works under esxi",
            "under kvm it works",
            "but not in xen",
            "xen hvm",
            "xcp-ng",
            "xenserver",
            "citrix hypervisor",
            "xen domu",
            "bhyve",
            "xen hypervisor",
            "hypervisor: xen",
            "full virtualization: xen",
            "under xen",
            "with xen",
            "on xen",
        ],
        &[("passthrough-hypervisor-specific", Supports)],
    ),
];
