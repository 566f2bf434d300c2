//! A child that runs: its pipes, its limit, its end.

use super::pipes::{self, Event, Kept};
use super::{End, Report, Speaks, orphans, system};
use serde_json::Value;
use std::io::Write;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between asking a group to end and killing it; enough for a Python to print its stack.
const ASKED: Duration = Duration::from_millis(100);
/// Time between killing a group and giving it up.
const GRACE: Duration = Duration::from_millis(300);
/// Time in which pipes may stay open after the child ended: a grandchild may hold them for ever.
const TRAILING: Duration = Duration::from_millis(200);
/// The same for a child that exited with 0 and of which the last words did not come yet: on a busy machine the thread that reads
/// them waits for its turn.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Bytes of stdout at which a child counts as flooding.
const FLOOD: usize = 8 << 20;
/// Characters kept of what is said before the first stage.
const NOISE: usize = 200;
/// Questions that a child may ask: each gives it its limit anew. Those of this program ask one.
const QUESTIONS: usize = 4;
/// Bytes of stderr at which it does: frameworks may be talkative there.
const FLOOD_STDERR: usize = 64 << 20;

/// Why [`Session::pause`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The child waits for a line, and says for which.
    Waiting(String),
    /// The child is over.
    Over,
}

/// A child that runs. It must be started and finished by one thread: on Linux it is killed when the thread that started
/// it ends, so that an interrupted check leaves nothing behind.
#[derive(Debug)]
pub struct Session {
    running: Option<system::Group>,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    deadline: Instant,
    started: Instant,
    stdout: Kept,
    stderr: Kept,
    open_pipes: u32,
    questions: usize,
    report: Report,
    over: bool,
    speaks: Speaks,
    /// What its descendants carry.
    mark: Option<String>,
}

impl Session {
    /// Takes over a child that was started, or the reason why it was not.
    pub(super) fn new(child: Result<Child, String>, speaks: Speaks, limit: Duration, mark: Option<String>) -> Session {
        let started = Instant::now();
        let (sender, events) = mpsc::channel();
        let mut session = Session {
            running: None,
            input: None,
            events,
            deadline: started + limit,
            started,
            stdout: Kept::default(),
            stderr: Kept::default(),
            open_pipes: 0,
            questions: 0,
            report: Report { limit, ..Report::not_started("") },
            over: false,
            speaks,
            mark,
        };
        match child {
            Err(why) => {
                session.report.end = End::NotStarted(why);
                session.over = true;
            }
            Ok(mut child) => {
                session.input = child.stdin.take();
                if let Some(out) = child.stdout.take() {
                    match speaks {
                        Speaks::Stages => pipes::lines(out, FLOOD, sender.clone()),
                        Speaks::Text => pipes::keep(out, session.stdout.clone(), FLOOD, sender.clone()),
                    }
                    session.open_pipes += 1;
                }
                if let Some(err) = child.stderr.take() {
                    pipes::keep(err, session.stderr.clone(), FLOOD_STDERR, sender);
                    session.open_pipes += 1;
                }
                session.running = Some(system::Group::of(child));
            }
        }
        session
    }

    /// The stages so far.
    pub fn stages(&self) -> &[Value] {
        &self.report.stages
    }

