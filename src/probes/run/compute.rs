//! The computations: through libcuda alone, in the frameworks, in libtorch; one process at a time.

use super::Run;
use crate::facts::{cuda as cuda_facts, nvidia, python as python_facts};
use crate::machine::child::{End, Pause, Report, Session, Spec, now};
use crate::probes::python::{self, Child, Found, startup};
use crate::probes::{careful, cuda, ended, libtorch, note_end, programs};
use crate::subject::Subject;
use crate::tables::frameworks;
use std::time::Duration;

/// Time between two looks at the children.
const TURN: Duration = Duration::from_millis(2);

impl Run<'_> {
    /// The tiny computation on every device that may be used.
    pub(super) fn compute(&mut self, mut session: Session) {
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
        while session.pause_until(now() + TURN).is_none() {
            self.turn();
        }
        let report = session.finish();
        self.progress.finished("cuda-kernel");
        if let End::TimedOut { .. } = report.end {
            self.hung =
                Some(format!("an earlier computation did not come back: {}", ended(&report).unwrap_or_default()));
        }
        self.guarded(cuda::NAME, |facts| cuda::parse(&report, facts));
        note_end(&report, cuda::NAME, &mut self.facts);
    }

    /// The frameworks of the interpreters. One after the other may compute, and the others go on meanwhile.
    pub(super) fn frameworks(&mut self) {
        loop {
            self.turn();
            if self.pool.is_over() {
                break;
            }
            match self.pool.waiting().filter(|_| !self.pool.computes()).map(|(child, session)| subject(child, session))
            {
                Some(subject) => match self.tensor_devices() {
                    Ok(devices) => self.pool.answer(Some(&devices)),
                    Err(why) => {
                        let source = "nvmlDeviceGetComputeRunningProcesses";
                        self.facts.seen(&python_facts::NO_TENSOR, &subject, why, source);
                        self.pool.answer(None);
                    }
                },
                None => std::thread::sleep(TURN),
            }
        }
        let mut reports = std::mem::take(&mut self.reports);
        let order = |child: &Child| frameworks::ALL.iter().position(|framework| framework.name == child.framework.name);
        let interpreters = std::mem::take(&mut self.interpreters);
        let place = |child: &Child| interpreters.iter().position(|found| found.chosen == child.chosen);
        reports.sort_by_key(|(child, _)| (place(child), order(child)));
        let machine = self.machine;
        let seconds = self.second_starts(&reports);
        for ((child, report), second) in reports.into_iter().zip(seconds) {
            if let Some(found) = place(&child).map(|n| &interpreters[n]) {
                python::rename(&mut self.facts, found, &child, &report);
            }
            if let Some(second) = second {
                self.started_again(&child, &report, &second, place(&child).map(|n| &interpreters[n]));
            }
            self.guarded("python", |facts| facts.extend(python::read(machine, &child, &report, facts)));
        }
        self.missing();
        self.guarded("libraries", |facts| python::libraries::look(&machine.of_programs(), facts));
    }

    /// The framework that was asked for and that no interpreter has.
    fn missing(&mut self) {
        let Some(name) = &self.plan.framework else { return };
        for environment in self.facts.subjects_with(&python_facts::INTERPRETER) {
            let subject = Subject::framework(name, &environment.id);
            let known = self.facts.iter().any(|fact| fact.subject == subject);
            let answers = self.facts.look(&python_facts::INTERPRETER, &environment).seen();
            if let (false, Some(interpreter)) = (known, answers) {
                let source = format!("{}: importlib", interpreter.path);
                self.facts.absent(&python_facts::DISTRIBUTION, &subject, source);
            }
        }
    }

    /// Starts each interpreter that did not come up once more, without the code that runs at every start; some side by side,
    /// because one that hung may hang again.
    fn second_starts(&self, reports: &[(Child, Report)]) -> Vec<Option<Report>> {
        let limit = self.machine.limit;
        let firsts = reports.iter().enumerate().filter(|(_, (child, _))| child.prefix.is_none());
        let second =
            |(n, (child, report)): (usize, &(Child, Report))| Some((n, startup::second(&child.chosen, report, limit)?));
        let mut wanted: Vec<(usize, Spec)> = firsts.filter_map(second).collect();
        let mut seconds: Vec<Option<Report>> = vec![None; reports.len()];
        while !wanted.is_empty() {
            let some = wanted.drain(..wanted.len().min(self.machine.at_once()));
            let start = |(n, spec): (usize, Spec)| (n, careful(spec).powers(self.starter.powers).start());
            let running: Vec<(usize, Session)> = some.map(start).collect();
            running.into_iter().for_each(|(n, session)| seconds[n] = Some(session.finish()));
        }
        seconds
    }

    /// What a second start tells of an interpreter that did not come up.
    fn started_again(&mut self, child: &Child, report: &Report, second: &Report, found: Option<&Found>) {
        let machine = self.machine.of_programs();
        let folders = found.map(|found| python::installed::folders_of(&machine, found)).unwrap_or_default();
        if let Some(trouble) =
            startup::failure(report, second, startup::culprit(&machine, &child.chosen.path, &folders))
        {
            let path = child.chosen.path.display().to_string();
            self.facts.seen(&python_facts::TROUBLE, &Subject::environment(&path), trouble, format!("{path} -I -S"));
        }
    }

    /// libtorch by itself, after the interpreters: it is the same library without Python.
    pub(super) fn libtorch(&mut self, possible: bool) {
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

    /// The native programs on PATH. What some of them are asked makes a context on every device.
    pub(super) fn programs(&mut self) {
        if !self.machine.is_live() || !self.plan.wants(&["program"]) {
            return;
        }
        let machine = self.machine.of_programs();
        let mut asks = Vec::new();
        self.guarded("programs", |facts| asks = programs::look(&machine, facts));
        let granted = match self.tensor_devices() {
            Ok(devices) if devices != "go" => Err("another process computes on one of the GPUs".to_string()),
            answer => answer.map(drop),
        };
        for ask in asks {
            if let (true, Err(why)) = (ask.computes(), &granted) {
                self.guarded("programs", |facts| programs::not_asked(&ask, why, facts));
                continue;
            }
            let label = ask.path.display().to_string();
            self.due = now() + ask.spec.limit;
            let session = self.start(&label, careful(ask.spec.clone()));
            let report = session.finish();
            self.progress.finished(&label);
            self.guarded("programs", |facts| programs::answered(&ask, &report, facts));
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

/// What a child asks for. It says the prefix of its environment itself.
fn subject(child: &Child, session: &Session) -> Subject {
    let said = session.stages().iter().find(|line| line["stage"] == "interpreter");
    let prefix = said.and_then(|line| line["prefix"].as_str()).or(child.prefix.as_deref());
    Subject::framework(child.framework.name, prefix.unwrap_or_default())
}
