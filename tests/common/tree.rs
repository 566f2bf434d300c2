//! Trees of files that describe a machine, for `--root` (an image) and `--root-live`: /sys, /proc, /etc, /lib/modules, /dev.
//!
//! ```ignore
//! let tree = Tree::new();
//! tree.gpu("0000:01:00.0", "0x10de", "0x2684", "0x030000", None).kernel("6.8.0-40-generic").ubuntu();
//! doctor().args(["check", "--root-live", "--root"]).arg(tree.path());
//! ```
//!
//! A new tree is a bare-metal x86-64 machine with Debian 12, kernel 6.1.0-18-amd64 without a driver, and no GPU on its bus.
//! Links inside are relative, so that they hold with and without a moved root.
#![allow(clippy::disallowed_methods, dead_code)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The kernel that runs in a new tree.
pub const KERNEL: &str = "6.1.0-18-amd64";

/// A described machine in a folder that goes with it.
pub struct Tree {
    folder: tempfile::TempDir,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// A machine without GPU and driver.
    pub fn new() -> Tree {
        let tree = Tree { folder: tempfile::tempdir().expect("a folder") };
        tree.file("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme de pse tsc msr\n")
            .file("proc/devices", "Character devices:\n  1 mem\n  5 /dev/tty\n\nBlock devices:\n  8 sd\n")
            .file("proc/modules", "ext4 1024000 1 - Live 0x0000000000000000\n")
            .file("proc/version", "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org)\n")
            .file("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n")
            .file("proc/self/mountinfo", "27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n")
            .file("sys/class/dmi/id/sys_vendor", "ASUSTeK COMPUTER INC.\n")
            .file("sys/class/dmi/id/product_name", "ROG STRIX\n")
            .file("sys/firmware/acpi/tables/.keep", "")
            .folder("sys/module/ext4")
            .folder("etc/modprobe.d")
            .folder("var/lib/dkms")
            .folder("dev")
            .cmdline("BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet")
            .pci("0000:00:00.0", "0x8086", "0xa700", "0x060000", Some("skl_uncore"))
            .kernel(KERNEL)
            .debian();
        tree
    }

    /// Its folder, for `--root`.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where a path of the machine lies.
    pub fn at(&self, path: &str) -> PathBuf {
        self.path().join(path.trim_start_matches('/'))
    }

    // ---- files ----

