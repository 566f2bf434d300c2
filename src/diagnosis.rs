//! From symptoms to root causes: the smallest set of causes that explains every symptom; the rest are consequences.

mod spoken;
mod verdict;
mod words;

use crate::causes::{self, Case, Cause, Finding, Level, Occurrence, Unknown, page};
use crate::checks::{Row, Status, given};
use crate::facts::{Facts, asked, host, kernel, python, said};
use crate::report::{Confidence, Remedy, RootCause, Severity, Verdict};
use crate::subject::{Kind as SubjectKind, Subject};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What comes out of it.
pub struct Diagnosis {
    /// The answer in a word.
    pub verdict: Verdict,
    /// The causes, in the order of the contract.
    pub root_causes: Vec<RootCause>,
    /// What would settle what is open.
    pub unknowns: Vec<Unknown>,
}

/// A cause that applies, with what it explains here.
struct Candidate {
    cause: &'static Cause,
    head: page::Head<'static>,
    finding: Finding,
    explains: Vec<Occurrence>,
    /// The same by number; see [`Open`].
    numbers: Vec<usize>,
    /// Place in the list of causes: deeper layers come first.
    depth: usize,
    /// What messages of a text say for it, in points, and how early they name it.
    said: i32,
}

/// Symptoms that nothing explains so far. They have numbers, because a log of a cluster has hundreds, and each is compared with
/// what every candidate explains.
struct Open {
    open: Vec<bool>,
    left: usize,
}

impl Open {
    /// All symptoms are open. Numbers what the candidates explain.
    fn new(symptoms: impl Iterator<Item = Occurrence>, candidates: &mut [Candidate]) -> Open {
        let mut numbers: HashMap<Occurrence, usize> = HashMap::new();
        for symptom in symptoms {
            let next = numbers.len();
            numbers.entry(symptom).or_insert(next);
        }
        for candidate in candidates {
            candidate.numbers = candidate.explains.iter().filter_map(|o| numbers.get(o).copied()).collect();
        }
        Open { open: vec![true; numbers.len()], left: numbers.len() }
    }

    fn has(&self, symptom: usize) -> bool {
        self.open[symptom]
    }

    fn any(&self, symptoms: &[usize]) -> bool {
        symptoms.iter().any(|symptom| self.has(*symptom))
    }

    fn is_empty(&self) -> bool {
        self.left == 0
    }

    fn close(&mut self, symptoms: &[usize]) {
        for symptom in symptoms {
            self.left -= usize::from(std::mem::take(&mut self.open[*symptom]));
        }
    }
}

