//! All probes in their order.
//!
//! The interpreters start first, because importing takes longest. Then the files; then the device nodes, before any NVIDIA
//! library is loaded here; then nvidia-smi, NVML and libcuda side by side; and at last the computations (`compute.rs`), one
//! process at a time, so that no two probes ever hold a context on one GPU.

mod compute;

use super::python::{self, Child, Found, Pool};
use super::{Plan, Progress, acs, careful, cuda, host, kernel, makers, nodes, note_end, nvml, pci, runtime, rust, smi};
use crate::facts::cuda as cuda_facts;
use crate::facts::{Facts, host as host_facts, kernel as kernel_facts, pci as pci_facts};
use crate::machine::Machine;
use crate::machine::child::{Pause, Report, Session, Spec, now};
use crate::machine::scratch::Scratch;
use crate::subject::Subject;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the libraries wait for the nodes, and at most which part of the limit: one that blocks keeps nobody waiting for
/// longer.
const NODES_FIRST: Duration = Duration::from_secs(5);
const NODES_SHARE: u32 = 3;

/// Looks at all that the plan wants.
pub fn run(machine: &Machine, plan: &Plan, progress: &dyn Progress) -> Facts {
    let scratch = OnceCell::new();
    let starter = Starter { machine, progress, scratch: &scratch, powers: driver_seen(machine) };
    let mut run = Run {
        machine,
        plan,
        progress,
        starter,
        facts: Facts::new(),
        due: now() + machine.limit,
        hung: None,
        interpreters: Vec::new(),
        pool: Pool::new([], 1),
        reports: Vec::new(),
    };
    run.start_pythons();
    run.files();
    if plan.quick {
        run.nodes_as_they_lie();
        return run.facts;
    }
    let possible = machine.is_live() && nvidia_possible(machine, &run.facts);
    let mut nodes = run.nodes(possible);
    let libraries = possible.then(|| run.start_libraries());
    let cuda = libraries.and_then(|running| run.finish_libraries(running));
    run.hung = nodes.as_mut().and_then(blocked);
    if let Some(session) = cuda {
        run.compute(session);
    }
    run.frameworks();
    run.libtorch(possible);
    run.programs();
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

/// What starting a child takes.
#[derive(Clone, Copy)]
struct Starter<'a> {
    machine: &'a Machine,
    progress: &'a dyn Progress,
    /// Made for the first interpreter.
    scratch: &'a OnceCell<Scratch>,
    powers: bool,
}

impl Starter<'_> {
    fn python(&self, child: &Child) -> Session {
        self.progress.started(&child.label());
        careful(child.spec(self.machine.limit, self.scratch.get_or_init(Scratch::new))).powers(self.powers).start()
    }
}

struct Run<'a> {
    machine: &'a Machine,
    plan: &'a Plan,
    progress: &'a dyn Progress,
    starter: Starter<'a>,
    facts: Facts,
    /// When everything but the computations has to be over.
    due: Instant,
    /// Something that did not come back; no computation is begun after it.
    hung: Option<String>,
    /// The interpreters that are asked, in their order.
    interpreters: Vec<Found>,
    /// Their children.
    pool: Pool,
    /// Those that are over.
    reports: Vec<(Child, Report)>,
}

impl Run<'_> {
    fn start(&self, probe: &str, spec: Spec) -> Session {
        self.progress.started(probe);
        let mut session = spec.powers(self.starter.powers).start();
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

    fn start_pythons(&mut self) {
        if !self.machine.is_live() || !self.plan.wants(&["framework", "tensor"]) {
            return;
        }
        let environments = python::find(self.machine, self.plan);
        environments.tell(&mut self.facts);
        let mut asked = Vec::new();
        for found in environments.all {
            // Of one that is not started, the files tell what is installed there.
            if self.plan.quick || (found.leave.is_some() && !found.about.in_use) {
                let machine = self.machine.of_programs();
                self.guarded("python", |facts| python::installed::guessed(&machine, &found, facts));
            } else if found.leave.is_none() {
                asked.push(found);
            }
        }
        self.interpreters = asked;
        if self.interpreters.is_empty() {
            return;
        }
        self.pool =
            Pool::new(self.interpreters.iter().map(|found| Child::first(found.chosen.clone())), self.machine.at_once());
        self.turn();
    }

    /// Takes in what the children of the interpreters said meanwhile, and starts the next.
    fn turn(&mut self) {
        let starter = self.starter;
        for (child, report) in self.pool.turn(&|child| starter.python(child)) {
            self.progress.finished(&child.label());
            if python::hung(&report) {
                self.hung = Some("an earlier computation did not come back".to_string());
            }
            self.reports.push((child, report));
        }
    }

    fn files(&mut self) {
        let machine = self.machine;
        self.progress.started("files");
        self.guarded("host", |facts| host::look(machine, facts));
        self.guarded("pci", |facts| {
            pci::look(machine, facts);
            acs::look(machine, facts);
        });
        self.guarded("kernel", |facts| kernel::look(machine, facts));
        self.guarded("runtime", |facts| runtime::look(machine, facts));
        self.guarded("makers", |facts| makers::look(machine, facts));
        if machine.is_live() && self.plan.wants(&["program"]) {
            let programs = machine.of_programs();
            self.guarded("rust", |facts| rust::look(&programs, facts));
        }
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

    /// Which nodes there are, without opening one.
    fn nodes_as_they_lie(&mut self) {
        let machine = self.machine;
        let nvidia = machine.is_live() && nvidia_possible(machine, &self.facts);
        self.guarded(nodes::NAME, |facts| drop(nodes::look(machine, nvidia, facts)));
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
            self.turn();
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
}

/// Where a node does not open, no computation would come back either.
fn blocked(nodes: &mut Session) -> Option<String> {
    nodes.pause_until(now());
    let said = crate::machine::child::unfinished(nodes.stages());
    said.into_iter().find(|stage| stage.starts_with("open ")).map(|stage| format!("{stage} did not come back"))
}
