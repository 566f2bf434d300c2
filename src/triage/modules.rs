//! Kernel modules as listings show them: lsmod, modinfo, dkms status, find, `/proc/driver/nvidia/version`, mokutil, lockdown.

use super::gate::Marks;
use super::parts::{after, has, label, version};
use super::{Found, Line, Reader, kernel_log};
use crate::facts::host;
use crate::facts::kernel::{self, Dkms, Modinfo};
use crate::subject::Subject;

/// Modules that are kept of a list.
const KEPT: &[&str] = &[
    "nvidia",
    "nvidia_uvm",
    "nvidia_modeset",
    "nvidia_drm",
    "nouveau",
    "nova_core",
    "vfio_pci",
    "amdgpu",
    "i915",
    "xe",
    "nvgpu",
];

/// Rows of a list that are kept; no machine has as many kernels.
const MOST: usize = 100;

/// Reads them.
#[derive(Default)]
pub struct Modules {
    loaded: Vec<String>,
    loaded_line: u64,
    /// A header of lsmod: the list is whole.
    whole: bool,
    modinfo: Option<(Modinfo, u64)>,
    /// Kernels for which a module file was listed, with the file.
    files: Vec<(String, String)>,
    files_line: u64,
    dkms: Vec<Dkms>,
    dkms_line: u64,
    /// The line before asked Ubuntu's switch of hybrid graphics for its mode.
    asked_prime: bool,
}

impl Reader for Modules {
    fn waits(&self) -> bool {
        self.asked_prime
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if self.asked_prime && !text.is_empty() && text == "intel" {
            found.said("switched-to-integrated", "prime-select query: intel", []);
        }
        self.asked_prime = text.ends_with("prime-select query") || (self.asked_prime && text.starts_with("```"));
        if text.is_empty() || text.len() > 400 {
            return;
        }
        self.list(text, line.number);
        if text.starts_with("NVRM version:") {
            kernel_log::module(text, found);
        }
        if line.marks.has(Marks::MODULES) {
            self.files(text, line.number, found);
        }
        self.module_information(text, line.number, found);
        self.dkms_status(text, line.number);
        let machine = Subject::machine();
        if text.starts_with("SecureBoot enabled") || text.starts_with("SecureBoot disabled") {
            found.seen(&kernel::SECURE_BOOT, &machine, text.ends_with("enabled"));
        }
        // /sys/kernel/security/lockdown
        if line.marks.has(Marks::LOCKDOWN)
            && let Some(mode) = ["[none]", "[integrity]", "[confidentiality]"].iter().find(|mode| text.contains(**mode))
            && text.contains("integrity")
        {
            found.seen(&kernel::LOCKDOWN, &machine, mode.trim_matches(['[', ']']).to_string());
        }
    }

    fn end(&mut self, found: &mut Found) {
        let machine = Subject::machine();
        // `lsmod | grep nouveau` says nothing of nvidia.
        if self.whole || self.loaded.iter().any(|name| name.starts_with("nvidia")) {
            found.seen_at(&kernel::MODULES, &machine, std::mem::take(&mut self.loaded), self.loaded_line);
        }
        if let Some((info, line)) = self.modinfo.take() {
            found.seen_at(&kernel::MODINFO, &machine, info, line);
        }
        if !self.dkms.is_empty() {
            found.seen_at(&kernel::DKMS, &machine, std::mem::take(&mut self.dkms), self.dkms_line);
        }
        if !self.files.is_empty()
            && let Some(running) = found.value(&host::KERNEL)
        {
            let mine = self.files.iter().find(|(kernel, _)| *kernel == running);
            if let Some((_, file)) = mine {
                found.seen_at(&kernel::MODULE_FILE, &machine, file.clone(), self.files_line);
            } else {
                // A search that lists modules of other kernels has looked for this one's as well.
                found.absent_at(&kernel::MODULE_FILE, &machine, self.files_line);
            }
            let mut others: Vec<String> = self.files.iter().map(|(kernel, _)| kernel.clone()).collect();
            others.retain(|kernel| *kernel != running);
            others.dedup();
            found.seen_at(&kernel::MODULE_OTHER_KERNELS, &machine, others, self.files_line);
        }
    }
}

