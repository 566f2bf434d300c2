//! Traffic between GPUs is sent through the root complex by ACS or the IOMMU. That jobs hang, only a text tells; that the
//! IOMMU translates for the GPUs, the machine shows.

use crate::causes::{Case, Cause, Finding, Level};
use crate::checks::{Evidence, given};
use crate::facts::{host, kernel, links, pci};
use crate::symptom::Kind;
use crate::triage::messages;

/// The cause.
pub static CAUSE: Cause = Cause { page: include_str!("nccl-p2p-blocked-by-acs-iommu.md"), explains: &[], assess };

fn assess(case: &Case) -> Vec<Finding> {
    // What a text says of a job over several GPUs.
    let names = |id: &str| {
        messages::find(id).is_some_and(|m| m.causes.iter().any(|(slug, _)| *slug == "nccl-p2p-blocked-by-acs-iommu"))
    };
    let told: Vec<_> = case.symptoms(Kind::Said).filter(|o| names(o.symptom.code())).collect();
    if told.is_empty() || case.facts.machine(&host::VIRTUALIZATION).fact().is_some_and(|_| guest(case)) {
        return Vec::new();
    }
    let translated = case.facts.all(&pci::IOMMU).filter(|(kind, _)| kind.starts_with("DMA"));
    let mut evidence: Vec<Evidence> = translated
        .map(|(kind, fact)| Evidence::of(fact, format!("the IOMMU translates for {} ({kind})", fact.subject.id)))
        .collect();
    let arguments = case.value(&kernel::ARGUMENTS).unwrap_or_default();
    if let Some(argument) = arguments.iter().find(|a| a.ends_with("iommu=on") || *a == "iommu=force")
        && let Some(fact) = case.facts.machine(&kernel::ARGUMENTS).fact()
    {
        evidence.push(Evidence::of(fact, format!("kernel argument {argument}")));
    }
    for (bridges, fact) in case.facts.all(&links::ACS) {
        let redirects = bridges.iter().filter(|acs| acs.redirects());
        evidence.extend(redirects.map(|acs| {
            let text =
                format!("the bridge {} sends traffic between GPUs up (ACS control {:#06x})", acs.bridge, acs.control);
            Evidence::of(fact, text)
        }));
    }
    if evidence.is_empty() || given::all_gpus(case.facts).len() == 1 || joined_by_nvlink(case) {
        return Vec::new();
    }
    for (peers, fact) in case.facts.all(&links::PEERS) {
        if let Some((other, _)) = peers.iter().find(|(_, status)| *status == "ok") {
            let text = format!("the driver offers GPU {} direct access to GPU {other}", fact.subject.id);
            evidence.push(Evidence::of(fact, text));
            break;
        }
    }
    let finding = evidence.into_iter().take(3).fold(Finding::machine(Level::Possible), Finding::because);
    vec![
        finding
            .unknown(
                "whether the job goes on without peer-to-peer",
                "NCCL_P2P_DISABLE=1 NCCL_DEBUG=INFO python train.py",
                &["nccl-p2p-blocked-by-acs-iommu", "nvlink-failure"],
            )
            .explaining(told),
    ]
}

/// Whether a list of connections shows NVLink between all GPUs: their traffic then meets no bridge of PCIe.
fn joined_by_nvlink(case: &Case) -> bool {
    let mut paths = case.facts.all(&links::TOPOLOGY).flat_map(|(paths, _)| paths.into_values()).peekable();
    paths.peek().is_some() && paths.all(|path| path.starts_with("NV"))
}

fn guest(case: &Case) -> bool {
    case.value(&host::VIRTUALIZATION).is_some()
}
