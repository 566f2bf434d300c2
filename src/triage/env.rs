//! The host around it: uname, hostnamectl, os-release, id, environment variables, nvcc.

use super::gate::Marks;
use super::parts::{self, after, has, label, without_prompt};
use super::{Found, Line, Reader, system};
use crate::facts::host::{self, Distro, User};
use crate::facts::{cuda, nvidia};
use crate::subject::Subject;

/// Variables that are kept.
const VARIABLES: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_DEVICE_ORDER",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HSA_OVERRIDE_GFX_VERSION",
    "CUDA_HOME",
    "SLURM_JOB_GPUS",
    "SLURM_STEP_GPUS",
    "SLURM_JOB_ID",
    "PYTHONPATH",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
    "PYTHONNOUSERSITE",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_DISABLE_REQUIRE",
    "CUDA_DISABLE_PTX_JIT",
    "ONEAPI_DEVICE_SELECTOR",
    "ZE_AFFINITY_MASK",
    "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME",
    "NUMBA_DISABLE_CUDA",
    "NUMBA_ENABLE_CUDASIM",
];

/// Reads it.
#[derive(Default)]
pub struct Env {
    /// `echo $NAME` was the line before.
    echoed: Option<&'static str>,
    release: Option<(Distro, u64)>,
    /// `uname -r` was the line before.
    asked_release: bool,
}

impl Reader for Env {
    fn waits(&self) -> bool {
        self.echoed.is_some() || self.asked_release
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if text.len() > 2000 {
            return;
        }
        let command = without_prompt(text);
        if let Some(name) = self.echoed.take() {
            // The next line is the value, unless it is another prompt.
            if command == text && !text.contains("echo ") {
                variable(name, text, found);
                return;
            }
        }
        if std::mem::take(&mut self.asked_release) && command == text {
            system::release(parts::word(text), found);
        }
        self.asked_release = command == "uname -r";
        if let Some(name) = command.strip_prefix("echo $").or_else(|| command.strip_prefix("echo \"$")) {
            let name = name.trim_matches(['{', '}', '"', ' ']);
            self.echoed = VARIABLES.iter().find(|known| **known == name).copied();
        }
        variables(command, line.marks, found);
        if let Some(rest) =
            text.strip_prefix("Linux ").filter(|rest| rest.contains(" SMP ") || rest.contains("GNU/Linux"))
        {
            // `Linux HOST 5.15.0-25-generic #25-Ubuntu SMP ... x86_64 GNU/Linux`.
            if let Some(release) = rest.split_whitespace().nth(1) {
                system::release(release, found);
                system::processor(rest, found);
            }
        } else if line.marks.has(Marks::LINUX_VERSION)
            && let Some(rest) = after(text, "Linux version ")
        {
            system::release(parts::word(rest), found);
        }
        if let Some((key, value)) = label(text) {
            match key.as_str() {
                "operating system" | "os/version" | "distro" | "distribution" => system::named(value, found),
                "os" if !value.contains("==") => system::named(value, found),
                "kernel" | "kernel version" | "linux kernel" => {
                    let value = value.strip_prefix("Linux ").unwrap_or(value);
                    system::release(parts::word(value.strip_prefix("version ").unwrap_or(value)), found);
                }
                _ => {}
            }
        }
        self.os_release(text, line.number);
        id(command, found);
        nvcc(text, line.marks, found);
    }

    fn end(&mut self, found: &mut Found) {
        if let Some((distro, line)) = self.release.take().filter(|(distro, _)| !distro.id.is_empty()) {
            found.set_line(line);
            if let Some((_, manager)) = system::distro(&distro.name).or_else(|| system::distro(&distro.id)) {
                found.seen(&host::PACKAGE_MANAGER, &Subject::machine(), manager.to_string());
            }
            found.seen(&host::OS, &Subject::machine(), "linux".to_string());
            found.seen(&host::DISTRO, &Subject::machine(), distro);
        }
    }
}

impl Env {
    /// /etc/os-release.
    fn os_release(&mut self, text: &str, number: u64) {
        let Some((key, value)) = text.split_once('=') else { return };
        if !matches!(key, "ID" | "ID_LIKE" | "VERSION_ID" | "PRETTY_NAME" | "VERSION_CODENAME") {
            return;
        }
        let value = value.trim().trim_matches(['"', '\'']).to_string();
        let empty = || Distro {
            id: String::new(),
            id_like: Vec::new(),
            version: String::new(),
            codename: String::new(),
            name: String::new(),
        };
        let (distro, _) = self.release.get_or_insert_with(|| (empty(), number));
        match key {
            "ID" => distro.id = value,
            "ID_LIKE" => distro.id_like = value.split_whitespace().map(str::to_string).collect(),
            "VERSION_ID" => distro.version = value,
            "VERSION_CODENAME" => distro.codename = value,
            _ => distro.name = value,
        }
    }
}

