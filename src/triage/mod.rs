//! Pasted text as facts: the same facts that a live machine gives, so that the same checks and causes judge them.
//!
//! A text is read line by line, in bounded memory. Each line is cleaned (see [`clean`]) and shown to every reader: one
//! file per kind of text. A reader keeps what it needs to know of the lines before, and puts down facts whose source is
//! `FILE:LINE`. What nobody recognises is ignored.

pub mod clean;
pub mod messages;

mod codes;
mod collect_env;
mod container_run;
mod counts;
mod devices;
mod env;
mod finder;
mod gate;
mod kernel_log;
mod modules;
mod own_json;
mod packages;
mod parts;
mod python_says;
mod smi;
mod smi_query;
mod system;
mod topology;
mod torch;
mod views;

use crate::facts::nvidia::{self, DriverLibrary, Mig};
use crate::facts::said::{self, Said};
use crate::facts::{DeserializeKey, Fact, Facts, Key, State, kernel, python};
use crate::subject::Subject;
use counts::Counts;
use gate::Marks;
use serde::Serialize;
use std::io::{self, BufRead};

/// The most facts of one key and subject that are kept: a log that says a thing a million times says it as often as this.
const MOST: usize = 64;
/// The same for keys that hold lists.
const MOST_OF_A_LIST: usize = 400;
/// The same for lines of the kernel log, of which the reader keeps few of a kind.
const MOST_OF_A_LOG: usize = 1200;
/// The most facts in all.
const MOST_IN_ALL: usize = 20_000;

pub use parts::environment;

/// One line of a text, cleaned.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The text, without quoting, colours, numbers in the margin and trailing blanks.
    pub text: &'a str,
    /// Number in the file, from 1.
    pub number: u64,
    /// What its words are.
    pub(crate) marks: Marks,
}

/// A reader of one kind of text.
pub trait Reader {
    /// Whether it wants the next line whatever that holds; else it gets only lines that may begin something.
    fn waits(&self) -> bool {
        false
    }
    /// Takes a line in.
    fn line(&mut self, line: Line, found: &mut Found);
    /// The text is over.
    fn end(&mut self, _found: &mut Found) {}
}

/// A text with its name.
pub struct Text<'a> {
    /// What sources call it: the file's name, or `-`.
    pub name: &'a str,
    /// Whose view it is, where several are given together.
    pub view: Option<&'a str>,
    /// The bytes.
    pub bytes: &'a mut dyn BufRead,
}

/// Where readers put down what they found.
pub struct Found<'a> {
    facts: &'a mut Facts,
    counts: &'a mut Counts,
    name: &'a str,
    view: Option<&'a str>,
    line: u64,
    /// What the text says about its torch so far.
    torch: torch::Torch,
    /// Which number of a list is which GPU.
    indices: Vec<(u32, Subject)>,
    /// MIG instances by GPU.
    instances: Vec<(Subject, String, u64)>,
}

impl Found<'_> {
    /// Number of the line that facts are put down for.
    fn line_number(&self) -> u64 {
        self.line
    }

    /// Facts that follow are those of an earlier line.
    fn set_line(&mut self, line: u64) {
        self.line = line;
    }

    /// What is known of the machine so far.
    fn value<T: DeserializeKey>(&self, key: &Key<T>) -> Option<T> {
        self.facts.value(key)
    }

    /// nvidia-smi's number of a GPU.
    fn index(&mut self, index: u32, gpu: &Subject) {
        if self.indices.len() < MOST {
            self.indices.push((index, gpu.clone()));
        }
    }

    /// The GPU that was shown with this name; the first one where none was.
    fn gpu_named(&self, name: &str) -> Subject {
        let plain = |name: &str| name.trim().trim_start_matches("NVIDIA ").to_string();
        let named = self.facts.all(&nvidia::NVML_NAME).find(|(other, _)| plain(other) == plain(name));
        named.map_or_else(|| parts::gpu_number(0), |(_, fact)| fact.subject.clone())
    }

    /// A MIG instance of a GPU.
    fn instance(&mut self, gpu: &Subject, uuid: &str) {
        if self.instances.len() < MOST_OF_A_LIST {
            self.instances.push((gpu.clone(), uuid.to_string(), self.line));
        }
    }

    /// Version of the driver's user-space library.
    fn library(&mut self, version: &str) {
        let library = DriverLibrary {
            name: "libnvidia-ml".to_string(),
            target: format!("libnvidia-ml.so.{version}"),
            version: Some(version.to_string()),
        };
        self.seen(&nvidia::LIBRARY, &Subject::file("libnvidia-ml.so.1"), library);
    }

    /// Facts of a report that stands in the text, with the line where it begins.
    fn take(&mut self, facts: Facts, line: u64) {
        for mut fact in facts.iter().cloned() {
            if self.facts.len() < MOST_IN_ALL {
                fact.source = format!("{}:{line}: {}", self.name, fact.source);
                fact.context.view = fact.context.view.or(self.view.map(str::to_string));
                self.facts.push(fact);
            }
        }
    }

    /// The text is over: what several lines say together.
    fn finish(&mut self) {
        std::mem::take(&mut self.torch).finish(self);
        let mut left = std::mem::take(&mut self.instances);
        while let Some((gpu, _, line)) = left.first().cloned() {
            let (mine, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(other, _, _)| *other == gpu);
            left = others;
            let instances = mine.into_iter().map(|(_, uuid, _)| uuid).collect();
            self.seen_at(&nvidia::NVML_MIG, &gpu, Mig { enabled: true, pending: true, instances }, line);
        }
    }

    /// What an earlier line says is not there.
    fn absent_at<T>(&mut self, key: &Key<T>, subject: &Subject, line: u64) {
        self.push(key.name, subject, line, || Some(State::Absent));
    }

    /// A value that the line being read shows.
    pub fn seen<T: Serialize>(&mut self, key: &Key<T>, subject: &Subject, value: T) {
        self.seen_at(key, subject, value, self.line);
    }

    /// A value that an earlier line showed.
    pub fn seen_at<T: Serialize>(&mut self, key: &Key<T>, subject: &Subject, value: T, line: u64) {
        self.push(key.name, subject, line, || Some(State::Seen { value: serde_json::to_value(value).ok()? }));
    }

    /// What the line says is not there. Only for text that says so; silence is no such thing.
    pub fn absent<T>(&mut self, key: &Key<T>, subject: &Subject) {
        self.absent_at(key, subject, self.line);
    }

    /// What the line says could not be looked at.
    pub fn failed<T>(&mut self, key: &Key<T>, subject: &Subject, why: impl Into<String>) {
        self.push(key.name, subject, self.line, || Some(State::Failed { why: why.into() }));
    }

    /// What a person says.
    pub fn reported<T: Serialize>(&mut self, key: &Key<T>, subject: &Subject, value: T) {
        self.push(key.name, subject, self.line, || Some(State::Reported { value: serde_json::to_value(value).ok()? }));
    }

    /// A message of the table.
    pub fn said(&mut self, id: &'static str, text: &str, values: impl IntoIterator<Item = (&'static str, String)>) {
        if self.counts.message(id) {
            let values = values.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
            let said = Said { id: id.to_string(), text: shortened(text), values };
            self.seen(&said::MESSAGE, &Subject::machine(), said);
        }
    }

    /// Puts a fact down, unless there are enough of its kind; its value is made only then.
    fn push(&mut self, key: &'static str, subject: &Subject, line: u64, state: impl FnOnce() -> Option<State>) {
        let most = match key {
            _ if key == said::MESSAGE.name => usize::MAX,
            _ if key == kernel::LOG_LINE.name => MOST_OF_A_LOG,
            _ if key == python::PACKAGE.name => MOST_OF_A_LIST,
            _ => MOST,
        };
        if self.facts.len() >= MOST_IN_ALL || !self.counts.fact(key, subject, most) {
            return;
        }
        let Some(state) = state() else { return };
        let mut fact = Fact {
            key: key.into(),
            subject: subject.clone(),
            context: Default::default(),
            state,
            source: format!("{}:{line}", self.name),
        };
        fact.context.view = self.view.map(str::to_string);
        self.facts.push(fact);
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 240;
    let text = text.trim();
    match text.char_indices().nth(MOST) {
        None => text.to_string(),
        Some((end, _)) => format!("{} ...", &text[..end]),
    }
}

