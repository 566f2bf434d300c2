//! nvidia-smi's table, in every form from driver 375 to 610, and its list (`-L`).
//!
//! A table that was printed says that NVML works where it was run. Two or three lines make a GPU; the table of MIG instances
//! and that of processes follow.

use super::gate::Marks;
use super::parts::{self, after, cuda_code, has};
use super::{Found, Line, Reader};
use crate::facts::host;
use crate::facts::nvidia::{self, Ecc, Memory, Mig, PowerDraw, Process, SmiRun, Temperature};
use crate::subject::{Subject, pci_address};
use std::collections::BTreeMap;

/// GPUs of a table, and processes or instances of each, that are kept.
const MOST: usize = 256;

/// Reads tables and lists.
#[derive(Default)]
pub struct Smi {
    /// The GPU whose further lines are awaited, and which of them comes next.
    open: Option<(Subject, u32)>,
    /// The GPUs of the table by number.
    gpus: BTreeMap<u32, Row>,
    part: Part,
    /// The GPU of the last line of a list.
    listed: Option<Subject>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Gpus,
    Mig,
    Processes,
}

struct Row {
    gpu: Subject,
    line: u64,
    cells: BTreeMap<String, String>,
    mig: Option<bool>,
    instances: Vec<String>,
    /// Whether the part of the table with the instances was seen.
    instances_seen: bool,
    processes: Option<Vec<Process>>,
}

impl Reader for Smi {
    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if line.marks.has(Marks::SMI)
            && text.contains("NVIDIA-SMI")
            && text.bytes().any(|b| b.is_ascii_digit())
            && !text.contains("failed")
        {
            self.finish(found);
            return header(text, found);
        }
        if text.starts_with("GPU ") || text.starts_with("MIG ") {
            return self.listed(text, found);
        }
        if !text.starts_with('|') {
            return;
        }
        if has(text, "MIG devices:") {
            self.part = Part::Mig;
            self.gpus.values_mut().for_each(|row| row.instances_seen = true);
        } else if has(text, "Processes:") {
            self.part = Part::Processes;
        } else if has(text, "No MIG devices found") {
            self.gpus.values_mut().for_each(|row| row.instances_seen = true);
        } else if has(text, "No running processes found") {
            self.gpus.values_mut().for_each(|row| row.processes = row.processes.take().or(Some(Vec::new())));
        } else if has(text, "TCC/WDDM") || has(text, "Driver-Model") {
            found.seen(&host::OS, &Subject::machine(), "windows".to_string());
        } else {
            match self.part {
                Part::Gpus => self.row(text, line.number, found),
                Part::Mig => self.instance(text),
                Part::Processes => self.process(text),
            }
        }
    }

    fn end(&mut self, found: &mut Found) {
        self.finish(found);
    }
}

/// `NVIDIA-SMI 575.51   Driver Version: 575.51   CUDA Version: 12.9`; 610 writes `KMD Version` and `CUDA UMD Version`; 375
/// knows no CUDA version.
fn header(text: &str, found: &mut Found) {
    let machine = Subject::machine();
    let of = |labels: &[&str]| labels.iter().find_map(|label| parts::version(after(text, label)?)).map(str::to_string);
    let driver = of(&["Driver Version:", "Driver Version", "KMD Version:"]);
    let own = of(&["NVIDIA-SMI"]);
    let cuda = of(&["CUDA Version:", "CUDA UMD Version:"]);
    let Some(driver) = driver.or(own) else { return };
    let run = SmiRun { exit: Some(0), message: String::new(), driver: Some(driver.clone()), cuda: cuda.clone() };
    found.seen(&nvidia::SMI, &Subject::file("nvidia-smi"), run);
    found.seen(&nvidia::NVML_INIT, &machine, 0);
    found.seen(&nvidia::NVML_DRIVER, &machine, driver);
    if let Some(code) = cuda.as_deref().and_then(cuda_code) {
        found.seen(&nvidia::NVML_CUDA, &machine, code);
    }
}

impl Smi {
    /// `GPU 0: NVIDIA A10 (UUID: GPU-...)`, and below it `  MIG 3g.20gb  Device  0: (UUID: MIG-...)`.
    fn listed(&mut self, text: &str, found: &mut Found) {
        let Some(uuid) = after(text, "(UUID:").map(|rest| rest.trim().trim_end_matches([')', '.', ' '])) else {
            return;
        };
        if text.starts_with("MIG ") {
            if let Some(gpu) = &self.listed {
                found.instance(gpu, uuid);
            }
            return;
        }
        let Some((index, rest)) = text.strip_prefix("GPU ").and_then(|rest| rest.split_once(':')) else { return };
        let Ok(index) = index.trim().parse::<u32>() else { return };
        let name = rest.split("(UUID").next().unwrap_or_default().trim();
        let gpu = parts::gpu_number(index);
        found.seen(&nvidia::NVML_INIT, &Subject::machine(), 0);
        found.seen(&nvidia::NVML_HANDLE, &gpu, 0);
        found.seen(&nvidia::NVML_NAME, &gpu, name.to_string());
        found.seen(&nvidia::NVML_UUID, &gpu, uuid.to_string());
        self.listed = Some(gpu);
    }