/// `NAME=value` as `env` prints it, as a command sets it, and as Python shows it.
fn variables(command: &str, marks: Marks, found: &mut Found) {
    if !command.contains('=') && !marks.has(Marks::ENVIRON) {
        return;
    }
    let plain = command.trim_start_matches(['-', '*', '`', ' ']);
    let set = ["export ", "set ", "env ", "ENV ", "declare -x "].iter().find_map(|word| plain.strip_prefix(word));
    let exported = set.is_some() && !plain.starts_with("env ") && !plain.starts_with("declare");
    let mut rest = set.unwrap_or(plain);
    // Several before one command: `CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2 python x.py`.
    while let Some((name, tail)) = rest.split_once('=') {
        let Some(name) = VARIABLES.iter().find(|known| **known == name.trim()).copied() else { break };
        let (value, next) = value(tail);
        // What a command sets for the libraries is mostly an attempt at a cure.
        let attempt = exported && !name.ends_with("VISIBLE_DEVICES");
        if !attempt && !value.contains('$') && value.len() < 1500 {
            variable(name, value, found);
        }
        rest = next;
    }
    // `os.environ['CUDA_VISIBLE_DEVICES']: None`, `os.environ["CUDA_VISIBLE_DEVICES"] = "1"`.
    if marks.has(Marks::ENVIRON)
        && let Some(rest) = after(command, "environ[")
        && let Some((name, rest)) = rest.split_once(']')
        && let Some(name) = VARIABLES.iter().find(|known| **known == name.trim_matches(['"', '\'']))
    {
        let value = rest.trim_start_matches([' ', ':', '=']).trim();
        if value.starts_with("None") {
            found.absent(&host::VARIABLE, &Subject::variable(name));
        } else if rest.trim_start().starts_with(['=', ':']) && !rest.trim_start().starts_with("==") {
            let value = value.split(['#', ';']).next().unwrap_or_default().trim();
            if value.starts_with(['"', '\'']) || value.bytes().all(|b| b.is_ascii_digit() || b == b',') {
                variable(name, value.trim_matches(['"', '\'']), found);
            }
        }
    }
}

/// The value up to a blank, or what stands in quotes; and the rest.
fn value(tail: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(rest) = tail.strip_prefix(quote) {
            return rest.split_once(quote).map_or((rest, ""), |(value, rest)| (value, rest.trim_start()));
        }
    }
    tail.split_once([' ', ';']).map_or((tail, ""), |(value, rest)| (value, rest.trim_start()))
}

fn variable(name: &str, value: &str, found: &mut Found) {
    // Shown in pointed brackets or dots: the reporter left it out.
    let value = value.trim();
    if !value.contains(['<', '>']) && !value.contains("...") {
        found.seen(&host::VARIABLE, &Subject::variable(name), value.to_string());
    }
}

/// `uid=1000(user) gid=1000(user) groups=1000(user),27(sudo)`.
fn id(text: &str, found: &mut Found) {
    let Some(rest) = text.strip_prefix("uid=") else { return };
    let (Some(uid), Some(gid)) = (parts::number(rest), after(rest, "gid=").and_then(parts::number)) else { return };
    let groups = after(rest, "groups=").unwrap_or_default();
    let group = |part: &str| {
        let number = u32::try_from(parts::number(part)?).ok()?;
        let name = part.split_once('(').and_then(|(_, n)| n.split(')').next()).map(str::to_string);
        // A name of one's own is identity; the system's groups are not.
        Some((number, name.filter(|_| number < 1000)))
    };
    let groups = groups.split([',', ' ']).filter_map(group).take(64).collect();
    let user = User { uid: uid as u32, gid: gid as u32, groups };
    found.seen(&host::USER, &Subject::machine(), user);
}

/// `Cuda compilation tools, release 10.2, V10.2.89`; and the driver in a sentence: `Driver Version: 384.111`.
fn nvcc(text: &str, marks: Marks, found: &mut Found) {
    if marks.has(Marks::COMPILER) {
        if let Some(version) = after(text, "release").and_then(parts::version) {
            found.seen(&cuda::NVCC, &Subject::file("nvcc"), version.to_string());
        }
        return;
    }
    if !marks.has(Marks::DRIVER) || text.len() > 200 || text.contains("NVIDIA-SMI") {
        return;
    }
    for words in [
        "driver version",
        "nvidia drivers",
        "nvidia driver",
        "driver:",
        "nvidia-driver",
        "with driver",
        "gpu driver",
        "graphics driver",
        "display driver",
    ] {
        let Some(rest) = after(text, words) else { continue };
        let rest = rest.trim_start_matches([' ', ':', '=', '-', '(', '*', '`', 'v']);
        let rest = rest.strip_prefix("version").map_or(rest, |r| r.trim_start_matches([' ', ':', '=', '*', '`']));
        let Some(version) = parts::version(rest) else { continue };
        // Three digits before the point, as all drivers since 2014 have.
        let branch = version.split('.').next().unwrap_or_default();
        if branch.len() == 3
            && version.contains('.')
            && !has(text, "requires")
            && !has(text, ">=")
            && !has(text, "needs")
        {
            found.seen(&nvidia::NVML_DRIVER, &Subject::machine(), version.to_string());
            return;
        }
    }
}