    /// A file with this text.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Tree {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("create the folder");
        std::fs::write(path, text).expect("write the file");
        self
    }

    /// An empty folder.
    pub fn folder(&self, path: &str) -> &Tree {
        std::fs::create_dir_all(self.at(path)).expect("create the folder");
        self
    }

    /// A symbolic link with this text.
    pub fn link(&self, target: impl AsRef<Path>, path: &str) -> &Tree {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("create the folder");
        let _ = std::fs::remove_file(&path);
        symlink(target, path).expect("make the link");
        self
    }

    /// A program with these permissions (octal).
    pub fn program(&self, path: &str, text: &str, mode: u32) -> &Tree {
        self.file(path, text);
        std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(mode)).expect("set the permissions");
        self
    }

    /// Takes a file or a folder away.
    pub fn remove(&self, path: &str) -> &Tree {
        let path = self.at(path);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path).expect("remove the folder"),
            Ok(_) => std::fs::remove_file(path).expect("remove the file"),
            Err(_) => {}
        }
        self
    }

    // ---- PCI ----

    /// A function of the PCI bus.
    pub fn pci(&self, address: &str, vendor: &str, device: &str, class: &str, driver: Option<&str>) -> &Tree {
        let at = format!("sys/bus/pci/devices/{address}");
        let number =
            |text: &str| u16::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number").to_le_bytes();
        let mut config = vec![0u8; 64];
        config[..2].copy_from_slice(&number(vendor));
        config[2..4].copy_from_slice(&number(device));
        self.file(&format!("{at}/vendor"), format!("{vendor}\n"))
            .file(&format!("{at}/device"), format!("{device}\n"))
            .file(&format!("{at}/class"), format!("{class}\n"))
            .file(&format!("{at}/config"), config)
            .file(&format!("{at}/power_state"), "D0\n")
            .file(&format!("{at}/power/control"), "on\n")
            .file(&format!("{at}/power/runtime_status"), "active\n");
        match driver {
            Some(name) => {
                self.folder(&format!("sys/bus/pci/drivers/{name}"));
                self.link(format!("../../drivers/{name}"), &format!("{at}/driver"))
            }
            None => self,
        }
    }

    /// A display controller with a PCIe link of 16 GT/s and 16 lanes, and two memory windows.
    pub fn gpu(&self, address: &str, vendor: &str, device: &str, class: &str, driver: Option<&str>) -> &Tree {
        let windows = "0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200\n\
                       0x0000006000000000 0x00000067ffffffff 0x000000000014220c\n\
                       0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
        let at = format!("sys/bus/pci/devices/{address}");
        self.pci(address, vendor, device, class, driver)
            .file(&format!("{at}/resource"), windows)
            .file(&format!("{at}/current_link_speed"), "16.0 GT/s PCIe\n")
            .file(&format!("{at}/max_link_speed"), "16.0 GT/s PCIe\n")
            .file(&format!("{at}/current_link_width"), "16\n")
            .file(&format!("{at}/max_link_width"), "16\n")
    }

    /// GeForce RTX 4090 (Ada, 8.9).
    pub fn rtx_4090(&self, address: &str, driver: Option<&str>) -> &Tree {
        self.gpu(address, "0x10de", "0x2684", "0x030000", driver)
    }

    /// GeForce RTX 5090 (Blackwell, 12.0).
    pub fn rtx_5090(&self, address: &str, driver: Option<&str>) -> &Tree {
        self.gpu(address, "0x10de", "0x2b85", "0x030000", driver)
    }

    /// Tesla K80 (Kepler, 3.7).
    pub fn tesla_k80(&self, address: &str, driver: Option<&str>) -> &Tree {
        self.gpu(address, "0x10de", "0x102d", "0x030200", driver)
    }

    /// H100 SXM5 (Hopper, 9.0).
    pub fn h100(&self, address: &str, driver: Option<&str>) -> &Tree {
        self.gpu(address, "0x10de", "0x2330", "0x030200", driver)
    }

    /// Radeon RX 7900 XTX.
    pub fn radeon(&self, address: &str, driver: Option<&str>) -> &Tree {
        self.gpu(address, "0x1002", "0x744c", "0x030000", driver)
    }

    /// An NVSwitch of an H100 board.
    pub fn nvswitch(&self, address: &str) -> &Tree {
        self.pci(address, "0x10de", "0x22a3", "0x068000", None)
    }

    /// Lets configuration space of a function read all ones: the device no longer answers.
    pub fn gone(&self, address: &str) -> &Tree {
        self.file(&format!("sys/bus/pci/devices/{address}/config"), [0xff; 64])
    }

    /// No PCI directory at all (gVisor, some containers).
    pub fn no_pci(&self) -> &Tree {
        self.remove("sys/bus/pci")
    }

    // ---- kernel and driver ----

    /// The running kernel, with a folder for its modules and its headers.
    pub fn kernel(&self, release: &str) -> &Tree {
        self.file("proc/sys/kernel/osrelease", format!("{release}\n"))
            .folder(&format!("lib/modules/{release}/kernel"))
            .file(&format!("lib/modules/{release}/build/Makefile"), "")
    }

    /// Takes the headers of a kernel away.
    pub fn no_headers(&self, release: &str) -> &Tree {
        self.remove(&format!("lib/modules/{release}/build"))
    }

    /// A loaded module; the version is that of its `version` file.
    pub fn module_loaded(&self, name: &str, version: Option<&str>) -> &Tree {
        let listed = std::fs::read_to_string(self.at("proc/modules")).unwrap_or_default();
        self.file("proc/modules", format!("{name} 56000000 2 - Live 0x0000000000000000\n{listed}"));
        self.folder(&format!("sys/module/{name}"));
        match version {
            Some(version) => self.file(&format!("sys/module/{name}/version"), format!("{version}\n")),
            None => self,
        }
    }

    /// NVIDIA's loaded driver: nvidia and nvidia_uvm, the closed flavour, its pages under /proc and its device numbers.
    pub fn driver_loaded(&self, version: &str) -> &Tree {
        self.module_loaded("nvidia", Some(version))
            .module_loaded("nvidia_uvm", Some(version))
            .file(
                "proc/driver/nvidia/version",
                format!(
                    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Sun May 12 19:39:15 UTC 2024\n\
                     GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"
                ),
            )
            .file("proc/driver/nvidia/params", "ModifyDeviceFiles: 1\nDeviceFileMode: 438\nEnableGpuFirmware: 18\n")
            .file(
                "proc/devices",
                "Character devices:\n  1 mem\n195 nvidia\n195 nvidia-modeset\n195 nvidiactl\n510 nvidia-uvm\n\n\
                 Block devices:\n  8 sd\n",
            )
    }

    /// The driver's page on a GPU.
    pub fn gpu_information(&self, address: &str, model: &str, minor: u32) -> &Tree {
        self.file(
            &format!("proc/driver/nvidia/gpus/{address}/information"),
            format!(
                "Model: \t\t {model}\nIRQ:   \t\t 100\nBus Location: \t {address}\nDevice Minor: \t {minor}\n\
                 GPU Excluded:\t No\n"
            ),
        )
    }

    /// A module file for a kernel: `place` is the path under the kernel's folder, as `updates/dkms/nvidia.ko`.
    pub fn module_file(&self, kernel: &str, place: &str, module: &Module) -> &Tree {
        self.file(&format!("lib/modules/{kernel}/{place}"), module.bytes())
    }

    /// What DKMS keeps of a driver: the kernels for which it is built.
    pub fn dkms(&self, module: &str, version: &str, built_for: &[&str]) -> &Tree {
        let at = format!("var/lib/dkms/{module}/{version}");
        self.folder(&format!("{at}/source"));
        for kernel in built_for {
            self.file(&format!("{at}/{kernel}/x86_64/module/{module}.ko"), "");
        }
        self
    }

    /// The log that a failed build of DKMS leaves.
    pub fn dkms_failed(&self, module: &str, version: &str, kernel: &str, lines: &str) -> &Tree {
        self.dkms(module, version, &[]).file(
            &format!("var/lib/dkms/{module}/{version}/build/make.log"),
            format!("DKMS make.log for {module}-{version} for kernel {kernel} (x86_64)\n{lines}\n"),
        )
    }

    /// A file in /etc/modprobe.d.
    pub fn modprobe_d(&self, name: &str, text: &str) -> &Tree {
        self.file(&format!("etc/modprobe.d/{name}"), text)
    }

    /// The arguments of the kernel.
    pub fn cmdline(&self, line: &str) -> &Tree {
        self.file("proc/cmdline", format!("{line}\n"))
    }

    /// Secure Boot on or off, with the lockdown that Debian and Ubuntu couple to it.
    pub fn secure_boot(&self, on: bool) -> &Tree {
        let lockdown = if on { "none [integrity] confidentiality\n" } else { "[none] integrity confidentiality\n" };
        self.file(
            "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
            [6, 0, 0, 0, u8::from(on)],
        )
        .file("sys/kernel/security/lockdown", lockdown)
    }

    /// The kernel log, by lines of dmesg. A machine without it is one on which it cannot be read.
    pub fn kmsg(&self, lines: &[&str]) -> &Tree {
        self.file("dev/kmsg", lines.join("\n") + "\n")
    }

    /// How often it came back from suspend.
    pub fn suspends(&self, count: u64) -> &Tree {
        self.file("sys/power/suspend_stats/success", format!("{count}\n"))
    }

    /// nvidia-modprobe, setuid (where the tester is root) or not.
    pub fn nvidia_modprobe(&self, setuid: bool) -> &Tree {
        self.program("usr/bin/nvidia-modprobe", "#!/bin/sh\n", if setuid { 0o4755 } else { 0o755 })
    }

    /// Driver libraries of a version in the loader's folder, as files that cannot be loaded.
    pub fn libraries(&self, version: &str) -> &Tree {
        let folder = "usr/lib/x86_64-linux-gnu";
        for name in ["libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"] {
            self.file(&format!("{folder}/{name}.so.{version}"), b"\x7fELF\x02\x01\x01")
                .link(format!("{name}.so.{version}"), &format!("{folder}/{name}.so.1"));
        }
        self
    }

    // ---- device nodes ----

    /// /dev is that of the tester, where nodes may be staged.
    pub fn live_dev(&self) -> &Tree {
        self.remove("dev").link("/dev", "dev")
    }

    // ---- distributions ----

    fn distro(&self, os_release: &str, program: &str) -> &Tree {
        for program in ["usr/bin/apt-get", "usr/bin/dnf", "usr/bin/pacman", "usr/bin/zypper", "sbin/apk"] {
            self.remove(program);
        }
        self.file("etc/os-release", os_release).program(program, "#!/bin/sh\n", 0o755)
    }

    /// Debian 12.
    pub fn debian(&self) -> &Tree {
        let text =
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\nID=debian\n";
        self.distro(text, "usr/bin/apt-get")
    }

    /// Ubuntu 24.04.
    pub fn ubuntu(&self) -> &Tree {
        let text = "PRETTY_NAME=\"Ubuntu 24.04.2 LTS\"\nVERSION_ID=\"24.04\"\nVERSION_CODENAME=noble\nID=ubuntu\n\
                    ID_LIKE=debian\n";
        self.distro(text, "usr/bin/apt-get")
    }

    /// Fedora 43.
    pub fn fedora(&self) -> &Tree {
        let text = "PRETTY_NAME=\"Fedora Linux 43 (Workstation Edition)\"\nVERSION_ID=43\nID=fedora\n";
        self.distro(text, "usr/bin/dnf")
    }

    /// Arch Linux.
    pub fn arch(&self) -> &Tree {
        self.distro("PRETTY_NAME=\"Arch Linux\"\nID=arch\nBUILD_ID=rolling\n", "usr/bin/pacman")
    }

    /// openSUSE Tumbleweed.
    pub fn opensuse(&self) -> &Tree {
        let text = "PRETTY_NAME=\"openSUSE Tumbleweed\"\nVERSION_ID=\"20261120\"\nID=\"opensuse-tumbleweed\"\n\
                    ID_LIKE=\"opensuse suse\"\n";
        self.distro(text, "usr/bin/zypper")
    }

    // ---- other kinds of machine ----

    /// WSL2: its kernel, /dev/dxg and its folder of libraries; no NVIDIA function on the bus.
    pub fn wsl2(&self) -> &Tree {
        self.kernel("5.15.167.4-microsoft-standard-WSL2")
            .file("dev/dxg", "")
            .folder("usr/lib/wsl/lib")
            .file("proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n")
    }

    /// NVIDIA Jetson AGX Orin.
    pub fn jetson(&self) -> &Tree {
        self.kernel("5.15.148-tegra")
            .file("proc/device-tree/model", "NVIDIA Jetson AGX Orin Developer Kit\0")
            .file(
                "etc/nv_tegra_release",
                "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64\n",
            )
            .file("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n")
            .module_loaded("nvgpu", None)
            .remove("sys/class/dmi")
    }

    /// A virtual machine of KVM.
    pub fn kvm(&self) -> &Tree {
        self.file("sys/class/dmi/id/sys_vendor", "QEMU\n").file("sys/class/dmi/id/product_name", "KVM\n")
    }

    /// A Docker container: two signals, and no modules of its own.
    pub fn docker(&self) -> &Tree {
        let mounts = "1200 1100 254:1 /var/lib/docker/containers/3f4e/resolv.conf /etc/resolv.conf rw - ext4 /dev/vda1 rw\n\
                      1100 900 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB\n";
        self.file(".dockerenv", "")
            .file("proc/self/mountinfo", mounts)
            .file("proc/self/cgroup", "0::/\n")
            .remove("lib/modules")
            .remove("sys/firmware")
            .folder("sys/firmware")
    }

    /// A Podman container.
    pub fn podman(&self) -> &Tree {
        self.file("run/.containerenv", "engine=\"podman-4.3.1\"\nrootless=0\n")
            .file(
                "proc/self/mountinfo",
                "1100 900 0:50 / / rw - overlay overlay rw,lowerdir=/var/lib/containers/storage/a\n",
            )
            .remove("lib/modules")
    }

    /// A pod of Kubernetes, by its control group and the account that is mounted into it.
    pub fn kubernetes(&self) -> &Tree {
        self.file("proc/self/cgroup", "0::/kubepods.slice/kubepods-pod12.slice/cri-containerd-3f4e.scope\n")
            .file("run/secrets/kubernetes.io/serviceaccount/namespace", "default")
            .remove("lib/modules")
    }

    /// gVisor: its kernel, no modules, no PCI directory.
    pub fn gvisor(&self) -> &Tree {
        self.file("proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n")
            .file("proc/sys/kernel/osrelease", "4.4.0\n")
            .file("proc/self/mountinfo", "1 0 0:1 / / rw - 9p none rw\n")
            .remove("proc/modules")
            .remove("sys/module")
            .remove("lib/modules")
            .no_pci()
    }
}

