//! What the command is for each manager.

use super::*;

fn steps(how: How, words: &[&str], remove: &str, packages: &str) -> Vec<Step> {
    let tags: Vec<String> = words.iter().map(|word| word.to_string()).collect();
    let step = Step { text: "Install it:".to_string(), ..Step::default() };
    Install::new(how, remove.split_whitespace(), packages).steps(&step, &tags)
}

fn command(words: &[&str], remove: &str, packages: &str) -> String {
    steps(How::Add, words, remove, packages).into_iter().find_map(|step| step.command).unwrap_or_default()
}

#[test]
fn each_manager_has_its_command() {
    let of = |words: &[&str]| command(words, "onnxruntime", "onnxruntime-gpu");
    assert_eq!(of(&["pip"]), "{python} -m pip uninstall -y onnxruntime && {python} -m pip install onnxruntime-gpu");
    assert_eq!(
        of(&["uv"]),
        "uv pip uninstall --python {python} onnxruntime; uv pip install --python {python} onnxruntime-gpu"
    );
    assert_eq!(
        of(&["uv", "project"]),
        "uv remove --project {project} onnxruntime; uv add --project {project} onnxruntime-gpu"
    );
    let two = command(&["poetry", "has b", "has a", "has d"], "a b c", "x");
    assert_eq!(two, "poetry remove a; poetry remove b; poetry add x");
    assert_eq!(
        of(&["poetry", "project"]),
        "poetry -C {project} remove onnxruntime; poetry -C {project} add onnxruntime-gpu"
    );
    assert_eq!(of(&["pdm", "project"]), "pdm remove -p {project} onnxruntime; pdm add -p {project} onnxruntime-gpu");
    assert!(of(&["pipx"]).starts_with("pipx runpip {app} uninstall -y onnxruntime && pipx runpip {app} install"));
    assert_eq!(of(&["system"]), "{python} -m venv ~/gpu-env && ~/gpu-env/bin/python -m pip install onnxruntime-gpu");
    // Two commands in one line are told apart in different ways by the shells of Windows.
    assert_eq!(
        of(&["pip", "windows"]),
        "{python} -m pip uninstall -y onnxruntime\n{python} -m pip install onnxruntime-gpu"
    );
    assert_eq!(
        of(&["system", "windows"]),
        "{python} -m venv gpu-env\ngpu-env\\Scripts\\python -m pip install onnxruntime-gpu"
    );
}

#[test]
fn an_index_is_told_to_the_project() {
    let of = |words: &[&str]| command(words, "", "{arguments}");
    assert_eq!(of(&["pip", "index"]), "{python} -m pip install {arguments}");
    assert_eq!(of(&["uv", "project", "index"]), "uv add --project {project} --index {index_name}={index} {specs}");
    assert!(of(&["poetry", "project", "index"]).contains("source add --priority=explicit {index_name} {index} && "));
    assert_eq!(of(&["pdm", "project"]), "pdm add -p {project} {specs}");
    // An index that the page itself names.
    let of = |words: &[&str]| command(words, "", "torchvision --index-url https://download.pytorch.org/whl/{tag}");
    assert_eq!(of(&["pip"]), "{python} -m pip install torchvision --index-url https://download.pytorch.org/whl/{tag}");
    assert_eq!(
        of(&["uv", "project"]),
        "uv add --project {project} --index pytorch-{tag}=https://download.pytorch.org/whl/{tag} torchvision"
    );
    let of = |words: &[&str]| command(words, "", "x --only-binary x --extra-index-url https://y/whl/cu124");
    assert_eq!(of(&["pip"]), "{python} -m pip install x --only-binary x --extra-index-url https://y/whl/cu124");
    assert_eq!(of(&["uv", "project"]), "uv add --project {project} --index x=https://y/whl/cu124 x");
    let pdm =
        steps(How::Add, &["pdm", "project"], "", "torchvision --index-url https://download.pytorch.org/whl/{tag}");
    assert_eq!(pdm.len(), 2);
    assert!(pdm[0].text.contains("`include_packages = [\"torchvision\"]`"), "{}", pdm[0].text);
    assert_eq!(pdm[1].command.as_deref(), Some("pdm add -p {project} torchvision"));
}