impl Modules {
    /// `Module  Size  Used by` and its rows, or rows alone after a `grep`.
    fn list(&mut self, text: &str, number: u64) {
        let words: Vec<&str> = text.split_whitespace().take(4).collect();
        if words.starts_with(&["Module", "Size", "Used"]) {
            (self.whole, self.loaded_line) = (true, number);
            return;
        }
        let [name, size, used, ..] = words[..] else { return };
        let digits = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        if digits(size) && digits(used) && KEPT.contains(&name) {
            if self.loaded.is_empty() && !self.whole {
                self.loaded_line = number;
            }
            if !self.loaded.iter().any(|had| had == name) {
                self.loaded.push(name.to_string());
            }
        }
    }

    /// Paths of nvidia.ko: `/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst`.
    fn files(&mut self, text: &str, number: u64, found: &mut Found) {
        if has(text, "Module nvidia not found") {
            found.absent(&kernel::MODULE_FILE, &Subject::machine());
        }
        let Some(rest) = after(text, "/lib/modules/")
            .filter(|rest| rest.contains("/nvidia.ko") || rest.contains("/nvidia-current.ko"))
        else {
            return;
        };
        let path = rest.split_whitespace().next().unwrap_or_default();
        if let Some((kernel, _)) = path.split_once('/') {
            self.files_line = number;
            if self.files.len() < MOST {
                self.files.push((kernel.to_string(), format!("/lib/modules/{path}")));
            }
        }
    }

    /// modinfo's `filename:`, `version:`, `license:`, `signer:`.
    fn module_information(&mut self, text: &str, number: u64, found: &mut Found) {
        let Some((key, value)) = label(text) else { return };
        match key.as_str() {
            "filename" if value.contains("nvidia") && value.contains(".ko") => {
                self.modinfo = Some((Modinfo::default(), number));
            }
            "version" | "license" | "signer" if !value.is_empty() => {
                let known = key == "license" && (value == "NVIDIA" || value == "Dual MIT/GPL");
                if known && self.modinfo.is_none() {
                    self.modinfo = Some((Modinfo::default(), number));
                }
                if let Some((info, _)) = &mut self.modinfo {
                    let field = match key.as_str() {
                        "version" => &mut info.version,
                        "license" => &mut info.license,
                        _ => &mut info.signer,
                    };
                    field.get_or_insert_with(|| value.to_string());
                }
            }
            "nvrm version" => kernel_log::module(text, found),
            _ => {}
        }
    }

    /// `nvidia/535.183.01, 6.8.0-45-generic, x86_64: installed`; older: `nvidia, 470.42, 5.4.0-1, x86_64: installed`.
    fn dkms_status(&mut self, text: &str, number: u64) {
        if !text.starts_with("nvidia") {
            return;
        }
        let Some((what, state)) = text.rsplit_once(": ").or_else(|| text.rsplit_once(':')) else { return };
        let state = state.trim();
        let known = ["added", "built", "installed", "broken"];
        if !known.iter().any(|word| state.starts_with(word)) {
            return;
        }
        let mut parts = what.split([',', '/']).map(str::trim);
        let (Some(module), Some(version_text)) = (parts.next(), parts.next()) else { return };
        let Some(number_of) = version(version_text) else { return };
        let kernel = parts.next().filter(|_| !state.starts_with("added")).map(str::to_string);
        self.dkms_line = number;
        let at = match self.dkms.iter().position(|row| row.module == module && row.version == number_of) {
            Some(at) => at,
            None if self.dkms.len() >= MOST => return,
            None => {
                let (module, version) = (module.to_string(), number_of.to_string());
                self.dkms.push(Dkms { module, version, built_for: Vec::new(), log: None });
                self.dkms.len() - 1
            }
        };
        let built_for = &mut self.dkms[at].built_for;
        if built_for.len() < MOST {
            built_for.extend(kernel);
        }
    }
}