/// Chooses the root causes.
pub fn diagnose(facts: &Facts, rows: &[Row]) -> Diagnosis {
    let case = Case { facts, rows };
    let mut candidates = candidates(&case);
    // Decided before supported before possible before generic; then the one that explains more; then the deeper one.
    candidates.sort_by_key(|c| (std::cmp::Reverse(c.finding.level), c.depth));

    let mut open = Open::new(case.all_symptoms(), &mut candidates);
    let mut chosen: Vec<(u32, Confidence, Candidate)> = Vec::new();
    let mut group = 0;

    // What is decided is true, whether or not something deeper explains its symptoms too; but where something deeper that
    // is decided explains all of them, it is a consequence.
    let (decided, mut rest): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| c.finding.level == Level::Decided);
    for candidate in decided {
        let explains_open = open.any(&candidate.numbers);
        if explains_open || candidate.explains.is_empty() {
            open.close(&candidate.numbers);
            group += 1;
            chosen.push((group, Confidence::Certain, candidate));
        }
    }

    // Greedy cover of what is left: the best level first, then the most symptoms, then the deepest layer.
    while !open.is_empty() {
        let score = |c: &Candidate| {
            let covers = c.numbers.iter().filter(|o| open.has(**o)).count();
            (covers > 0).then_some((c.finding.level, c.said, covers, std::cmp::Reverse(c.depth)))
        };
        // Of several that are alike the first: `max_by_key` gives the last.
        let all = (0..rest.len()).rev();
        let Some(best) = all.filter(|i| score(&rest[*i]).is_some()).max_by_key(|i| score(&rest[*i])) else {
            break;
        };
        let leader = rest.remove(best);
        let covered: BTreeSet<usize> = leader.numbers.iter().copied().filter(|o| open.has(*o)).collect();
        let level = leader.finding.level;
        // What explains something else as well, that the leader leaves open, is no rival: it is a fault of its own.
        let more = |c: &Candidate| c.numbers.iter().any(|o| open.has(*o) && !covered.contains(o));
        let competes = |c: &Candidate| {
            c.finding.level >= Level::Possible && c.numbers.iter().any(|o| covered.contains(o)) && !more(c)
        };
        let (rivals, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(competes);
        rest = others;
        open.close(&leader.numbers);
        group += 1;
        let confidence = match level {
            Level::Possible | Level::Generic => Confidence::Possible,
            _ => Confidence::Likely,
        };
        chosen.push((group, confidence, leader));
        // What a rival covers of the leader's is closed with the leader.
        for rival in rivals {
            chosen.push((group, Confidence::Possible, rival));
        }
    }

    // A text in which no fault is recognised, and whose circumstances speak for a cause: it was pasted for a reason.
    let computes = rows.iter().any(|row| matches!(row.id, "tensor" | "cuda-kernel") && row.status == Status::Pass);
    if chosen.is_empty() && open.is_empty() && given::is_text(facts) && !computes {
        let names: Vec<String> =
            facts.all(&said::MESSAGE).filter(|(s, _)| s.id == NAMES).map(|(s, _)| s.text).collect();
        let complains = |c: &Candidate| c.finding.evidence.iter().any(|e| !names.contains(&e.text));
        let best = rest.into_iter().filter(|c| c.finding.level >= Level::Supported && complains(c));
        let best = best.max_by_key(|c| c.said);
        chosen.extend(best.map(|candidate| (1, Confidence::Possible, candidate)));
    }

    let mut unknowns: Vec<Unknown> = Vec::new();
    for (number, confidence, candidate) in &chosen {
        let alone = chosen.iter().filter(|(g, _, _)| g == number).count() == 1;
        if *confidence == Confidence::Certain && alone {
            continue;
        }
        for unknown in &candidate.finding.unknowns {
            if !unknowns.iter().any(|u| u.need == unknown.need) {
                unknowns.push(unknown.clone());
            }
        }
    }

    if given::is_text(facts) {
        let slugs: Vec<&'static str> = chosen.iter().map(|(_, _, c)| c.head.slug).collect();
        for unknown in &mut unknowns {
            let asked_by = chosen.iter().find(|(_, _, c)| c.finding.unknowns.contains(unknown));
            if let Some((_, _, c)) = asked_by {
                unknown.ask = spoken(facts, &c.finding, c.head.slug).command(&unknown.ask);
            }
        }
        unknowns = spoken::questions(unknowns, &slugs);
    }
    if facts.value(&asked::QUICK) == Some(true) {
        unknowns.push(Unknown {
            need: "what only running shows; not run: the device nodes, nvidia-smi, NVML, libcuda, Python (--quick)"
                .to_string(),
            ask: "gpu-doctor check".to_string(),
            separates: Vec::new(),
        });
    }
    unknowns.extend(unsearched(facts));
    // What only `--all-envs` shows has no say in whether this machine is ready.
    let rows: Vec<Row> = rows.iter().filter(|row| !given::out_of_use(facts, &row.subject)).cloned().collect();
    let rows = rows.as_slice();
    let working = verdict::working_frameworks(rows);
    let mut root_causes: Vec<RootCause> =
        chosen.into_iter().map(|(group, confidence, c)| root_cause(facts, group, confidence, c)).collect();
    if !working.is_empty() && facts.value(&asked::FRAMEWORK).is_none() {
        // It is enough that one framework works; what is wrong with the others is worth a note.
        for cause in &mut root_causes {
            if verdict::is_of_a_framework(&cause.subject) && !verdict::belongs(&cause.subject, &working) {
                cause.severity = Severity::Note;
            }
        }
    }
    for cause in root_causes.iter_mut().filter(|cause| given::out_of_use(facts, &cause.subject)) {
        cause.severity = Severity::Note;
    }
    // A text in which nothing else is broken was pasted for what is only worth a warning on a machine that works.
    if given::is_text(facts) && !computes && root_causes.iter().all(|c| c.severity != Severity::Error) {
        let told = |c: &RootCause| c.confidence < Confidence::Possible && !c.explains.is_empty();
        for cause in root_causes.iter_mut().filter(|c| c.severity == Severity::Warning && told(c)) {
            cause.severity = Severity::Error;
        }
    }
    order(&mut root_causes);
    let verdict = verdict::verdict(facts, rows, &root_causes);
    Diagnosis { verdict, root_causes, unknowns }
}

