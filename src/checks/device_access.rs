//! Can this user, in this container, open the device nodes?

use super::given::{self, Platform};
use super::{Answer, Check};
use crate::facts::{Facts, Look, kernel};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::{Kind, Symptom};

/// The check.
pub static CHECK: Check = Check { id: "device-access", title: "Device nodes", needs: &["kernel-driver"], judge };

const CONTROL: &str = "/dev/nvidiactl";
const UVM: &str = "/dev/nvidia-uvm";

fn judge(facts: &Facts) -> Vec<Answer> {
    if let Some(maker) = given::maker_in_use(facts) {
        return super::makers::nodes(facts, maker);
    }
    match given::platform(facts) {
        Platform::Wsl => vec![opened(facts, "/dev/dxg")],
        Platform::Jetson => jetson(facts),
        Platform::Windows | Platform::MacOs => vec![Answer::not_applicable("this system has no device nodes")],
        Platform::Bus | Platform::Blind => on_linux(facts),
    }
}

fn on_linux(facts: &Facts) -> Vec<Answer> {
    if let Some(answer) = super::gpu_present::not_here(facts, "/dev/nvidia*") {
        return vec![answer];
    }
    if given::platform(facts) == Platform::Bus && given::nvidia_on_bus(facts).is_empty() {
        return vec![Answer::unmeasured(&Subject::machine(), "there is no NVIDIA GPU to open")];
    }
    // Without the driver, nodes prove nothing: some are left over, and libraries make them.
    if given::module_loaded(facts, "nvidia") == Some(false) {
        return vec![Answer::unmeasured(&Subject::machine(), "nodes say nothing while the driver is not loaded")];
    }
    nodes(facts)
}

fn nodes(facts: &Facts) -> Vec<Answer> {
    let mut answers = vec![opened(facts, CONTROL)];
    let mut gpus: Vec<Subject> =
        facts.subjects(SubjectKind::File).into_iter().filter(|f| given::is_gpu_node(&f.id)).collect();
    gpus.retain(|node| !given::withheld(facts, node));
    answers.extend(gpus.iter().map(|node| opened(facts, &node.id)).filter(|a| !a.symptoms.is_empty()));
    let some_gpu = gpus.iter().any(|node| matches!(facts.look(&kernel::NODE, node), Look::Seen(..)));
    let looked = gpus.iter().any(|node| facts.look(&kernel::NODE, node).is_absent());
    let said = answers.iter().any(|a| given::is_gpu_node(&a.subject.id) && !a.symptoms.is_empty());
    if !some_gpu && looked && !said && !created_on_demand(facts) {
        let symptom = Symptom::coded(Kind::NodeMissing, "nvidia0");
        answers.push(Answer::fail(&Subject::file("/dev/nvidia0"), symptom, "there is no /dev/nvidiaN for any GPU"));
    }
    answers.push(opened(facts, UVM));
    answers.extend(capabilities(facts));
    if answers.iter().all(|a| a.symptoms.is_empty() && a.status == super::Status::Pass) {
        return vec![Answer::pass(&Subject::machine(), all_well(facts, &gpus))];
    }
    answers
}

/// Names the nodes that were opened, and those that are not there yet. Many GPUs are counted.
fn all_well(facts: &Facts, gpus: &[Subject]) -> String {
    let opened = |path: &str| facts.look(&kernel::NODE_OPEN, &Subject::file(path)).seen().is_some();
    let (here, absent): (Vec<&str>, Vec<&str>) = [CONTROL, UVM].into_iter().partition(|path| opened(path));
    let mut here: Vec<String> = here.into_iter().map(str::to_string).collect();
    let nodes: Vec<&str> = gpus.iter().map(|gpu| gpu.id.as_str()).filter(|path| opened(path)).collect();
    match nodes.as_slice() {
        many if many.len() > 3 => here.push(format!("the nodes of {} GPUs", many.len())),
        few => here.extend(few.iter().map(|path| path.to_string())),
    }
    let later = absent.join(" and ");
    match (here.is_empty(), absent.is_empty()) {
        (false, true) => format!("{} can be opened", here.join(", ")),
        (false, false) => format!("{} can be opened; {later} is made when a program asks", here.join(", ")),
        (true, _) => "no node is there yet; they are made when a program asks".to_string(),
    }
}