    /// Whether it is over, without waiting.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The process id of the child, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.running.as_ref().map(system::Group::id)
    }

    /// Waits until the child asks for a line, or is over.
    pub fn pause(&mut self) -> Pause {
        let limit = self.deadline;
        self.pause_until(limit).unwrap_or(Pause::Over)
    }

    /// The same, but comes back with nothing at `moment` when the child still works and has time left.
    pub fn pause_until(&mut self, moment: Instant) -> Option<Pause> {
        let mut wait = Duration::from_millis(1);
        let mut ended: Option<Instant> = None;
        while !self.over {
            // First what was said and what happened, then the clock: this may be called long after the child asked.
            if let Ok(event) = self.events.try_recv() {
                match self.take(event) {
                    Some(question) => return Some(Pause::Waiting(question)),
                    None => continue,
                }
            }
            let now = Instant::now();
            if ended.is_none() && self.running.as_mut().is_none_or(|group| group.has_ended()) {
                ended = Some(now);
            }
            match ended {
                Some(since) if self.open_pipes == 0 || now >= self.heard_out(since) => self.close(None),
                None if now >= self.deadline => self.close(Some(End::TimedOut { abandoned: false })),
                None if now >= moment => return None,
                _ => {}
            }
            if self.over {
                break;
            }
            match self.events.recv_timeout(wait) {
                Ok(event) => {
                    if let Some(question) = self.take(event) {
                        return Some(Pause::Waiting(question));
                    }
                }
                Err(RecvTimeoutError::Timeout) => wait = (wait * 2).min(Duration::from_millis(20)),
                // Both pipes are closed; the end cannot be far.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        Some(Pause::Over)
    }

    /// Until when the pipes of a child are read that ended at a moment.
    fn heard_out(&self, ended: Instant) -> Instant {
        let usual = ended + TRAILING;
        let well = self.running.as_ref().is_some_and(system::Group::ended_well);
        match self.speaks == Speaks::Stages && well && !self.report.done {
            true => (ended + LAST_WORDS).min(self.deadline).max(usual),
            false => usual,
        }
    }

    /// Answers the child's question with a line, and gives it its limit anew.
    pub fn answer(&mut self, line: &str) {
        self.deadline = Instant::now() + self.report.limit;
        if let Some(input) = &mut self.input {
            // A child that is gone shows in its end, not here.
            let _ = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Shortens or moves the deadline.
    pub fn due(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    /// Answers no more questions, waits for the end, and says what came of it.
    pub fn finish(mut self) -> Report {
        self.input = None;
        while let Pause::Waiting(_) = self.pause() {}
        std::mem::replace(&mut self.report, Report::not_started("it is over"))
    }

    /// Keeps what was said before the first stage.
    fn noise(&mut self, line: &[u8]) {
        let noise = &mut self.report.noise;
        if self.report.stages.is_empty() && noise.len() < NOISE {
            let text = String::from_utf8_lossy(line);
            noise.extend(text.chars().take(NOISE).chain(['\n']));
        }
    }

    /// Takes in what a pipe gave; gives back a question.
    fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::Line(line) => {
                let Ok(Value::Object(stage)) = serde_json::from_slice::<Value>(&line) else {
                    self.noise(&line);
                    return None;
                };
                self.report.first.get_or_insert_with(|| self.started.elapsed());
                let stage = Value::Object(stage);
                self.report.done |= stage["done"] == true;
                let question = stage["waiting"].as_str().map(str::to_string);
                self.report.stages.push(stage);
                self.questions += usize::from(question.is_some());
                if self.questions > QUESTIONS && !self.over {
                    self.close(Some(End::Flooded));
                }
                return question.filter(|_| !self.over);
            }
            Event::End => self.open_pipes -= 1,
            Event::Flooded if self.over => {}
            Event::Flooded => self.close(Some(End::Flooded)),
        }
        None
    }

    /// Ends the child: of itself (nothing given), or because of the limit or a flood.
    fn close(&mut self, because: Option<End>) {
        self.over = true;
        self.input = None;
        let Some(mut group) = self.running.take() else { return };
        let asked = Instant::now();
        if because.is_some() {
            group.ask_to_end();
            while !group.has_ended() && asked.elapsed() < ASKED {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        // What the child started and left behind goes too; this comes before the child is reaped, so that its number
        // cannot have been given to somebody else.
        group.kill();
        let killed = Instant::now();
        while !group.has_ended() && killed.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(2));
        }
        let own = group.reap();
        if let Some(mark) = &self.mark {
            orphans::kill(mark);
        }
        self.report.end = match (because, own) {
            (Some(End::TimedOut { .. }), own) => End::TimedOut { abandoned: own.is_none() },
            (Some(end), _) => end,
            (None, Some(end)) => end,
            (None, None) => End::TimedOut { abandoned: true },
        };
        // What still lies in the channel was said before the end.
        while let Ok(event) = self.events.recv_timeout(Duration::from_millis(if self.open_pipes > 0 { 5 } else { 0 })) {
            self.take(event);
        }
        self.report.stdout = self.stdout.text();
        self.report.stderr = self.stderr.text();
        self.report.took = self.started.elapsed();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.over {
            self.close(Some(End::TimedOut { abandoned: false }));
        }
    }
}
