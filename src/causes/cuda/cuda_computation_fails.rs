//! CUDA starts, and computing does not give the right result; no known cause explains it.

use crate::causes::{Case, Cause, Finding, Level, Occurrence, advice};
use crate::checks::given;
use crate::facts::{cuda, python};
use crate::subject::{Kind as SubjectKind, Subject};
use crate::symptom::Kind;
use crate::tables::cuda_errors;

/// The name of last resort for what fails after cuInit.
pub static CAUSE: Cause = Cause {
    page: include_str!("cuda-computation-fails.md"),
    explains: &[&[Kind::CudaCompute, Kind::CudaFewer, Kind::Tensor, Kind::LibtorchTensor]],
    assess,
};

fn assess(case: &Case) -> Vec<Finding> {
    let of_framework = |o: &Occurrence| matches!(o.symptom.kind, Kind::Tensor | Kind::LibtorchTensor);
    let mut findings = Vec::new();
    let done = |compute: &cuda::Compute| compute.stage == "done";
    let none_computes = !case.facts.all(&cuda::COMPUTE).any(|(compute, _)| done(&compute));
    let mut failed: Vec<Occurrence> = case.symptoms(Kind::CudaCompute).collect();
    let addresses: Vec<String> = failed.iter().map(|o| o.subject.id.clone()).collect();
    let devices = case.facts.subjects_with(&cuda::DEVICE).len();
    let alike = failed.len() > 1 && failed.len() == devices && failed.iter().all(|o| o.symptom == failed[0].symptom);
    if alike {
        // All GPUs fail in the same way: one fault, of the machine.
        failed.truncate(1);
    }
    for symptom in failed {
        let subject = if alike { Subject::machine() } else { symptom.subject.clone() };
        let address = if alike { addresses.join(",") } else { symptom.subject.id.clone() };
        let look = case.facts.look(&cuda::COMPUTE, &symptom.subject);
        let what = computed(symptom.symptom.code());
        // Where the driver alone cannot compute on a GPU, no framework can.
        let mut explains: Vec<Occurrence> =
            case.symptoms(Kind::CudaCompute).filter(|o| alike || *o == symptom).collect();
        explains.extend(case.all_symptoms().filter(of_framework));
        if none_computes {
            explains.extend(case.symptoms(Kind::FrameworkSeesNoGpu));
        }
        findings.push(
            Finding::new(&subject, Level::Generic)
                .because_of(&look, what.clone())
                .with("what", what)
                .with("address", address)
                .tagged(match symptom.symptom.code().rsplit(", ").next() {
                    Some("102") => "unlicensed",
                    // A virtual GPU that lost its licence refuses as if it were busy.
                    Some("46") if given::is_virtual(case.facts, &symptom.subject) => "unlicensed",
                    Some("2") => "memory_full",
                    _ => "driver_alone",
                })
                .unknown("what the kernel log says of this GPU", LOG, &["cuda-computation-fails", "xid-in-kernel-log"])
                .explaining(explains),
        );
    }
    for symptom in case.symptoms(Kind::CudaFewer) {
        let what = match symptom.symptom.code() {
            "0" | "" => "CUDA starts and lists no device".to_string(),
            counts => format!("CUDA lists {counts} GPUs"),
        };
        findings.push(
            Finding::new(&symptom.subject, Level::Generic)
                .because_of(&case.facts.machine(&cuda::COUNT), what.clone())
                .with("what", what)
                .tagged("fewer")
                .unknown("what the kernel log says of the missing GPU", LOG, &["cuda-computation-fails"]),
        );
    }
    for symptom in case.all_symptoms().filter(of_framework) {
        findings.push(tensor(case, &symptom));
    }
    findings
}

const LOG: &str = "sudo dmesg | grep -iE 'nvrm|xid'";

fn tensor(case: &Case, symptom: &Occurrence) -> Finding {
    let key = match symptom.symptom.kind {
        Kind::LibtorchTensor => &python::LIBTORCH_TENSOR,
        _ => &python::TENSOR,
    };
    let name = match symptom.subject.kind {
        SubjectKind::Framework => symptom.subject.to_string(),
        _ => "libtorch".to_string(),
    };
    let what = format!("a tensor of {name} fails: {}", symptom.symptom.code());
    let mut finding = Finding::new(&symptom.subject, Level::Generic).with("what", what).tagged("framework_only");
    let failed = case.facts.all(key).find(|(t, fact)| !t.ok && fact.subject == symptom.subject);
    if let Some((tensor, fact)) = failed {
        let said = tensor.message.as_deref().and_then(|m| m.lines().next()).unwrap_or("no message");
        let text = format!("cuda:{} fails: {said}", tensor.index);
        finding = finding.because(crate::checks::Evidence::of(fact, text));
    }
    let name = symptom.subject.framework_parts().map_or("torch", |(name, _)| name);
    let finding = match computes(name) {
        Some(line) => finding.with("computation", line).tagged("alone"),
        None => finding,
    };
    advice::with_python(finding, case.facts).explaining(vec![symptom.clone()])
}

/// A line of Python in which a framework computes on the GPU.
fn computes(name: &str) -> Option<&'static str> {
    Some(match name {
        "torch" => "import torch; print(torch.ones(1, device='cuda') + 1)",
        "jax" => "import jax; print(jax.device_put(1.0, jax.devices('cuda')[0]) + 1)",
        "tensorflow" => "import tensorflow as tf; tf.debugging.set_log_device_placement(True); print(tf.ones(1) + 1)",
        "cupy" => "import cupy; print(cupy.ones(1) + 1)",
        "numba" => "from numba import cuda; print(cuda.to_device([1.0]).copy_to_host())",
        _ => return None,
    })
}

/// `launch, 700` in words.
fn computed(code: &str) -> String {
    let (stage, number) = code.split_once(", ").unwrap_or((code, ""));
    match (stage, number.parse::<i32>()) {
        ("compare", Ok(0)) => "the GPU computes a wrong result".to_string(),
        (_, Ok(number)) => {
            format!("the step {} gives {number} ({})", stage.replace('_', " "), cuda_errors::name(number))
        }
        _ => format!("the step {} fails", stage.replace('_', " ")),
    }
}
