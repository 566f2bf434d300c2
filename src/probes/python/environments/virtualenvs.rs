//! Environments of virtualenvwrapper and pipenv, and those that pdm and hatch keep in folders of their own.

use super::search::Search;

/// Finds them.
pub fn find(search: &mut Search) {
    let work_on = search.folder("WORKON_HOME");
    if let Some(folder) = work_on.clone().or_else(|| search.at_home(".virtualenvs")) {
        search.children(&folder, |name| format!("virtualenv {name}"));
    }
    // pipenv has WORKON_HOME too, and the data folder of Linux on every Unix.
    if let Some(folder) = search.at_home(".local/share/virtualenvs").filter(|_| work_on.is_none()) {
        search.children(&folder, |name| format!("pipenv environment {name}"));
    }
    let Some(data) = search.data() else { return };
    search.children(&data.join("pdm").join("venvs"), |name| format!("pdm environment {name}"));
    // hatch: PROJECT/ID/ENVIRONMENT.
    let hatch = search.folder("HATCH_DATA_DIR").unwrap_or_else(|| data.join("hatch")).join("env").join("virtual");
    for project in search.entries(&hatch) {
        for id in search.entries(&hatch.join(&project)) {
            search.children(&hatch.join(&project).join(id), |name| match name == project {
                true => format!("hatch environment default of {project}"),
                false => format!("hatch environment {name} of {project}"),
            });
        }
    }
}