/// The environments that nobody looked for: a list that ends early must not look like a whole one.
fn unsearched(facts: &Facts) -> Option<Unknown> {
    const SHOWN: usize = 3;
    let places: Vec<String> = facts.all(&python::UNSEARCHED).map(|(place, _)| place).collect();
    let more = places.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let shown = places.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    (!places.is_empty()).then(|| Unknown {
        need: format!("the environments in places that were not looked through: {shown}{more}"),
        ask: "gpu-doctor check --python /path/to/python".to_string(),
        separates: Vec::new(),
    })
}

fn candidates(case: &Case) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    for (depth, (cause, head)) in causes::with_heads().iter().enumerate() {
        let head = *head;
        // A rule that panics loses its say, is named, and the rest goes on.
        let Ok(findings) = catch_unwind(AssertUnwindSafe(|| (cause.assess)(case))) else {
            broken.push(head.slug);
            continue;
        };
        for finding in findings {
            // One that explains no symptom so far may explain what a message said.
            let explains = cause.explained(&finding, case);
            found.push(Candidate { cause, head, finding, explains, numbers: Vec::new(), depth, said: 0 });
        }
    }
    words::weigh(case, &mut found);
    if !broken.is_empty()
        && let Some(cause) = causes::find(BROKEN)
    {
        let what = format!("the rule of {} broke", broken.join(", "));
        let finding = Finding::machine(Level::Decided).with("what", what).explaining(Vec::new());
        found.push(Candidate {
            cause,
            head: cause.head(),
            finding,
            explains: Vec::new(),
            numbers: Vec::new(),
            depth: usize::MAX,
            said: 0,
        });
    }
    found
}

/// The message that names boards with a switch: the name of the hardware is no complaint.
const NAMES: &str = "nvswitch-machine";

/// The cause that names a fault of this program.
const BROKEN: &str = "doctor-internal-error";

/// Errors before warnings before notes; then by confidence of the group's leader; candidates of a group stay together.
fn order(root_causes: &mut [RootCause]) {
    let key: BTreeMap<u32, (Severity, Confidence)> = root_causes.iter().fold(BTreeMap::new(), |mut map, c| {
        let mine = (c.severity, c.confidence);
        map.entry(c.group).and_modify(|best| *best = (*best).min(mine)).or_insert(mine);
        map
    });
    root_causes.sort_by_key(|c| (key.get(&c.group).copied(), c.group, c.confidence, c.severity));
}

/// What a text does not say, in words that fit any machine.
fn spoken(facts: &Facts, finding: &Finding, slug: &str) -> spoken::Spoken {
    // A rule that only weighs words says nothing of builds; what a page asks to install is of the framework it is about.
    let finding = match finding.values.contains_key("arguments") || finding.tags.contains(&"no_build") {
        true => finding.clone(),
        false => causes::advice::with_package(finding.clone(), facts, causes::advice::framework_of(slug)),
    };
    spoken::Spoken::new(facts, &finding, &values(facts, &finding), tags(facts, &finding))
}

/// What is said about a cause to somebody whose text only names it: the message, the fix, and the question that confirms it.
pub fn for_a_text(facts: &Facts, cause: &'static Cause) -> (String, Remedy, String) {
    let finding = words::named(facts);
    let head = cause.head();
    let spoken = spoken(facts, &finding, head.slug);
    let ask = page::first_command(page::section(cause.page, "How to confirm"));
    (spoken.message(&head), spoken.remedy(&head, cause.page), spoken.command(&ask))
}

fn root_cause(facts: &Facts, group: u32, confidence: Confidence, candidate: Candidate) -> RootCause {
    let Candidate { cause, head, finding, explains, .. } = candidate;
    let values = values(facts, &finding);
    let (message, remedy) = if given::is_text(facts) {
        let spoken = spoken(facts, &finding, head.slug);
        (spoken.message(&head), spoken.remedy(&head, cause.page))
    } else {
        let tags = tags(facts, &finding);
        // A message with a hole says less than the title.
        let message = page::fill(head.message, &values).unwrap_or_else(|| head.title.to_string());
        let steps = page::steps(cause.page, &tags, &values);
        let remedy = Remedy {
            summary: page::fill(head.summary, &values).unwrap_or_else(|| head.title.to_string()),
            verify: page::command(head.verify, &page::after(&steps, &values, &tags)).unwrap_or_default(),
            steps: steps.into_iter().map(|step| without_sudo(step, &tags)).collect(),
        };
        (message, remedy)
    };
    RootCause {
        code: head.code,
        slug: head.slug,
        layer: head.layer,
        severity: finding.severity.unwrap_or(match head.severity {
            "warning" => Severity::Warning,
            "note" => Severity::Note,
            _ => Severity::Error,
        }),
        confidence,
        group,
        subject: finding.subject,
        title: head.title,
        message,
        evidence: finding.evidence,
        remedy,
        explains,
    }
}

