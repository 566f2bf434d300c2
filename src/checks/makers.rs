//! The rows about GPUs by AMD and Intel: the kernel's driver, the nodes, and the chips that a build has code for.

use super::device_access::opened_or_made;
use super::{Answer, Status, given};
use crate::facts::makers::{self, KfdNode};
use crate::facts::{Facts, Look, host, kernel, pci, python};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};

const KFD: &str = "/dev/kfd";

/// The kernel's drivers that a maker's GPUs compute through.
fn drivers(maker: &str) -> &'static [&'static str] {
    match maker {
        "AMD" => &["amdgpu"],
        _ => &["i915", "xe"],
    }
}

/// Is the driver of the GPU bound to it, and does it take it for computing?
pub(super) fn driver(facts: &Facts, maker: &str) -> Vec<Answer> {
    let machine = Subject::machine();
    let wanted = drivers(maker);
    let mut answers = Vec::new();
    for gpu in given::of_vendor(facts, given::vendor_of(maker)) {
        let name = given::name(facts, &gpu);
        answers.push(match facts.look(&pci::DRIVER, &gpu) {
            Look::Seen(driver, _) if wanted.contains(&driver.as_str()) => {
                Answer::pass(&gpu, format!("{name} is driven by {driver}"))
            }
            Look::Seen(driver, _) => {
                let symptom = Symptom::coded(Kind::BoundTo, &driver);
                Answer::fail(&gpu, symptom, format!("{name} is owned by {driver}"))
            }
            Look::Absent(_) => {
                let symptom = Symptom::coded(Kind::DriverNotLoaded, wanted.join(" or "));
                Answer::fail(&gpu, symptom, format!("{name}: no driver is bound to it ({})", wanted.join(" or ")))
            }
            Look::Failed(why, _) => Answer::unknown(&gpu, format!("{name}: {why}")),
            Look::NotAsked => Answer::unmeasured(&gpu, format!("{name}: its driver was not looked at")),
        });
    }
    let driven = answers.iter().any(|a| a.status == Status::Pass);
    if maker == "AMD"
        && driven
        && let Some(nodes) = facts.value(&makers::KFD)
        && lists_no_gpu(&nodes)
    {
        let text = "amdgpu drives the GPU, and the kernel's compute driver (kfd) does not take it";
        answers.push(Answer::fail(&machine, Symptom::coded(Kind::Unclaimed, "kfd"), text));
    }
    answers
}

/// Whether every node is known to be a processor.
pub fn lists_no_gpu(nodes: &[KfdNode]) -> bool {
    !nodes.is_empty() && nodes.iter().all(|node| node.gpu_id == Some(0))
}

/// Can this user open the nodes that the maker's runtime needs?
pub(super) fn nodes(facts: &Facts, maker: &str) -> Vec<Answer> {
    let render = |file: &Subject| file.id.starts_with("/dev/dri/renderD");
    let mut paths: Vec<String> = if maker == "AMD" { vec![KFD.to_string()] } else { Vec::new() };
    paths.extend(facts.subjects(SubjectKind::File).iter().filter(|file| render(file)).map(|file| file.id.clone()));
    if paths.iter().all(|path| facts.look(&kernel::NODE_OPEN, &Subject::file(path)).fact().is_none()) {
        return vec![Answer::unmeasured(&Subject::machine(), format!("the nodes of {maker}'s driver were not opened"))];
    }
    let hip = facts.all(&python::BUILD).any(|(build, _)| build.hip.is_some());
    if maker == "AMD" && !hip && facts.look(&kernel::NODE_OPEN, &Subject::file(KFD)).is_absent() {
        // Nothing here would use it.
        let text = format!("there is no {KFD}, and no framework here is built for ROCm");
        return vec![Answer::unmeasured(&Subject::machine(), text)];
    }
    let mut answers: Vec<Answer> = paths.iter().map(|path| opened_or_made(facts, path, false)).collect();
    if answers.iter().all(|a| a.status == Status::Pass) {
        return vec![Answer::pass(&Subject::machine(), format!("{} can be opened", paths.join(", ")))];
    }
    answers.retain(|a| a.status != Status::Pass);
    answers
}

/// The chips of this machine for which a ROCm build has no code. Trusts the build's own list. The variable that lets the code
/// of a sister chip run is a choice of the user's.
pub(super) fn missing_chips(facts: &Facts, framework: &Subject, what: &str) -> Vec<Answer> {
    let overridden = facts.variable("HSA_OVERRIDE_GFX_VERSION").seen().is_some();
    let list = facts.look(&python::ARCHITECTURES, framework).seen().unwrap_or_default();
    if overridden || list.is_empty() || facts.value(&host::WSL).is_some() {
        return Vec::new();
    }
    let mut chips: Vec<String> =
        facts.value(&makers::KFD).unwrap_or_default().into_iter().filter_map(|node| node.gfx).collect();
    chips.sort();
    chips.dedup();
    let missing = chips.into_iter().filter(|chip| !list.iter().any(|target| serves(target, chip)));
    missing
        .map(|chip| {
            let text = format!("{what} has no code for {chip}; it has {}", list.join(" "));
            Answer::fail(framework, Symptom::coded(Kind::ArchitectureMissing, chip), text)
        })
        .collect()
}

/// Whether a target of a build runs on a chip: the same one (`gfx942:sramecc+:xnack-` names features besides), or a generic
/// one of its family (`gfx11-generic`, `gfx10-3-generic`, `gfx9-4-generic`).
fn serves(target: &str, chip: &str) -> bool {
    let target = target.split(':').next().unwrap_or_default();
    match target.strip_suffix("-generic") {
        Some(family) => chip.starts_with(&family.replace('-', "")) && (family != "gfx9" || chip.starts_with("gfx90")),
        None => target == chip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_serve_their_chip_and_generic_ones_their_family() {
        assert!(serves("gfx1100", "gfx1100"));
        assert!(serves("gfx942:sramecc+:xnack-", "gfx942"));
        assert!(serves("gfx11-generic", "gfx1151"));
        assert!(serves("gfx10-3-generic", "gfx1031"));
        assert!(!serves("gfx10-3-generic", "gfx1010"));
        assert!(!serves("gfx1100", "gfx1151"));
        assert!(!serves("gfx9-generic", "gfx942"));
    }

    #[test]
    fn a_node_that_is_kept_from_us_proves_nothing() {
        let node = |gpu_id| KfdNode { node: 0, gpu_id, gfx: None };
        assert!(lists_no_gpu(&[node(Some(0)), node(Some(0))]));
        assert!(!lists_no_gpu(&[node(Some(0)), node(None)]));
        assert!(!lists_no_gpu(&[node(Some(0)), node(Some(4711))]));
        assert!(!lists_no_gpu(&[]));
    }
}
