//! What switches the NVIDIA GPU of a hybrid laptop on and off, and how it stands: only files, nothing wakes the GPU.

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;
use std::collections::BTreeMap;

/// bbswitch: `0000:01:00.0 OFF`.
const BBSWITCH: &str = "/proc/acpi/bbswitch";
/// Ubuntu's prime-select keeps its mode here: `on`, `off`, `on-demand`.
const PRIME: &str = "/etc/prime-discrete";
/// supergfxctl's settings, JSON with a `mode`.
const SUPERGFX: &str = "/etc/supergfxd.conf";
/// Firmware switch of ASUS laptops: 1 takes the GPU off the bus.
const ASUS: &str = "/sys/devices/platform/asus-nb-wmi/dgpu_disable";
/// EnvyControl's rule for udev in the integrated mode: it removes the GPU from the bus at every start.
const ENVYCONTROL: [&str; 3] = [
    "/etc/udev/rules.d/50-remove-nvidia.rules",
    "/lib/udev/rules.d/50-remove-nvidia.rules",
    "/usr/lib/udev/rules.d/50-remove-nvidia.rules",
];

/// Adds the switches that are there.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            found.insert(name.to_string(), value);
        }
    };
    let line = |path: &str| machine.line(path).ok();
    add("bbswitch", line(BBSWITCH).and_then(|text| text.split_whitespace().last().map(str::to_string)));
    add("prime-select", line(PRIME));
    add("supergfxctl", machine.text(SUPERGFX).ok().and_then(|text| mode(&text)));
    add("asus", line(ASUS).map(|value| format!("dgpu_disable={value}")));
    if ENVYCONTROL.iter().any(|path| machine.exists(path)) {
        add("envycontrol", Some("integrated".to_string()));
    }
    let source = format!("{BBSWITCH}, {PRIME}, {SUPERGFX}, {ASUS}, {}", ENVYCONTROL[0]);
    facts.seen(&host::GPU_SWITCH, &Subject::machine(), found, source);
}

/// `"mode": "Integrated"` of supergfxctl's settings.
fn mode(text: &str) -> Option<String> {
    let settings: serde_json::Value = serde_json::from_str(text).ok()?;
    settings.get("mode")?.as_str().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::mode;

    #[test]
    fn the_mode_of_supergfxctl_is_read() {
        assert_eq!(mode("{\n  \"mode\": \"Integrated\",\n  \"vfio_enable\": false\n}").as_deref(), Some("Integrated"));
        assert_eq!(mode("mode = Integrated"), None);
    }
}