/// Root needs no sudo, and a container's root often has none.
fn without_sudo(mut step: page::Step, tags: &[String]) -> page::Step {
    let here = step.place.is_none() && tags.iter().any(|tag| tag == "root");
    if let Some(command) = step.command.as_mut().filter(|_| here) {
        *command = command.replace("sudo ", "");
    }
    step
}

/// The rule's values, and those that every page may use: `kernel`, `driver`, `gpu`, `address`, `python`, `prefix`,
/// `framework`, and what conda has to know.
pub fn values(facts: &Facts, finding: &Finding) -> BTreeMap<&'static str, String> {
    let mut values = finding.values.clone();
    let mut add = |name, value: Option<String>| {
        if let Some(value) = value {
            values.entry(name).or_insert(value);
        }
    };
    add("kernel", facts.value(&host::KERNEL));
    add("driver", given::driver_version(facts));
    let subject = &finding.subject;
    match subject.kind {
        SubjectKind::Gpu => {
            add("address", Some(subject.id.clone()));
            add("gpu", Some(given::name(facts, subject)));
        }
        SubjectKind::Environment | SubjectKind::Framework => {
            let (name, prefix) = subject.framework_parts().unwrap_or(("", &subject.id));
            if !name.is_empty() {
                add("framework", Some(name.to_string()));
            }
            let environment = Subject::environment(prefix);
            add("python", given::python_of(facts, prefix).map(|python| python.path));
            add("project", causes::environment::project(facts, &environment));
            // pipx names the environment after the program.
            add("app", prefix.rsplit(['/', '\\']).next().map(str::to_string));
            add("prefix", Some(prefix.to_string()));
        }
        _ => {}
    }
    for (name, value) in causes::environment::values(facts, subject) {
        add(name, Some(value));
    }
    values
}

/// The words that are true of this machine, for the conditions of a page's steps: package manager, distribution and what
/// it is like, `container` and its engine, `wsl`, `jetson`, `vm`, `root`, `linux`/`windows`/`macos`, `slurm`, `kubernetes`,
/// the manager of the environment (`pip`, `uv`, `conda`), and what the rule adds.
pub fn tags(facts: &Facts, finding: &Finding) -> Vec<String> {
    let mut tags: Vec<String> = finding.tags.iter().map(|t| t.to_string()).collect();
    tags.extend(facts.value(&host::PACKAGE_MANAGER));
    tags.extend(facts.value(&host::OS));
    tags.extend(facts.value(&host::ARCH));
    if let Some(distro) = facts.value(&host::DISTRO) {
        // Amazon's is made of Fedora's packages, and third parties serve it as they serve Red Hat's: RPM Fusion does not.
        let amazon = distro.id == "amzn";
        tags.push(distro.id);
        tags.extend(if amazon { vec!["rhel".to_string()] } else { distro.id_like });
    }
    if let Some(container) = facts.value(&host::CONTAINER) {
        tags.push("container".to_string());
        tags.push(container.engine);
    }
    let present = [
        ("wsl", facts.value(&host::WSL).is_some()),
        ("jetson", facts.value(&host::JETSON).is_some()),
        ("vm", facts.value(&host::VIRTUALIZATION).is_some()),
        ("root", facts.value(&host::USER).is_some_and(|u| u.uid == 0)),
        ("dkms", facts.value(&kernel::DKMS).is_some()),
        ("image", facts.value(&asked::IMAGE).is_some()),
    ];
    tags.extend(present.into_iter().filter(|(_, is)| *is).map(|(tag, _)| tag.to_string()));
    tags.extend(facts.value(&host::JOB).map(|job| job.scheduler));
    tags.extend(causes::environment::tags(facts, &finding.subject));
    tags
}