#[test]
fn what_is_there_is_upgraded() {
    let of = |words: &[&str], packages: &str| {
        steps(How::Upgrade, words, "", packages).into_iter().find_map(|step| step.command).unwrap_or_default()
    };
    assert_eq!(of(&["pip"], "x"), "{python} -m pip install --upgrade x");
    assert_eq!(of(&["uv"], "x"), "uv pip install --python {python} --upgrade x");
    assert_eq!(of(&["uv", "project"], "\"x>=2\""), "uv add --project {project} --upgrade-package x \"x>=2\"");
    assert_eq!(of(&["poetry"], "x \"y>=2\""), "poetry add x@latest \"y>=2\"");
    assert_eq!(of(&["pdm", "project"], "x"), "pdm add -p {project} --update-eager --unconstrained x");
    assert_eq!(of(&["pipx"], "x"), "pipx runpip {app} install --upgrade x");
}

#[test]
fn what_is_broken_is_laid_anew() {
    let of = |words: &[&str]| {
        let steps = steps(How::Again, words, "", "\"flash-attn==2.8.3\"");
        steps.into_iter().find_map(|step| step.command).unwrap_or_default()
    };
    let options = "--force-reinstall --no-deps --no-cache-dir";
    assert_eq!(of(&["pip"]), format!("{{python}} -m pip install {options} \"flash-attn==2.8.3\""));
    assert_eq!(
        of(&["uv"]),
        "uv pip install --python {python} --no-cache --reinstall-package flash-attn \"flash-attn==2.8.3\""
    );
    assert_eq!(of(&["uv", "project"]), "uv sync --project {project} --no-cache --reinstall-package flash-attn");
    let poetry = "{python} -m pip uninstall -y flash-attn && poetry -C {project} install";
    assert_eq!(of(&["poetry", "project"]), poetry);
    assert_eq!(of(&["pipx"]), format!("pipx runpip {{app}} install {options} \"flash-attn==2.8.3\""));
}

#[test]
fn what_only_pip_can_do_is_asked_of_pip() {
    let of = |words: &[&str]| command(words, "", "--no-cache-dir --no-build-isolation flash-attn");
    let pip = "{python} -m pip install --no-cache-dir --no-build-isolation flash-attn";
    assert_eq!(of(&["poetry", "project"]), pip);
    let project = "uv add --project {project} --no-cache-dir --no-build-isolation flash-attn";
    assert_eq!(of(&["uv", "project"]), project);
}

#[test]
fn what_does_not_fit_is_taken_away() {
    let of = |words: &[&str]| {
        let steps = steps(How::Remove, words, "torch torchvision", "");
        steps.into_iter().find_map(|step| step.command).unwrap_or_default()
    };
    assert_eq!(of(&["pip"]), "{python} -m pip uninstall -y torch torchvision");
    assert_eq!(of(&["pip", "has torch"]), "{python} -m pip uninstall -y torch");
    assert_eq!(of(&["uv"]), "uv pip uninstall --python {python} torch torchvision");
    assert_eq!(of(&["uv", "project", "has torch"]), "uv remove --project {project} torch");
    assert_eq!(of(&["poetry"]), "poetry remove torch; poetry remove torchvision");
    assert_eq!(of(&["system"]), "");
}

#[test]
fn conda_and_pixi_take_the_cuda_of_the_driver() {
    let of = |words: &[&str]| {
        let steps = steps(How::Conda, words, "torch", "\"pytorch=*=cuda*\"");
        steps.into_iter().find_map(|step| step.command).unwrap_or_default()
    };
    let conda = "{conda} install -p {prefix} -c conda-forge --override-channels \"pytorch=*=cuda*\"";
    assert_eq!(of(&["conda"]), conda);
    assert_eq!(of(&["conda", "cuda_major"]), format!("{conda} \"cuda-version={{cuda_major}}\""));
    assert_eq!(of(&["conda", "pip torch"]), format!("{{python}} -m pip uninstall -y torch && {conda}"));
    assert_eq!(
        of(&["pixi", "project", "driver_cuda"]),
        "pixi workspace system-requirements add --manifest-path {project} cuda {driver_cuda} && \
         pixi add --manifest-path {project} \"pytorch=*=cuda*\""
    );
    assert_eq!(of(&["pixi"]), "pixi add \"pytorch=*=cuda*\"");
    assert_eq!(of(&["pixi", "global"]), "pixi global add --environment {app} \"pytorch=*=cuda*\"");
    assert_eq!(of(&["pip"]), "");
}
