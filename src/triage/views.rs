//! Several views of one machine: which facts are about one GPU, and which of two that differ is judged.

use crate::facts::{Fact, Facts, State, cuda, nvidia, python};
use crate::subject::{Kind, Subject};
use std::collections::BTreeMap;

/// The facts with each GPU under one name, and with what fails before what works.
///
/// collect_env numbers the GPUs and nvidia-smi shows their addresses; where the names agree they are the same ones. Of two
/// views that differ both are kept; the one that fails is what was asked about.
pub fn settled(facts: Facts, indices: &[(u32, Subject)]) -> Facts {
    let same = same_gpus(&facts, indices);
    let mut list: Vec<Fact> = facts.iter().cloned().collect();
    for fact in &mut list {
        if let Some(gpu) = same.get(&fact.subject.id).filter(|_| fact.subject.kind == Kind::Gpu) {
            fact.subject = gpu.clone();
        }
    }
    list.sort_by_key(|fact| !fails(fact));
    list.into_iter().collect()
}

/// Numbers that stand for a GPU whose address is known.
fn same_gpus(facts: &Facts, indices: &[(u32, Subject)]) -> BTreeMap<String, Subject> {
    let name = |gpu: &Subject| {
        let name: Option<String> = facts.look(&nvidia::NVML_NAME, gpu).seen();
        name.map(|name| name.trim_start_matches("NVIDIA ").trim_end_matches("...").trim().to_string())
    };
    let mut same: BTreeMap<String, Subject> = BTreeMap::new();
    for (index, gpu) in indices {
        let number = Subject::gpu(&index.to_string());
        let agree = match (name(&number), name(gpu)) {
            // nvidia-smi cuts long names.
            (Some(one), Some(other)) => one.starts_with(&other) || other.starts_with(&one),
            _ => true,
        };
        if agree {
            same.entry(number.id).or_insert_with(|| gpu.clone());
        }
    }
    same
}

fn fails(fact: &Fact) -> bool {
    let State::Seen { value } = &fact.state else { return false };
    let key = fact.key.as_ref();
    if [nvidia::NVML_INIT.name, cuda::INIT.name, nvidia::NVML_HANDLE.name].contains(&key) {
        return value.as_i64().is_some_and(|code| code != 0);
    }
    if key == nvidia::SMI.name {
        return value["exit"].as_i64().is_some_and(|exit| exit != 0);
    }
    key == python::AVAILABLE.name && value.as_bool() == Some(false)
}
