//! An interpreter that was chosen cannot be run, or is no Python.

use crate::causes::{Case, Cause, Finding, Level};
use crate::facts::python;
use crate::subject::Subject;
use crate::symptom::Kind;

/// Nothing about the environment can be known until its Python starts.
pub static CAUSE: Cause =
    Cause { page: include_str!("python-interpreter-broken.md"), explains: &[&[Kind::PythonBroken]], assess };

fn assess(case: &Case) -> Vec<Finding> {
    case.symptoms(Kind::PythonBroken)
        .map(|o| {
            let look = case.facts.look(&python::BROKEN, &o.subject);
            let why = look.clone().seen();
            let level = if why.is_some() { Level::Decided } else { Level::Generic };
            let why = why.unwrap_or_else(|| "it cannot be run".to_string());
            Finding::new(&o.subject, level)
                .because_of(&look, format!("{}: {why}", o.subject.id))
                .with("path", o.subject.id.clone())
                .with("role", role(case, &o.subject))
                .with("why", why)
        })
        .collect()
}

/// What the interpreter is to the user: with `--all-envs` also those are asked that nobody chose.
fn role(case: &Case, broken: &Subject) -> &'static str {
    let same = |path: &str| path == broken.id;
    let mut environments = case.facts.all(&python::ENVIRONMENT);
    match environments.find(|(environment, fact)| same(&environment.path) || fact.subject == *broken) {
        Some((environment, _)) if !environment.in_use => "belongs to an environment that was found here",
        _ => "was chosen as the Python to look at",
    }
}

#[cfg(test)]
mod tests {
    use crate::causes::example;
    use crate::report::Report;

    /// An environment that `--all-envs` finds was chosen by nobody.
    #[test]
    fn an_environment_that_is_only_listed_was_not_chosen() {
        let said = |in_use: bool| {
            let text = format!(
                "from healthy\npython.broken environment /opt/old/bin/python = \"no such file\"\n\
                 python.environment environment /opt/old = {{\"path\": \"/opt/old/bin/python\", \"in_use\": {in_use}, \"manager\": \"pip\"}}\n"
            );
            let facts = example::facts(&text, false).unwrap_or_else(|e| panic!("{e}"));
            let report = Report::of(facts, "2026-12-01T00:00:00Z".to_string());
            let found = report.root_causes.iter().find(|cause| cause.slug == "python-interpreter-broken");
            found.map(|cause| cause.message.clone()).unwrap_or_default()
        };
        assert!(
            said(true).starts_with("/opt/old/bin/python was chosen as the Python to look at, and"),
            "{}",
            said(true)
        );
        let listed =
            "/opt/old/bin/python belongs to an environment that was found here, and it cannot be asked: no such file.";
        assert_eq!(said(false), listed);
    }
}
