//! GPUs of other makers: what the kernel's compute driver for AMD lists, and Intel's compute runtime.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// The nodes of AMD's compute driver, from `/sys/class/kfd/kfd/topology/nodes` (machine). Processors are nodes as well.
/// Absent: the kernel has no such driver, or it is not loaded.
pub const KFD: Key<Vec<KfdNode>> = Key::new("kfd.nodes");
/// Intel's compute runtime for its GPUs, `libze_intel_gpu.so.1`, in the loader's folders (machine): the path. Absent: looked, and
/// not there.
pub const LEVEL_ZERO: Key<String> = Key::new("level_zero.runtime");

/// A node of AMD's compute driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KfdNode {
    /// Its number.
    pub node: u32,
    /// `gpu_id`: 0 for a processor; nothing where the kernel keeps it from this container.
    #[serde(default)]
    pub gpu_id: Option<u32>,
    /// The chip, as builds name it, `gfx1100`; nothing for a processor.
    #[serde(default)]
    pub gfx: Option<String>,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[&KFD, &LEVEL_ZERO];
