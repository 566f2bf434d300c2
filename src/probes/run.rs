//! All probes in their order.
//!
//! The interpreters start first, because importing takes longest. Then the files; then the device nodes, before any NVIDIA
//! library is loaded here; then nvidia-smi, NVML and libcuda side by side; and at last the computations, one process at a
//! time, so that no two probes ever hold a context on one GPU.

use super::python::{self, Chosen};
use super::{
    Plan, Progress, careful, cuda, ended, host, kernel, libtorch, makers, nodes, note_end, nvml, pci, runtime, smi,
};
use crate::facts::cuda as cuda_facts;
use crate::facts::{
    Facts, host as host_facts, kernel as kernel_facts, nvidia, pci as pci_facts, python as python_facts,
};
use crate::machine::Machine;
use crate::machine::child::{End, Pause, Session, Spec, now};
use crate::subject::Subject;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the libraries wait for the nodes, and at most which part of the limit: one that blocks keeps nobody waiting for
/// longer.
const NODES_FIRST: Duration = Duration::from_secs(5);
const NODES_SHARE: u32 = 3;

/// Looks at all that the plan wants.
pub fn run(machine: &Machine, plan: &Plan, progress: &dyn Progress) -> Facts {
    let mut run = Run {
        machine,
        plan,
        progress,
        facts: Facts::new(),
        powers: driver_seen(machine),
        due: now() + machine.limit,
        hung: None,
    };
    let pythons = run.start_pythons();
    run.files();
    let possible = machine.is_live() && nvidia_possible(machine, &run.facts);
    let mut nodes = run.nodes(possible);
    let libraries = possible.then(|| run.start_libraries());
    let cuda = libraries.and_then(|running| run.finish_libraries(running));
    run.hung = nodes.as_mut().and_then(blocked);
    if let Some(session) = cuda {
        run.compute(session);
    }
    for (chosen, session) in pythons {
        run.python(&chosen, session);
    }
    run.libtorch(possible);
    if let Some(session) = nodes {
        run.finish(nodes::NAME, session, nodes::parse);
    }
    run.facts
}

/// Whether a driver is there, so that children may do to it what any CUDA program would. Where none is, they are kept
/// from making nodes and from loading modules.
pub fn driver_seen(machine: &Machine) -> bool {
    let files = ["/sys/module/nvidia", "/proc/driver/nvidia", "/sys/module/nvgpu", "/dev/dxg", "/dev/nvmap"];
    cfg!(not(target_os = "linux")) || files.iter().any(|path| machine.exists(path))
}

/// Whether asking NVIDIA's libraries can give anything. Where neither the bus nor the modules can be read, it can.
pub fn nvidia_possible(machine: &Machine, facts: &Facts) -> bool {
    if cfg!(not(target_os = "linux")) {
        return cfg!(windows);
    }
    if facts.value(&host_facts::WSL).is_some() || machine.exists("/dev/dxg") {
        return true;
    }
    let modules: Option<Vec<String>> = facts.value(&kernel_facts::MODULES);
    let loaded = modules.map(|all| all.iter().any(|module| module == "nvidia" || module == "nvgpu"));
    if facts.value(&host_facts::JETSON).is_some() || loaded == Some(true) {
        return true;
    }
    let bus: Option<u32> = facts.value(&pci_facts::DEVICES);
    let on_bus = facts.all(&pci_facts::VENDOR).any(|(vendor, _)| vendor == "0x10de");
    loaded.is_none() && (on_bus || bus.is_none_or(|devices| devices == 0))
}

/// Who reads what a child says.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Nvml,
    Cuda,
    SmiTable,
    SmiCells,
}

struct Run<'a> {
    machine: &'a Machine,
    plan: &'a Plan,
    progress: &'a dyn Progress,
    facts: Facts,
    powers: bool,
    /// When everything but the computations has to be over.
    due: Instant,
    /// Something that did not come back; no computation is begun after it.
    hung: Option<String>,
}