    /// The lines of one GPU.
    fn row(&mut self, text: &str, number: u64, found: &mut Found) {
        let columns: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
        let first = columns.first().copied().unwrap_or_default();
        let second = columns.get(1).copied().unwrap_or_default();
        let third = columns.get(2).copied().unwrap_or_default();
        let address = second.split_whitespace().next().and_then(pci_address);
        if let (Some(address), Some(index)) = (address, leading_index(first)) {
            let gpu = Subject::gpu(&address);
            found.index(index, &gpu);
            let (name, mode) = name_and_mode(first);
            let mut cells =
                BTreeMap::from([("index".to_string(), index.to_string()), ("name".to_string(), name.clone())]);
            cells.insert("ecc".to_string(), third.to_string());
            let lost = has(text, "GPU is lost") || has(text, "Unknown Error");
            found.seen(&nvidia::NVML_HANDLE, &gpu, if lost { 15 } else { 0 });
            if !name.is_empty() && !name.contains("ERR!") {
                found.seen(&nvidia::NVML_NAME, &gpu, name);
            }
            match mode {
                "On" => found.seen(&nvidia::NVML_PERSISTENCE, &gpu, true),
                "Off" => found.seen(&nvidia::NVML_PERSISTENCE, &gpu, false),
                "TCC" | "WDDM" | "MCDM" => {
                    cells.insert("driver_model".to_string(), mode.to_string());
                }
                _ => {}
            }
            match third {
                "Off" => found.seen(&nvidia::NVML_ECC, &gpu, Ecc { enabled: Some(false), ..Ecc::default() }),
                _ => {
                    if let Ok(errors) = third.parse::<u64>() {
                        let ecc = Ecc { enabled: Some(true), uncorrected_volatile: Some(errors), ..Ecc::default() };
                        found.seen(&nvidia::NVML_ECC, &gpu, ecc);
                    }
                }
            }
            let row = Row {
                gpu: gpu.clone(),
                line: number,
                cells,
                mig: None,
                instances: Vec::new(),
                instances_seen: false,
                processes: None,
            };
            if self.gpus.len() < MOST || self.gpus.contains_key(&index) {
                self.gpus.insert(index, row);
                self.open = Some((gpu, index));
            }
            return;
        }
        let Some((gpu, index)) = self.open.clone() else { return };
        let Some(row) = self.gpus.get_mut(&index) else { return };
        if let Some(memory) = memory(second) {
            if let Some(memory) = memory {
                found.seen(&nvidia::NVML_MEMORY, &gpu, memory);
            }
            row.cells.insert("memory".to_string(), second.to_string());
            first_cells(first, &gpu, row, found);
            let (utilisation, mode) = third.split_once(' ').unwrap_or((third, ""));
            row.cells.insert("utilization".to_string(), utilisation.to_string());
            let mode = mode.trim();
            let known = match mode {
                "Default" => Some("default"),
                "E. Process" | "E. Thread" | "Exclusive_Process" => Some("exclusive_process"),
                "Prohibited" => Some("prohibited"),
                _ => None,
            };
            if let Some(known) = known {
                found.seen(&nvidia::NVML_COMPUTE_MODE, &gpu, known.to_string());
                row.cells.insert("compute_mode".to_string(), mode.to_string());
            }
        } else if first.is_empty() && second.is_empty() {
            row.mig = match third.trim_end_matches('*') {
                "Enabled" => Some(true),
                "Disabled" => Some(false),
                _ => None,
            };
            self.open = None;
        }
    }

    /// A row of the MIG table: `|  0    1   0   0  |     37MiB / 40192MiB | ...`.
    fn instance(&mut self, text: &str) {
        let first = text.trim_matches('|').split('|').next().unwrap_or_default();
        let numbers: Vec<u32> = first.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        if let [index, gi, ci, _] = numbers[..]
            && let Some(row) = self.gpus.get_mut(&index)
            && row.instances.len() < MOST
        {
            row.instances.push(format!("GI {gi} CI {ci}"));
        }
    }

