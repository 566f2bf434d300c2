//! The machine below and around this process: system, kernel, container, job, user, environment.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// Operating system: `linux`, `windows`, `macos`.
pub const OS: Key<String> = Key::new("host.os");
/// Distribution, from `/etc/os-release`.
pub const DISTRO: Key<Distro> = Key::new("host.distro");
/// The package manager whose program is installed: `apt`, `dnf`, `pacman`, `zypper`, `apk`, `nix`.
pub const PACKAGE_MANAGER: Key<String> = Key::new("host.package_manager");
/// Release of the running kernel, as `uname -r` prints it.
pub const KERNEL: Key<String> = Key::new("host.kernel");
/// Processor architecture: `x86_64`, `aarch64`.
pub const ARCH: Key<String> = Key::new("host.arch");
/// Hypervisor, as systemd-detect-virt names it (`kvm`, `vmware`, `microsoft`, `xen`); absent on bare metal.
pub const VIRTUALIZATION: Key<String> = Key::new("host.virtualization");
/// The container this process runs in; absent outside of one.
pub const CONTAINER: Key<Container> = Key::new("host.container");
/// How long ago the first process of this container was started, in seconds.
pub const CONTAINER_AGE: Key<u64> = Key::new("host.container_age_s");
/// WSL version, 1 or 2; absent elsewhere.
pub const WSL: Key<u8> = Key::new("host.wsl");
/// NVIDIA Jetson: the model, from the device tree; absent elsewhere.
pub const JETSON: Key<String> = Key::new("host.jetson");
/// The batch job this process belongs to; absent outside of one.
pub const JOB: Key<Job> = Key::new("host.job");
/// The name of the machine; identity.
pub const NAME: Key<String> = Key::new("host.name");
/// The name of the user; identity.
pub const USER_NAME: Key<String> = Key::new("host.user_name");
/// The user's home directory; identity.
pub const HOME: Key<String> = Key::new("host.home");
/// The user, by numbers and group names.
pub const USER: Key<User> = Key::new("host.user");
/// One environment variable of the allow-list; subject: the variable; absent when unset.
pub const VARIABLE: Key<String> = Key::new("host.variable");
/// How often this boot came back from suspend, from `/sys/power/suspend_stats/success`.
pub const SUSPENDS: Key<u64> = Key::new("host.suspends");
/// SELinux: `enforcing` or `permissive`, from `/sys/fs/selinux/enforce`; absent where it is off, or not shown here.
pub const SELINUX: Key<String> = Key::new("host.selinux");
/// The SELinux label of this process, from `/proc/self/attr/current`; absent where there is none.
pub const SELINUX_LABEL: Key<String> = Key::new("host.selinux_label");
/// GPUs that a device plugin handed over as mounts: the names in `/var/run/nvidia-container-devices`; absent without it.
pub const DEVICE_MOUNTS: Key<Vec<String>> = Key::new("host.device_mounts");
/// A command or a service that starts a container, as a text shows it (machine).
pub const CONTAINER_RUN: Key<ContainerRun> = Key::new("container.run");
/// Product name of the machine, from DMI (`DGX H100`, `ROG Zephyrus`).
pub const PRODUCT: Key<String> = Key::new("host.product");

/// What switches the NVIDIA GPU of a hybrid laptop, and how it stands: `bbswitch` (`ON`, `OFF`), `prime-select` (`nvidia`,
/// `on-demand`, `intel`), `supergfxctl` (its mode), `envycontrol` (`integrated`, by its rule that takes the GPU off the bus),
/// `asus` (`dgpu_disable=1`). Empty where none of them is there.
pub const GPU_SWITCH: Key<std::collections::BTreeMap<String, String>> = Key::new("host.gpu_switch");

/// From `/etc/os-release`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distro {
    /// `ID`: `debian`, `ubuntu`, `fedora`.
    pub id: String,
    /// `ID_LIKE`, split.
    #[serde(default)]
    pub id_like: Vec<String>,
    /// `VERSION_ID`.
    #[serde(default)]
    pub version: String,
    /// `VERSION_CODENAME`.
    #[serde(default)]
    pub codename: String,
    /// `PRETTY_NAME`.
    #[serde(default)]
    pub name: String,
}

/// What starts a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContainerRun {
    /// `docker`, `podman`, `nerdctl`, `compose`.
    pub engine: String,
    /// The image without its tag.
    #[serde(default)]
    pub image: Option<String>,
    /// The tag, where one is written.
    #[serde(default)]
    pub tag: Option<String>,
    /// What `--gpus` asks for, `all`, `device=0`; of a compose file the count, or `nvidia` where it gives none.
    #[serde(default)]
    pub gpus: Option<String>,
    /// `--runtime`.
    #[serde(default)]
    pub runtime: Option<String>,
    /// Each `--device`: nodes, or names of CDI devices.
    #[serde(default)]
    pub devices: Vec<String>,
}

/// A container, told by at least two signals or by one that cannot be mistaken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Container {
    /// `docker`, `podman`, `kubernetes`, `lxc`, `apptainer`, `gvisor`, or `unknown`.
    pub engine: String,
    /// What told it.
    pub signals: Vec<String>,
}

/// A job of a scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// `slurm` or `kubernetes`.
    pub scheduler: String,
    /// The GPUs that the scheduler says it granted (`SLURM_JOB_GPUS`, `SLURM_STEP_GPUS`); nothing if it names none.
    #[serde(default)]
    pub gpus: Option<String>,
}

/// The user by numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// Effective user id.
    pub uid: u32,
    /// Effective group id.
    pub gid: u32,
    /// Supplementary groups: number and, where known, name.
    pub groups: Vec<(u32, Option<String>)>,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &OS,
    &DISTRO,
    &PACKAGE_MANAGER,
    &KERNEL,
    &ARCH,
    &VIRTUALIZATION,
    &CONTAINER,
    &CONTAINER_AGE,
    &WSL,
    &JETSON,
    &JOB,
    &NAME,
    &USER_NAME,
    &HOME,
    &USER,
    &VARIABLE,
    &SUSPENDS,
    &SELINUX,
    &SELINUX_LABEL,
    &DEVICE_MOUNTS,
    &PRODUCT,
    &CONTAINER_RUN,
    &GPU_SWITCH,
];