/// Every reader, one per kind of text.
fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(messages::Messages::default()),
        Box::new(collect_env::CollectEnv::default()),
        Box::new(smi::Smi::default()),
        Box::new(smi_query::SmiQuery::default()),
        Box::new(kernel_log::KernelLog::default()),
        Box::new(codes::Codes),
        Box::new(python_says::PythonSays::default()),
        Box::new(packages::Packages::default()),
        Box::new(devices::Devices::default()),
        Box::new(env::Env::default()),
        Box::new(modules::Modules::default()),
        Box::new(topology::Topology::default()),
        Box::new(container_run::ContainerRuns::default()),
    ]
}

/// Reads texts of one machine.
pub fn read(texts: &mut [Text]) -> io::Result<Facts> {
    read_where(texts, |marks| marks.has(Marks::OPENS))
}

fn read_where(texts: &mut [Text], opens: fn(Marks) -> bool) -> io::Result<Facts> {
    let mut facts = Facts::new();
    let mut counts = Counts::default();
    let mut lines = 0;
    let mut indices = Vec::new();
    for text in texts {
        let mut readers = readers();
        let mut own = own_json::OwnJson::default();
        let mut found = Found {
            facts: &mut facts,
            counts: &mut counts,
            name: text.name,
            view: text.view,
            line: 0,
            torch: torch::Torch::default(),
            indices: Vec::new(),
            instances: Vec::new(),
        };
        clean::lines(text.bytes, |line| {
            found.line = line.number;
            // A report of ours says all in its facts; its words are no messages.
            if own.takes(line, &mut found) {
                return;
            }
            let line = Line { marks: gate::marks(line.text), ..line };
            let opens = opens(line.marks);
            for reader in readers.iter_mut().filter(|reader| opens || reader.waits()) {
                reader.line(line, &mut found);
            }
        })?;
        lines += found.line;
        for reader in &mut readers {
            reader.end(&mut found);
        }
        found.finish();
        indices.append(&mut found.indices);
    }
    let mut facts = views::settled(facts, &indices);
    facts.seen(&said::LINES, &Subject::machine(), lines, "triage");
    Ok(facts)
}

/// Reads one text that is in memory, as tests and pages do.
pub fn read_str(text: &str) -> Facts {
    let mut bytes = text.as_bytes();
    // Reading from memory does not fail.
    read(&mut [Text { name: "-", view: None, bytes: &mut bytes }]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_that_matters_is_left_out() {
        for text in include_str!("../../tests/fuzz_triage.txt").split("\n----\n") {
            let all = |opens: fn(Marks) -> bool| {
                let mut bytes = text.as_bytes();
                let facts = read_where(&mut [Text { name: "-", view: None, bytes: &mut bytes }], opens).unwrap();
                facts.iter().map(|fact| format!("{fact:?}")).collect::<Vec<_>>()
            };
            assert_eq!(all(|marks| marks.has(Marks::OPENS)), all(|_| true), "{text}");
        }
    }
}
