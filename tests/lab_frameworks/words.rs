//! What each framework says of itself on a machine without a GPU.

use crate::common::stage::part as folder;
use crate::machines::here;
use crate::parts::PARTS;

#[test]
fn each_framework_says_in_its_own_words_that_there_is_no_gpu() {
    for part in PARTS {
        let seen = here(part.name);
        let id = format!("{}@{}", part.framework, folder(part.name).display());
        let mine = |key: &str| -> Vec<serde_json::Value> {
            seen.facts(key).into_iter().filter(|fact| fact["subject"]["id"] == id).cloned().collect()
        };
        let import = mine("framework.import");
        assert_eq!(import.len(), 1, "{}", part.name);
        assert_eq!(import[0]["value"]["ok"], part.imports, "{}: {import:?}", part.name);
        let mut words: Vec<String> =
            mine("framework.message").iter().filter_map(|fact| fact["value"].as_str().map(str::to_string)).collect();
        if part.imports {
            assert_eq!(mine("framework.available")[0]["value"], false, "{}", part.name);
        } else {
            // What cannot be imported is not asked.
            assert!(mine("framework.available").is_empty(), "{}", part.name);
            words.push(import[0]["value"]["message"].as_str().unwrap_or_default().to_string());
        }
        assert!(words.iter().any(|text| text.contains(part.says)) || part.says.is_empty(), "{}: {words:?}", part.name);
        assert!(mine("framework.tensor").is_empty(), "{}: there is nothing to compute on", part.name);
        let missing: Vec<String> = mine("framework.library")
            .iter()
            .filter(|fact| fact["value"]["problem"] == "missing")
            .filter_map(|fact| fact["value"]["name"].as_str().map(str::to_string))
            .collect();
        assert_eq!(missing, part.misses, "{}", part.name);
    }
}

#[test]
fn on_this_machine_the_first_cause_is_that_there_is_no_gpu() {
    for part in PARTS {
        let seen = here(part.name);
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{}", part.name);
        let errors = seen.errors();
        assert_eq!(errors[0], (1, "no-nvidia-gpu-present", "certain"), "{}:\n{}", part.name, seen.text);
        // A framework that cannot even be imported is a fault of its own; a build without CUDA is none here.
        let rest: Vec<&str> = errors[1..].iter().map(|(_, slug, _)| *slug).collect();
        let broken = match (part.framework, part.imports) {
            (_, true) => vec![],
            ("torch", false) => vec!["torch-import-fails"],
            // numba-cuda imports where it finds CUDA's libraries, which nobody needs here.
            ("numba", false) => vec![],
            (_, false) => vec!["framework-import-fails"],
        };
        assert_eq!(rest, broken, "{}:\n{}", part.name, seen.text);
    }
}
