//! AMD's compute driver as sysfs lists it, and Intel's compute runtime as a file.

use super::runtime;
use crate::facts::makers::{self, KfdNode};
use crate::facts::{Facts, pci};
use crate::machine::Machine;
use crate::subject::Subject;

const TOPOLOGY: &str = "/sys/class/kfd/kfd/topology/nodes";
const LEVEL_ZERO: &str = "libze_intel_gpu.so.1";

/// Fills the keys, each where a GPU of its maker is on the bus.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let has = |facts: &Facts, id: &str| facts.all(&pci::VENDOR).any(|(vendor, _)| vendor == id);
    let here = Subject::machine();
    if has(facts, "0x1002") || machine.exists(TOPOLOGY) {
        match machine.list(TOPOLOGY) {
            Ok(names) => {
                let mut nodes: Vec<KfdNode> = names.iter().filter_map(|name| node(machine, name)).collect();
                nodes.sort_by_key(|node| node.node);
                facts.seen(&makers::KFD, &here, nodes, TOPOLOGY);
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => facts.absent(&makers::KFD, &here, TOPOLOGY),
            Err(e) => facts.failed(&makers::KFD, &here, e.to_string(), TOPOLOGY),
        }
    }
    if has(facts, "0x8086") {
        match runtime::find(machine, LEVEL_ZERO) {
            Some(path) => facts.seen(&makers::LEVEL_ZERO, &here, path.clone(), path),
            None => facts.absent(&makers::LEVEL_ZERO, &here, format!("{LEVEL_ZERO} in the loader's folders")),
        }
    }
}

fn node(machine: &Machine, name: &str) -> Option<KfdNode> {
    let text = |file: &str| machine.text(format!("{TOPOLOGY}/{name}/{file}")).ok();
    Some(KfdNode {
        node: name.parse().ok()?,
        gpu_id: text("gpu_id").and_then(|id| id.trim().parse().ok()),
        gfx: text("properties").and_then(|properties| gfx(&properties)),
    })
}

/// `gfx_target_version 110000` is gfx1100, `90010` is gfx90a: two digits each for the minor version and the stepping, written
/// as one hexadecimal digit. Processors have 0.
fn gfx(properties: &str) -> Option<String> {
    let value = properties.lines().find_map(|line| line.strip_prefix("gfx_target_version "))?;
    let version: u32 = value.trim().parse().ok().filter(|version| *version > 0)?;
    Some(format!("gfx{}{:x}{:x}", version / 10_000, version / 100 % 100, version % 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chip_is_named_as_builds_name_it() {
        let of = |version: &str| gfx(&format!("cpu_cores_count 0\nsimd_count 192\ngfx_target_version {version}\n"));
        assert_eq!(of("110000").as_deref(), Some("gfx1100"));
        assert_eq!(of("90010").as_deref(), Some("gfx90a"));
        assert_eq!(of("110501").as_deref(), Some("gfx1151"));
        assert_eq!(of("90402").as_deref(), Some("gfx942"));
        assert_eq!(of("0"), None);
        assert_eq!(gfx("gfx_target_version x"), None);
    }
}
