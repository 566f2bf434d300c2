//! All children of all interpreters: how many run at once, and who waits to compute.
//!
//! Nothing here waits: [`Pool::turn`] takes in what the children said so far and starts the next ones. The one who calls it
//! grants computations, one at a time.

use super::Child;
use crate::machine::child::{Pause, Report, Session, now};
use std::collections::VecDeque;

/// Starts a child. The flag says whether it is the first of its interpreter.
pub type Start<'a> = &'a dyn Fn(&Child) -> Session;

/// The children.
pub struct Pool {
    queue: VecDeque<Child>,
    running: Vec<Running>,
    ended: Vec<(Child, Report)>,
    at_once: usize,
}

struct Running {
    child: Child,
    session: Session,
    /// Whether it waits for the answer to its question.
    waits: bool,
    /// Whether it has told what else is to be asked in its interpreter.
    told: bool,
    /// Whether it was granted a computation.
    computes: bool,
}

impl Pool {
    /// A pool for the first children of these interpreters, in their order. `at_once` is how many may run side by side:
    /// importing a framework takes a core and some 100 MB to 1 GB of memory.
    pub fn new(first: impl IntoIterator<Item = Child>, at_once: usize) -> Pool {
        let queue = first.into_iter().collect();
        Pool { queue, running: Vec::new(), ended: Vec::new(), at_once: at_once.max(1) }
    }

    /// Takes in what was said, and starts what there is room for. Gives back what ended since the last turn.
    pub fn turn(&mut self, start: Start) -> Vec<(Child, Report)> {
        let moment = now();
        let mut still = Vec::new();
        for mut running in std::mem::take(&mut self.running) {
            // One that waits is not looked at: its time begins anew with the answer.
            let pause = if running.waits { None } else { running.session.pause_until(moment) };
            if !running.told {
                let others = running.child.prefix.is_none().then(|| running.child.others(running.session.stages()));
                let others = others.unwrap_or_default();
                running.told = !others.is_empty();
                // Those of an interpreter that was begun come before another interpreter.
                others.into_iter().rev().for_each(|child| self.queue.push_front(child));
            }
            match pause {
                Some(Pause::Over) => self.ended.push((running.child, running.session.finish())),
                // One that asks again computes no more: nobody would be answered for as long as it did.
                Some(Pause::Waiting(_)) => still.push(Running { waits: true, computes: false, ..running }),
                None => still.push(running),
            }
        }
        self.running = still;
        while self.running.iter().filter(|r| !r.waits).count() < self.at_once && self.running.len() < 2 * self.at_once {
            let Some(child) = self.queue.pop_front() else { break };
            let session = start(&child);
            self.running.push(Running { child, session, waits: false, told: false, computes: false });
        }
        std::mem::take(&mut self.ended)
    }

    /// Whether all are over.
    pub fn is_over(&self) -> bool {
        self.queue.is_empty() && self.running.is_empty()
    }

    /// Whether somebody computes at this moment.
    pub fn computes(&self) -> bool {
        self.running.iter().any(|r| r.computes)
    }

    /// The next one that waits for an answer, with what it said so far.
    pub fn waiting(&self) -> Option<(&Child, &Session)> {
        self.running.iter().find(|r| r.waits).map(|r| (&r.child, &r.session))
    }

    /// Answers that one: with the devices that it may use, or with nothing where it may use none.
    pub fn answer(&mut self, devices: Option<&str>) {
        if let Some(running) = self.running.iter_mut().find(|r| r.waits) {
            running.waits = false;
            running.computes = devices.is_some();
            running.session.answer(devices.unwrap_or("no"));
        }
    }
}
