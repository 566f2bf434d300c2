//! What is read from files, against what Python's own module of metadata says of the same environment.

use crate::common::stage::part;
use crate::machines::here;
use crate::parts::PARTS;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Every distribution of an environment, by the module of metadata of its Python: name, version, installer.
fn by_python(name: &str) -> BTreeMap<String, (String, String)> {
    let script = "import importlib.metadata as m, re, json\n\
        print(json.dumps([[re.sub('[-_.]+', '-', d.metadata['Name']).lower(), d.version, (d.read_text('INSTALLER') or '').strip()]\n\
        for d in m.distributions()]))";
    let output = Command::new(part(name).join("bin/python")).args(["-I", "-B", "-c", script]).output().expect("Python");
    let rows: Vec<(String, String, String)> = serde_json::from_slice(&output.stdout).expect("rows");
    rows.into_iter().map(|(name, version, installer)| (name, (version, installer))).collect()
}

#[test]
fn the_packages_are_those_that_python_itself_lists() {
    for part in PARTS {
        let seen = here(part.name);
        let real = by_python(part.name);
        let facts = seen.facts("python.package");
        let text = |fact: &Value, name: &str| fact["value"][name].as_str().unwrap_or_default().to_string();
        for fact in &facts {
            let (name, version) = (text(fact, "name"), text(fact, "version"));
            assert_eq!(real.get(&name).map(|(version, _)| version), Some(&version), "{}: {name}", part.name);
        }
        let named: Vec<String> = facts.iter().map(|fact| text(fact, "name")).collect();
        // All that has to do with a GPU, and each once.
        let known =
            ["torch", "jax", "jaxlib", "tensorflow", "onnxruntime", "onnxruntime-gpu", "numba", "numba-cuda", "triton"];
        let wanted = |name: &&String| {
            known.contains(&name.as_str())
                || ["nvidia-", "cupy-", "jax-cuda"].iter().any(|start| name.starts_with(start))
        };
        for name in real.keys().filter(wanted) {
            assert_eq!(named.iter().filter(|named| *named == name).count(), 1, "{}: {name} in {named:?}", part.name);
        }
        // And who installed them: each part has one tool for all.
        assert_eq!(real[&named[0]].1, part.tool, "{}", part.name);
    }
}

#[test]
fn version_build_and_installer_are_those_of_the_recipe() {
    for part in PARTS {
        let seen = here(part.name);
        let facts = seen.facts("framework.distribution");
        let mine: Vec<&&Value> = facts.iter().filter(|fact| fact["state"] == "seen").collect();
        let of = |fact: &Value| fact["subject"]["id"].as_str().and_then(|id| id.split('@').next()).map(str::to_string);
        let fact = mine.iter().find(|fact| of(fact).as_deref() == Some(part.framework)).expect("a framework");
        assert_eq!(fact["value"]["version"], part.version, "{}", part.name);
        assert_eq!(fact["value"]["installer"], part.tool, "{}", part.name);
        // Another framework is in none of them; triton comes with torch.
        let others: Vec<_> = mine.iter().filter_map(|fact| of(fact)).filter(|name| name != part.framework).collect();
        assert!(others.iter().all(|name| name == "triton"), "{}: {others:?}", part.name);
        let builds = seen.facts("framework.build");
        let build = builds.iter().find(|fact| of(fact).as_deref() == Some(part.framework));
        let cuda = build.and_then(|fact| fact["value"]["cuda"].as_str());
        assert_eq!(cuda, part.cuda, "{}: {build:?}", part.name);
    }
}

#[test]
fn the_wheels_with_cudas_libraries_are_listed_with_their_cuda() {
    for part in PARTS {
        let seen = here(part.name);
        let facts = seen.facts("python.package");
        let text = |fact: &Value, name: &str| fact["value"][name].as_str().unwrap_or_default().to_string();
        let wheels: Vec<_> = facts.iter().filter(|fact| text(fact, "name").starts_with("nvidia-")).collect();
        // The runtime has the version of CUDA: nvidia-cuda-runtime-cu12 12.1.105, and since 13 without a suffix.
        let runtime = wheels.iter().find(|fact| text(fact, "name").starts_with("nvidia-cuda-runtime"));
        let major = runtime.map(|fact| text(fact, "version").split('.').next().unwrap_or_default().to_string());
        assert_eq!(major.as_deref().zip(Some(wheels.len())), part.wheels, "{}: {wheels:?}", part.name);
        let suffixed = wheels.iter().map(|fact| text(fact, "name"));
        for name in suffixed.filter(|name| name.contains("-cu1")) {
            assert!(name.ends_with(&format!("-cu{}", major.as_deref().unwrap_or_default())), "{}: {name}", part.name);
        }
    }
}
