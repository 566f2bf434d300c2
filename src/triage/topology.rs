//! `nvidia-smi topo -m` and `topo -p2p r`: what joins each GPU with the others, and which may read from which.

use super::parts::gpu_number;
use super::{Found, Line, Reader};
use crate::facts::links;
use std::collections::BTreeMap;

/// Reads the tables.
#[derive(Default)]
pub struct Topology {
    /// The GPUs of the columns, in order; other columns have no number.
    columns: Vec<Option<u32>>,
}

/// The words of `topo -p2p`, with those of the fact.
const PEERS: &[(&str, &str)] = &[
    ("OK", "ok"),
    ("CNS", "chipset_not_supported"),
    ("GNS", "gpu_not_supported"),
    ("TNS", "topology_not_supported"),
    ("DR", "disabled"),
    ("NS", "not_supported"),
    ("U", "unknown"),
];

impl Reader for Topology {
    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if !text.starts_with("GPU0") && self.columns.is_empty() || text.len() > 600 {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((Some(first), rest)) = words.split_first().map(|(first, rest)| (gpu(first), rest)) else { return };
        // The line above the rows names devices only; a row begins with one and goes on with paths.
        if rest.first().is_some_and(|word| gpu(word).is_some()) || rest.is_empty() && self.columns.is_empty() {
            let of_devices = words.iter().take_while(|word| **word != "CPU" && **word != "NUMA");
            self.columns = of_devices.map(|word| gpu(word)).collect();
            return;
        }
        let cells = || {
            self.columns.iter().zip(rest).filter_map(|(column, cell)| Some((column.filter(|n| *n != first)?, *cell)))
        };
        let of = |read: fn(&str) -> Option<String>| -> BTreeMap<String, String> {
            cells().filter_map(|(other, cell)| Some((gpu_number(other).id, read(cell)?))).collect()
        };
        let (paths, peers) = (of(path), of(peer));
        if !paths.is_empty() {
            found.seen(&links::TOPOLOGY, &gpu_number(first), paths);
        } else if !peers.is_empty() {
            found.seen(&links::PEERS, &gpu_number(first), peers);
        }
    }
}

/// `GPU7`.
fn gpu(word: &str) -> Option<u32> {
    word.strip_prefix("GPU")?.parse().ok().filter(|n| *n < 64)
}

fn path(word: &str) -> Option<String> {
    let bonded = word.strip_prefix("NV").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    (bonded || matches!(word, "PIX" | "PXB" | "PHB" | "NODE" | "SYS" | "SOC")).then(|| word.to_string())
}

fn peer(word: &str) -> Option<String> {
    PEERS.iter().find(|(name, _)| *name == word).map(|(_, word)| word.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::read_str;
    use super::*;

    #[test]
    fn the_matrix_tells_what_lies_between_two_gpus() {
        let facts = read_str(
            "\tGPU0\tGPU1\tGPU2\tmlx5_0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\tSYS\tPIX\t0-31\t0\nGPU1\tNV12\t X \tSYS\tNODE\t0-31\t0\nGPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\n",
        );
        let of = |gpu: u32| facts.look(&links::TOPOLOGY, &gpu_number(gpu)).seen().unwrap_or_default();
        let pairs = |map: BTreeMap<String, String>| map.into_values().collect::<Vec<_>>();
        assert_eq!(pairs(of(0)), ["NV12", "SYS"]);
        assert_eq!(pairs(of(2)), ["SYS", "SYS"]);
        assert!(facts.all(&links::PEERS).next().is_none());
    }

    #[test]
    fn the_matrix_of_peers_tells_who_may_read_from_whom() {
        let facts = read_str("$ nvidia-smi topo -p2p r\n \tGPU0\tGPU1\t\n GPU0\tX\tCNS\t\n GPU1\tCNS\tX\t\n");
        let peers = facts.look(&links::PEERS, &gpu_number(1)).seen().unwrap();
        assert_eq!(peers.into_values().collect::<Vec<_>>(), ["chipset_not_supported"]);
    }

    #[test]
    fn a_sentence_about_gpus_is_no_matrix() {
        assert!(read_str("GPU0 GPU1 are fine\nGPU0 fails\n").all(&links::TOPOLOGY).next().is_none());
    }
}