impl Run<'_> {
    fn start(&self, probe: &str, spec: Spec) -> Session {
        self.progress.started(probe);
        let mut session = spec.powers(self.powers).start();
        session.due(self.due);
        session
    }

    /// Waits for a child's end and takes in what it said.
    fn finish(
        &mut self,
        probe: &str,
        session: Session,
        parse: impl FnOnce(&crate::machine::child::Report, &mut Facts),
    ) {
        let report = session.finish();
        self.progress.finished(probe);
        self.guarded(probe, |facts| parse(&report, facts));
        note_end(&report, probe, &mut self.facts);
    }

    /// A probe that panics takes no other with it.
    fn guarded(&mut self, probe: &str, look: impl FnOnce(&mut Facts)) {
        let facts = &mut self.facts;
        if catch_unwind(AssertUnwindSafe(|| look(facts))).is_err() {
            let end = cuda_facts::ProbeEnd {
                how: "panicked".to_string(),
                stage: probe.to_string(),
                detail: "this is a fault of gpu-doctor".to_string(),
            };
            self.facts.seen(&cuda_facts::PROBE_END, &Subject::probe(probe), end, probe);
        }
    }

    fn start_pythons(&mut self) -> Vec<(Chosen, Session)> {
        if !self.machine.is_live() || !self.plan.wants(&["framework", "tensor"]) {
            return Vec::new();
        }
        let environments = python::find(self.machine, self.plan);
        environments.tell(&mut self.facts);
        let mut started = Vec::new();
        for found in environments.all.into_iter().filter(|found| found.leave.is_none()) {
            let chosen = found.chosen;
            let session = self.start(&label(&chosen), careful(chosen.spec(self.machine.limit)));
            started.push((chosen, session));
        }
        started
    }

    fn files(&mut self) {
        let machine = self.machine;
        self.progress.started("files");
        self.guarded("host", |facts| host::look(machine, facts));
        self.guarded("pci", |facts| pci::look(machine, facts));
        self.guarded("kernel", |facts| kernel::look(machine, facts));
        self.guarded("runtime", |facts| runtime::look(machine, facts));
        self.guarded("makers", |facts| makers::look(machine, facts));
        let programs = smi::find(machine);
        smi::found(&programs, &mut self.facts);
        self.progress.finished("files");
    }

    /// Looks at the nodes, and has them opened. Comes back before that is over where one blocks.
    fn nodes(&mut self, nvidia: bool) -> Option<Session> {
        let machine = self.machine;
        let mut found = Vec::new();
        self.guarded(nodes::NAME, |facts| found = nodes::look(machine, nvidia, facts));
        // Without a driver, opening would only have the kernel look for one.
        found.retain(|path| nvidia || !path.starts_with("/dev/nvidia"));
        if !machine.is_live() || found.is_empty() && !(nvidia && machine.exists("/proc/driver/nvidia")) {
            return None;
        }
        let spec = nodes::spec(machine, self.plan.own(machine), &found);
        // Opening needs no powers.
        let mut session = self.start(nodes::NAME, spec.powers(false));
        match session.pause_until(now() + NODES_FIRST.min(machine.limit / NODES_SHARE)) {
            Some(_) => {
                self.finish(nodes::NAME, session, nodes::parse);
                None
            }
            None => Some(session),
        }
    }

    fn start_libraries(&self) -> Vec<(Reader, String, Session)> {
        let (machine, plan) = (self.machine, self.plan);
        let mut running = Vec::new();
        let mut start = |reader, label: String, spec| running.push((reader, label.clone(), self.start(&label, spec)));
        if plan.wants(&["nvml", "visibility", "cuda-driver", "cuda-kernel", "tensor", "gpu-health"]) {
            start(Reader::Nvml, nvml::NAME.to_string(), nvml::spec(plan.own(machine), &self.facts));
        }
        if plan.wants(&["visibility", "cuda-driver", "cuda-runtime", "cuda-kernel", "framework", "tensor"]) {
            start(Reader::Cuda, cuda::NAME.to_string(), cuda::spec(plan.own(machine)));
        }
        if plan.wants(&["nvidia-smi"]) {
            let text = |program: &PathBuf| careful(Spec::text(program, machine.limit));
            let programs = smi::find(machine);
            for program in &programs {
                start(Reader::SmiTable, program.display().to_string(), text(program));
            }
            // One set of cells is enough.
            if let Some(first) = programs.first() {
                start(Reader::SmiCells, format!("{} --query-gpu", first.display()), smi::query(text(first)));
            }
        }
        running
    }

    /// Takes in what the libraries said; gives back the libcuda child where it waits to compute.
    fn finish_libraries(&mut self, mut running: Vec<(Reader, String, Session)>) -> Option<Session> {
        let mut asks = false;
        let mut open: Vec<usize> = (0..running.len()).collect();
        while !open.is_empty() {
            // In turn, so that each is known to be over when it is.
            open.retain(|&i| match running[i].2.pause_until(now()) {
                None => true,
                Some(pause) => {
                    asks |= pause != Pause::Over;
                    self.progress.finished(&running[i].1);
                    false
                }
            });
            std::thread::sleep(Duration::from_millis(if open.is_empty() { 0 } else { 2 }));
        }
        let mut waiting = None;
        for (reader, label, session) in running {
            if reader == Reader::Cuda && asks {
                waiting = Some(session);
                continue;
            }
            let report = session.finish();
            self.guarded(&label, |facts| match reader {
                Reader::Nvml => nvml::parse(&report, &[], facts),
                Reader::Cuda => cuda::parse(&report, facts),
                Reader::SmiTable => smi::parse_plain(&label, &report, facts),
                Reader::SmiCells => smi::parse_query(&label, &report, facts),
            });
            let probe = match reader {
                Reader::Nvml => nvml::NAME,
                Reader::Cuda => cuda::NAME,
                Reader::SmiTable => smi::NAME,
                // What hangs or crashes here does so in the table as well.
                Reader::SmiCells => continue,
            };
            note_end(&report, probe, &mut self.facts);
        }
        cuda::elsewhere(self.machine, &mut self.facts);
        waiting
    }

    /// The tiny computation on every device that may be used.
    fn compute(&mut self, mut session: Session) {
        self.progress.started("cuda-kernel");
        let devices = cuda::devices(session.stages());
        let mut granted = Vec::new();
        for (index, gpu) in &devices {
            match self.refusal(gpu) {
                Some(why) => self.facts.seen(&cuda_facts::NO_CONTEXT, gpu, why, "nvmlDeviceGetComputeRunningProcesses"),
                None => granted.push(index.to_string()),
            }
        }
        let wanted = self.plan.wants(&["cuda-kernel"]) && !granted.is_empty();
        session.answer(&if wanted { format!("go {}", granted.join(",")) } else { "no".to_string() });
        let report = session.finish();
        self.progress.finished("cuda-kernel");
        if let End::TimedOut { .. } = report.end {
            self.hung =
                Some(format!("an earlier computation did not come back: {}", ended(&report).unwrap_or_default()));
        }
        self.guarded(cuda::NAME, |facts| cuda::parse(&report, facts));
        note_end(&report, cuda::NAME, &mut self.facts);
    }

    /// An interpreter's frameworks, one after the other; each asks before it computes.
    fn python(&mut self, chosen: &Chosen, mut session: Session) {
        while let Pause::Waiting(_) = session.pause() {
            let framework =
                session.stages().last().and_then(|line| line["framework"].as_str()).unwrap_or("torch").to_string();
            let prefix = session.stages().iter().find(|line| line["stage"] == "interpreter");
            let prefix = prefix.and_then(|line| line["prefix"].as_str()).unwrap_or_default();
            let subject = Subject::framework(&framework, prefix);
            match self.tensor_devices() {
                Ok(answer) => session.answer(&answer),
                Err(why) => {
                    self.facts.seen(&python_facts::NO_TENSOR, &subject, why, "nvmlDeviceGetComputeRunningProcesses");
                    session.answer("no");
                }
            }
        }
        let report = session.finish();
        self.progress.finished(&label(chosen));
        if let (End::TimedOut { .. }, Some("tensor")) = (&report.end, report.unfinished().last().copied()) {
            self.hung = Some("an earlier computation did not come back".to_string());
        }
        self.guarded("python", |facts| facts.extend(python::parse(chosen, &report)));
    }

    /// libtorch by itself, after the interpreters: it is the same library without Python.
    fn libtorch(&mut self, possible: bool) {
        if !self.machine.is_live() || !self.plan.wants(&["tensor"]) {
            return;
        }
        let place = "gpu-doctor-torch";
        // What hung or crashed in libcuda would do so again.
        let hung = self.facts.machine(&cuda_facts::INIT).why_failed().map(|why| format!("libcuda: {why}"));
        let spec = match (possible, hung.or(self.hung.clone())) {
            (false, _) => Err(Some("there is no driver to try it with".to_string())),
            (true, Some(why)) => Err(Some(why)),
            (true, None) => libtorch::spec(self.machine, self.plan, &self.facts),
        };
        let (folder, spec) = match spec {
            Ok(found) => found,
            Err(None) => return self.facts.absent(&python_facts::LIBTORCH, &Subject::machine(), place),
            Err(Some(why)) => return self.facts.failed(&python_facts::LIBTORCH, &Subject::machine(), why, place),
        };
        self.due = now() + self.machine.limit;
        let mut session = self.start(libtorch::NAME, spec);
        if let Pause::Waiting(_) = session.pause() {
            session.answer(&self.tensor_devices().unwrap_or_else(|_| "no".to_string()));
        }
        let report = session.finish();
        self.progress.finished(libtorch::NAME);
        self.guarded(libtorch::NAME, |facts| libtorch::parse(&folder, &report, facts));
        if libtorch::began(&report) {
            note_end(&report, libtorch::NAME, &mut self.facts);
        }
    }

    /// The answer to a framework that asks to compute, or why it may not.
    fn tensor_devices(&self) -> Result<String, String> {
        if !self.plan.wants(&["tensor"]) {
            return Err("not asked for".to_string());
        }
        if let Some(why) = self.plan.passive.then(|| "passive".to_string()).or(self.hung.clone()) {
            return Err(why);
        }
        // The framework counts devices as libcuda does in the same environment.
        let devices: Vec<(u32, Subject)> =
            self.facts.all(&cuda_facts::DEVICE).map(|(device, fact)| (device.index, fact.subject.clone())).collect();
        let known = devices.iter().map(|(index, gpu)| (index, self.refusal(gpu)));
        let (free, refused): (Vec<_>, Vec<_>) = known.partition(|(_, refusal)| refusal.is_none());
        let any_busy = || self.facts.subjects_with(&nvidia::NVML_PROCESSES).iter().find_map(|gpu| self.refusal(gpu));
        match (free.as_slice(), refused.first()) {
            ([], Some((_, why))) => Err(why.clone().unwrap_or_default()),
            // No device is known by ordinal: all of them, or none.
            ([], None) => any_busy().map_or(Ok("go".to_string()), Err),
            (_, None) => Ok("go".to_string()),
            (free, Some(_)) => {
                let list: Vec<String> = free.iter().map(|(index, _)| index.to_string()).collect();
                Ok(format!("go {}", list.join(",")))
            }
        }
    }

    /// Why a GPU gets no context, if so.
    fn refusal(&self, gpu: &Subject) -> Option<String> {
        if self.plan.passive {
            return Some("passive".to_string());
        }
        if let Some(why) = &self.hung {
            return Some(why.clone());
        }
        if self.plan.busy {
            return None;
        }
        let processes = self.facts.look(&nvidia::NVML_PROCESSES, gpu).seen().unwrap_or_default();
        let exclusive =
            self.facts.look(&nvidia::NVML_COMPUTE_MODE, gpu).seen().is_some_and(|m| m.starts_with("exclusive"));
        let holder = processes.iter().find(|process| process.kind == "compute" || exclusive)?;
        Some(format!("busy: process {} computes on it", holder.pid))
    }
}

/// Where a node does not open, no computation would come back either.
fn blocked(nodes: &mut Session) -> Option<String> {
    nodes.pause_until(now());
    let said = crate::machine::child::unfinished(nodes.stages());
    said.into_iter().find(|stage| stage.starts_with("open ")).map(|stage| format!("{stage} did not come back"))
}

fn label(chosen: &Chosen) -> String {
    chosen.path.display().to_string()
}