/// A module file: an ELF file that holds nothing but what modinfo prints.
#[derive(Clone, Debug)]
pub struct Module {
    /// Version of the driver.
    pub version: &'static str,
    /// `NVIDIA` or `Dual MIT/GPL`.
    pub license: &'static str,
    /// Common name of the key that signed it.
    pub signer: Option<&'static str>,
}

impl Module {
    /// The closed flavour, unsigned.
    pub fn closed(version: &'static str) -> Module {
        Module { version, license: "NVIDIA", signer: None }
    }

    /// The open flavour, unsigned.
    pub fn open(version: &'static str) -> Module {
        Module { version, license: "Dual MIT/GPL", signer: None }
    }

    /// The same, signed.
    pub fn signed(self, signer: &'static str) -> Module {
        Module { signer: Some(signer), ..self }
    }

    /// The bytes of the file: header, strings, names of sections, three section headers, signature.
    pub fn bytes(&self) -> Vec<u8> {
        let strings = format!("license={}\0version={}\0name=nvidia\0", self.license, self.version);
        let names = b"\0.modinfo\0.shstrtab\0";
        let (strings_at, names_at) = (64, 64 + strings.len());
        let table_at = names_at + names.len();
        let mut file = vec![0u8; 64];
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        file[16] = 1; // relocatable
        file[18] = 0x3e; // x86-64
        file[0x28..0x30].copy_from_slice(&(table_at as u64).to_le_bytes());
        file[0x3a] = 64; // size of a section header
        file[0x3c] = 3; // number of them
        file[0x3e] = 2; // which one holds the names
        file.extend(strings.as_bytes());
        file.extend(names);
        let header = |name: u32, at: usize, size: usize| {
            let mut header = [0u8; 64];
            header[..4].copy_from_slice(&name.to_le_bytes());
            header[0x18..0x20].copy_from_slice(&(at as u64).to_le_bytes());
            header[0x20..0x28].copy_from_slice(&(size as u64).to_le_bytes());
            header
        };
        file.extend([0u8; 64]);
        file.extend(header(1, strings_at, strings.len()));
        file.extend(header(10, names_at, names.len()));
        if let Some(signer) = self.signer {
            let mut signature = vec![0x30, 0x20, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0c, signer.len() as u8];
            signature.extend(signer.as_bytes());
            file.extend(&signature);
            file.extend([0, 0, 2, 0, 0, 0, 0, 0]);
            file.extend((signature.len() as u32).to_be_bytes());
            file.extend(b"~Module signature appended~\n");
        }
        file
    }
}
