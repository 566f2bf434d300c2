//! What is printed for conda and pixi is read by the solver that pixi is made of, and leads to a build that the driver runs.
//! The channel is hand-made, after conda-forge's: builds with CUDA want the virtual package `__cuda`, and `cuda-version` says
//! from which one on.

use super::common::stage::part;
use gpu_doctor::causes::install::{How, Install};
use gpu_doctor::causes::{self, page};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a script with conda's solver, with these lines as its input.
fn rattler(script: &str, input: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(part("tool-managers").join("bin/python"))
        .args(["-c", script])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("write");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{input}");
    String::from_utf8(output.stdout).expect("text")
}

/// The words of a command of conda or pixi that name packages.
fn specs(command: &str) -> Vec<String> {
    let Some((_, rest)) = ["--override-channels ", "pixi add ", "global add --environment APP "]
        .iter()
        .find_map(|before| command.split_once(before))
    else {
        return Vec::new();
    };
    let words = rest.split(" && ").next().unwrap_or_default().split_whitespace();
    let words = words.skip_while(|word| *word == "--manifest-path" || *word == "PROJECT");
    words.filter(|word| !word.starts_with("--")).map(|word| word.trim_matches('"').to_string()).collect()
}

/// Every command of a page for conda and pixi, filled in.
fn printed() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for cause in causes::all() {
        for step in page::fixes(cause.page).into_iter().flat_map(|fix| fix.steps) {
            for words in
                [&["conda", "driver_cuda", "cuda_major"][..], &["pixi", "project", "driver_cuda", "cuda_major"]]
            {
                let tags: Vec<String> = words.iter().map(|word| word.to_string()).collect();
                let steps = step.clone().of_manager(&tags);
                all.extend(steps.into_iter().filter_map(|step| step.command));
            }
        }
    }
    let filled = |command: String| {
        page::names(&command).iter().fold(command.clone(), |text, name| {
            let value = match *name {
                "cuda_major" => "12".to_string(),
                "driver_cuda" => "12.2".to_string(),
                "package" | "framework" => "torchvision".to_string(),
                "conda" => "conda".to_string(),
                other => other.to_uppercase(),
            };
            text.replace(&format!("{{{name}}}"), &value)
        })
    };
    all.into_iter()
        .map(filled)
        .filter(|command| command.contains("conda install") || command.contains("pixi add"))
        .collect()
}

#[test]
fn every_specification_is_read_by_condas_own_parser() {
    let specs: BTreeSet<String> = printed().iter().flat_map(|command| specs(command)).collect();
    assert!(specs.len() > 10, "{specs:?}");
    let lines: String = specs.iter().map(|spec| format!("{spec}\n")).collect();
    let script = "import sys, rattler\nfor line in sys.stdin.read().splitlines(): print(rattler.MatchSpec(line))";
    let read = rattler(script, &lines, &[]);
    assert_eq!(read.lines().count(), specs.len());
    assert!(read.contains("pytorch * cuda*"), "{read}");
}

/// Solves for what a driver offers, and prints the build of pytorch and the CUDA that were chosen.
const SOLVE: &str = r#"
import asyncio, json, os, sys, tempfile
from rattler import BuildString, Channel, Gateway, GenericVirtualPackage, MatchSpec, PackageName, Version, solve

def record(name, version, build, depends, constrains=()):
    return {'name': name, 'version': version, 'build': build, 'build_number': 0, 'subdir': 'linux-64', 'license': 'x',
            'depends': list(depends), 'constrains': list(constrains), 'sha256': '0' * 64, 'md5': '0' * 32, 'size': 1, 'timestamp': 1}

packages = {}
def add(*what):
    one = record(*what)
    packages['%s-%s-%s.conda' % (one['name'], one['version'], one['build'])] = one

for cuda in ('11.8', '12.6', '12.9', '13.0'):
    major = cuda.split('.')[0]
    add('cuda-version', cuda, 'h0_0', [], ['__cuda >=' + major])
    short = cuda.replace('.', '')
    release = '2.4.1' if major == '11' else '2.10.0'
    add('pytorch', release, 'cuda%s_generic_py312h0_0' % short, ['__cuda', 'cuda-version >=%s,<%d' % (cuda, int(major) + 1)])
    add('pytorch-gpu', release, 'cuda%s_generic_h0_0' % short, ['pytorch %s cuda%s*' % (release, short)])
add('pytorch', '2.10.0', 'cpu_generic_py312h0_0', [])
folder = tempfile.mkdtemp()
for subdir, listed in (('linux-64', packages), ('noarch', {})):
    os.makedirs(os.path.join(folder, subdir))
    with open(os.path.join(folder, subdir, 'repodata.json'), 'w') as out:
        json.dump({'info': {'subdir': subdir}, 'packages': {}, 'packages.conda': listed, 'repodata_version': 1}, out)

async def main():
    virtual = [GenericVirtualPackage(PackageName('__cuda'), Version(sys.argv[1]), BuildString('0'))] if sys.argv[1] != 'none' else []
    try:
        chosen = await solve(sources=[Channel('file://' + folder)], specs=[MatchSpec(line) for line in sys.stdin.read().splitlines()],
                             gateway=Gateway(), platforms=['linux-64', 'noarch'], virtual_packages=virtual)
    except Exception as error:
        print('none', type(error).__name__)
        return
    print(' '.join(sorted('%s=%s' % (r.name.normalized, r.build if r.name.normalized == 'pytorch' else r.version) for r in chosen)))

asyncio.run(main())
# Its threads may outlive the interpreter.
sys.stdout.flush()
os._exit(0)
"#;

/// What the solver takes for torch's command, with the CUDA of a driver and the pin of a machine.
fn solved(driver: &str, major: &str) -> String {
    let tags = ["conda", "cuda_major"].map(str::to_string);
    let install = Install::new(How::Conda, std::iter::empty(), "\"pytorch=*=cuda*\"");
    let command = install.steps(&page::Step::default(), &tags).remove(0).command.expect("a command");
    let lines: String = specs(&command.replace("{cuda_major}", major)).iter().map(|spec| format!("{spec}\n")).collect();
    rattler(SOLVE, &lines, &[driver]).trim().to_string()
}

#[test]
fn the_solver_takes_a_build_that_driver_and_gpu_can_do_with() {
    assert_eq!(solved("11.4", "11"), "cuda-version=11.8 pytorch=cuda118_generic_py312h0_0");
    // One driver serves every minor version of a major.
    assert!(solved("12.2", "12").starts_with("cuda-version=12.9 pytorch=cuda12"));
    assert_eq!(solved("13.0", "13"), "cuda-version=13.0 pytorch=cuda130_generic_py312h0_0");
    // A card of the Maxwell generation with a driver of CUDA 13.
    assert!(solved("13.0", "12").starts_with("cuda-version=12.9 pytorch=cuda12"));
    // A pin that is newer than the driver is refused rather than installed.
    assert!(solved("11.4", "12").starts_with("none"));
    assert!(solved("none", "12").starts_with("none"));
}