/// The capability nodes of MIG instances: without them an instance cannot be opened. They say nothing where MIG is off, where
/// CUDA works, or where another instance's can be opened: nobody has to have them all.
fn capabilities(facts: &Facts) -> Vec<Answer> {
    let mig = facts.all(&crate::facts::nvidia::NVML_MIG).any(|(mig, _)| mig.enabled);
    let works = facts.value(&crate::facts::cuda::INIT) == Some(0);
    // The first two are for those who make instances and who watch them; that a user may not open them is the rule.
    let of_an_instance = |path: &str| {
        path.strip_prefix("/dev/nvidia-caps/nvidia-cap")
            .is_some_and(|n| !matches!(n, "1" | "2") && n.parse::<u32>().is_ok())
    };
    let nodes: Vec<Subject> =
        facts.subjects(SubjectKind::File).into_iter().filter(|node| of_an_instance(&node.id)).collect();
    let answers: Vec<Answer> = nodes.iter().map(|node| opened(facts, &node.id)).collect();
    let some_open = answers.iter().any(|a| a.status == super::Status::Pass);
    if !mig || works || some_open {
        return Vec::new();
    }
    answers.into_iter().filter(|a| !a.symptoms.is_empty()).collect()
}

fn jetson(facts: &Facts) -> Vec<Answer> {
    let nodes: Vec<Subject> = facts.subjects_with(&kernel::NODE_OPEN);
    if nodes.is_empty() {
        return vec![Answer::unmeasured(&Subject::machine(), "the Jetson's nodes were not looked at")];
    }
    let mut answers: Vec<Answer> = nodes.iter().map(|node| opened(facts, &node.id)).collect();
    answers.retain(|a| !a.symptoms.is_empty() && a.symptoms[0].kind == Kind::NodeOpen);
    if answers.is_empty() {
        answers.push(Answer::pass(&Subject::machine(), "the Jetson's nodes can be opened"));
    }
    answers
}

/// nvidia-modprobe with its setuid bit makes nodes when a program asks; libcuda and nvidia-smi call it. Root needs no
/// setuid.
fn created_on_demand(facts: &Facts) -> bool {
    // CUDA opens every one of them: where it started, somebody made them, or nobody needs them.
    if facts.value(&crate::facts::cuda::INIT) == Some(0) {
        return true;
    }
    let failed = facts.value(&crate::facts::cuda::INIT).is_some_and(|code| code != 0)
        || facts.value(&crate::facts::nvidia::NVML_INIT).is_some_and(|code| code != 0);
    let helper = facts.value(&kernel::NVIDIA_MODPROBE);
    // Where not even the module can be seen, nothing is promised.
    let loaded = given::module_loaded(facts, "nvidia") == Some(true);
    let root = facts.value(&crate::facts::host::USER).is_some_and(|u| u.uid == 0);
    !failed && ((root && loaded) || helper.is_some_and(|h| h.setuid))
}

fn opened(facts: &Facts, path: &str) -> Answer {
    opened_or_made(facts, path, created_on_demand(facts))
}

/// Whether a node opens; `made` where one that is missing is made when a program asks.
pub(super) fn opened_or_made(facts: &Facts, path: &str, made: bool) -> Answer {
    let node = Subject::file(path);
    let name = path.trim_start_matches("/dev/");
    match facts.look(&kernel::NODE_OPEN, &node) {
        Look::Seen(result, _) if result == "ok" => Answer::pass(&node, format!("{path} can be opened")),
        Look::Seen(errno, _) => {
            let symptom = Symptom::coded(Kind::NodeOpen, format!("{name}, {errno}"));
            Answer::fail(&node, symptom, format!("opening {path} gives {errno}{}", in_words(&errno)))
        }
        Look::Absent(_) if made => {
            Answer::pass(&node, format!("{path} is not there yet; it is made when a program asks"))
        }
        Look::Absent(_) => {
            let symptom = Symptom::coded(Kind::NodeMissing, name);
            Answer::fail(&node, symptom, format!("there is no {path}"))
        }
        Look::Failed(why, _) => Answer::unknown(&node, format!("{path}: {why}")),
        Look::NotAsked => Answer::unmeasured(&node, format!("{path} was not opened")),
    }
}

fn in_words(errno: &str) -> &'static str {
    match errno {
        "EACCES" => ": this user may not",
        "EPERM" => ": the device cgroup forbids it",
        "ENXIO" | "ENODEV" => ": no driver stands behind it",
        "EIO" => ": the device does not answer",
        "EBUSY" => ": it is busy",
        "EMFILE" | "ENFILE" => ": too many open files",
        _ => "",
    }
}