    /// A row of the processes: `|    0   N/A  N/A      1234      C   python           1234MiB |`, before 450 without GI and CI.
    fn process(&mut self, text: &str) {
        let words: Vec<&str> = text.trim_matches('|').split_whitespace().collect();
        let Some(index) = words.first().and_then(|w| w.parse::<u32>().ok()) else { return };
        let Some(at) = words.iter().position(|w| matches!(*w, "C" | "G" | "C+G" | "M+C")) else { return };
        let Some(pid) = at.checked_sub(1).and_then(|at| words[at].parse::<u32>().ok()) else { return };
        let memory = words.last().and_then(|w| w.strip_suffix("MiB")).and_then(|n| n.parse::<u64>().ok());
        let kind = if words[at].contains('C') { "compute" } else { "graphics" };
        if let Some(row) = self.gpus.get_mut(&index) {
            let process = Process { pid, memory: memory.map(bytes), kind: kind.to_string() };
            let processes = row.processes.get_or_insert_default();
            if processes.len() < MOST {
                processes.push(process);
            }
        }
    }

    /// The table is over.
    fn finish(&mut self, found: &mut Found) {
        for (_, row) in std::mem::take(&mut self.gpus) {
            match row.mig {
                Some(false) => {
                    let mig = Mig { enabled: false, pending: false, instances: Vec::new() };
                    found.seen_at(&nvidia::NVML_MIG, &row.gpu, mig, row.line);
                }
                // That it has no instance is known only where the table of instances was seen.
                Some(true) if row.instances_seen || !row.instances.is_empty() => {
                    let mig = Mig { enabled: true, pending: true, instances: row.instances };
                    found.seen_at(&nvidia::NVML_MIG, &row.gpu, mig, row.line);
                }
                _ => {}
            }
            if let Some(processes) = row.processes {
                found.seen_at(&nvidia::NVML_PROCESSES, &row.gpu, processes, row.line);
            }
            found.seen_at(&nvidia::SMI_CELLS, &row.gpu, row.cells, row.line);
        }
        self.open = None;
        self.part = Part::Gpus;
    }
}

fn leading_index(text: &str) -> Option<u32> {
    let (index, rest) = text.split_once(' ')?;
    (!rest.trim().is_empty()).then(|| index.parse().ok())?
}

/// `0  NVIDIA GeForce RTX 4090        On` is the name and what stands behind it.
fn name_and_mode(text: &str) -> (String, &str) {
    let rest = text.split_once(' ').map(|(_, rest)| rest.trim()).unwrap_or_default();
    let (name, mode) = rest.rsplit_once("  ").unwrap_or((rest, ""));
    let (name, mode) = match mode.trim() {
        "" => rest.rsplit_once(' ').filter(|(_, m)| is_mode(m)).unwrap_or((rest, "")),
        mode => (name, mode),
    };
    match is_mode(mode) {
        true => (name.trim().to_string(), mode),
        false => (rest.to_string(), ""),
    }
}

fn is_mode(word: &str) -> bool {
    matches!(word, "On" | "Off" | "N/A" | "TCC" | "WDDM" | "MCDM" | "ERR!")
}

/// Bytes of so many MiB.
fn bytes(mib: u64) -> u64 {
    mib.saturating_mul(1 << 20)
}

/// `40838MiB /  49140MiB`; the inner value is missing for `N/A` and `ERR!`.
fn memory(text: &str) -> Option<Option<Memory>> {
    let (used, total) = text.split_once('/')?;
    let mib = |text: &str| text.trim().strip_suffix("MiB")?.trim().parse::<u64>().ok();
    match (mib(used), mib(total)) {
        (Some(used), Some(total)) => {
            Some(Some(Memory { total: bytes(total), free: bytes(total.saturating_sub(used)), used: bytes(used) }))
        }
        _ if text.contains("MiB") || text.contains("N/A") || text.contains("ERR") || text.contains("Supported") => {
            Some(None)
        }
        _ => None,
    }
}

/// `30%   35C    P8             17W /  450W`.
fn first_cells(text: &str, gpu: &Subject, row: &mut Row, found: &mut Found) {
    row.cells.insert("state".to_string(), text.split_whitespace().collect::<Vec<_>>().join(" "));
    let words: Vec<&str> = text.split_whitespace().collect();
    let celsius = words.iter().find_map(|w| w.strip_suffix('C')?.parse::<u32>().ok());
    if let Some(now) = celsius.filter(|t| *t > 0) {
        found.seen(&nvidia::NVML_TEMPERATURE, gpu, Temperature { now, slowdown: None, shutdown: None });
    }
    let watts: Vec<Option<f64>> = text.rsplit_once('/').map_or(Vec::new(), |(now, limit)| {
        let watt = |t: &str| t.split_whitespace().next_back()?.strip_suffix('W')?.parse::<f64>().ok();
        vec![watt(now), watt(limit)]
    });
    if let [now, limit] = watts[..]
        && (now.is_some() || limit.is_some())
    {
        found.seen(&nvidia::NVML_POWER, gpu, PowerDraw { now, limit, default_limit: None });
    }
}
