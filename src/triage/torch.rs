//! What a text says about its torch, gathered from every reader, and put down when the text is over: the version in one line
//! and the build in another make one fact.

use super::Found;
use super::parts::{self, torch};
use crate::facts::python::{self, Build, Distribution};
use crate::tables::wheels;

/// How well a line knows which torch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// A list of packages: of some Python.
    Listed,
    /// A banner of a program.
    Banner,
    /// torch itself.
    Itself,
}

/// What is known so far.
#[derive(Debug, Default)]
pub struct Torch {
    version: Option<(String, Sure, u64)>,
    cuda: Option<(Option<String>, u64)>,
    hip: Option<(String, u64)>,
    xpu: Option<(String, u64)>,
    conda: Option<(String, Option<String>, u64)>,
}

impl Torch {
    /// A version with its local tag. The first of the surest lines counts.
    pub fn version(&mut self, version: &str, sure: Sure, line: u64) {
        let looks = version.len() < 60 && version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
        let better = self.version.as_ref().is_none_or(|(old, had, _)| {
            // A row of a list may know the tag that torch's own metadata leaves out.
            sure > *had || (sure == *had && tag(old).is_none() && version.starts_with(old.as_str()))
        });
        if looks && better {
            self.version = Some((version.to_string(), sure, line));
        }
    }

    /// torch.version.cuda: a version, or None.
    pub fn cuda(&mut self, cuda: Option<&str>, line: u64) {
        if self.cuda.is_none() {
            self.cuda = Some((cuda.map(str::to_string), line));
        }
    }

    /// torch.version.hip.
    pub fn hip(&mut self, hip: &str, line: u64) {
        self.hip.get_or_insert((hip.to_string(), line));
    }

    /// torch.version.xpu.
    pub fn xpu(&mut self, xpu: &str, line: u64) {
        self.xpu.get_or_insert((xpu.to_string(), line));
    }

    /// conda's build string and channel of the package pytorch.
    pub fn conda(&mut self, build: &str, channel: Option<&str>, line: u64) {
        self.conda.get_or_insert((build.to_string(), channel.map(str::to_string), line));
    }

    /// Whether the build is for Intel's GPUs.
    pub fn is_xpu(&self) -> bool {
        self.build().is_some_and(|(build, _)| build.xpu.is_some())
    }

    /// Puts down what was gathered.
    pub fn finish(self, found: &mut Found) {
        let subject = torch();
        let conda = self.conda.clone();
        if let Some((version, _, line)) = &self.version {
            let from_conda = conda.as_ref().filter(|(_, channel, _)| channel.as_deref() != Some("pypi"));
            let distribution = Distribution {
                version: version.clone(),
                location: String::new(),
                installer: from_conda.map(|_| "conda".to_string()),
                conda_build: from_conda.map(|(build, _, _)| build.clone()),
                channel: from_conda.and_then(|(_, channel, _)| channel.clone()),
                through: None,
            };
            found.seen_at(&python::DISTRIBUTION, &subject, distribution, *line);
        }
        if let Some((build, line)) = self.build() {
            found.seen_at(&python::BUILD, &subject, build, line);
        }
    }

    /// What the build was made for, and the line that says so.
    fn build(&self) -> Option<(Build, u64)> {
        let tagged = self.version.as_ref().and_then(|(version, _, line)| Some((of_tag(tag(version)?)?, *line)));
        let hip = self.hip.clone();
        let xpu = self.xpu.clone();
        match (&self.cuda, tagged) {
            // torch built for Intel or AMD says None for CUDA.
            (Some((None, _)) | None, Some((build, line))) if build.hip.is_some() || build.xpu.is_some() => {
                Some((build, line))
            }
            (Some((cuda, line)), _) => {
                let build = Build { cuda: cuda.clone(), hip: hip.map(|(hip, _)| hip), xpu: xpu.map(|(xpu, _)| xpu) };
                Some((build, *line))
            }
            (None, _) if hip.is_some() => {
                let (hip, line) = hip?;
                Some((Build { hip: Some(hip), ..Build::default() }, line))
            }
            (None, _) if xpu.is_some() => {
                let (xpu, line) = xpu?;
                Some((Build { xpu: Some(xpu), ..Build::default() }, line))
            }
            (None, Some(tagged)) => Some(tagged),
            (None, None) => {
                let (build, _, line) = self.conda.as_ref()?;
                Some((of_conda(build)?, *line))
            }
        }
    }
}

fn tag(version: &str) -> Option<&str> {
    wheels::tag(version).or_else(|| version.split_once('+').map(|(_, tag)| tag))
}

/// `cpu`, `cu121`, `rocm6.1`, `xpu`; nothing for other tags (`git1234`, `cxx11.abi`).
pub fn of_tag(tag: &str) -> Option<Build> {
    let tag = tag.to_ascii_lowercase();
    if tag == "cpu" || tag.starts_with("cpu.") {
        return Some(Build::default());
    }
    if let Some(version) = tag.strip_prefix("rocm").and_then(parts::version) {
        return Some(Build { hip: Some(version.to_string()), ..Build::default() });
    }
    if tag.starts_with("xpu") {
        return Some(Build { xpu: Some("xpu".to_string()), ..Build::default() });
    }
    let cuda = cuda_of_digits(tag.strip_prefix("cu")?)?;
    Some(Build { cuda: Some(cuda), ..Build::default() })
}

/// `121` is 12.1, `92` is 9.2.
fn cuda_of_digits(text: &str) -> Option<String> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    match digits.len() {
        2 | 3 => Some(format!("{}.{}", &digits[..digits.len() - 1], &digits[digits.len() - 1..])),
        _ => None,
    }
}

/// conda's build strings: `py3.8_cpu_0`, `cpu_mkl_py311h...`, `py3.7_cuda10.1.243_cudnn7.6.3_0`, `cuda126_mkl_py312...`.
pub fn of_conda(build: &str) -> Option<Build> {
    let mut parts = build.split('_');
    if parts.clone().any(|part| part == "cpu") {
        return Some(Build::default());
    }
    let cuda = parts.find_map(|part| part.strip_prefix("cuda"))?;
    let cuda = match cuda.contains('.') {
        true => parts::version(cuda)?.to_string(),
        false => cuda_of_digits(cuda)?,
    };
    Some(Build { cuda: Some(cuda), ..Build::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_build_strings_name_the_build() {
        let cuda = |text: &str| Some(Build { cuda: Some(text.to_string()), ..Build::default() });
        assert_eq!(of_tag("cu121"), cuda("12.1"));
        assert_eq!(of_tag("cu92"), cuda("9.2"));
        assert_eq!(of_tag("cpu"), Some(Build::default()));
        assert_eq!(of_tag("rocm6.1").and_then(|b| b.hip), Some("6.1".to_string()));
        assert_eq!(of_tag("gitabc"), None);
        assert_eq!(of_conda("py3.7_cuda10.1.243_cudnn7.6.3_0"), cuda("10.1.243"));
        assert_eq!(of_conda("cuda126_mkl_py312h4b5e1ab_300"), cuda("12.6"));
        assert_eq!(of_conda("py3.8_cpu_0"), Some(Build::default()));
        assert_eq!(of_conda("cpu_generic_py311h1_0"), Some(Build::default()));
        assert_eq!(of_conda("py39h2bbff1b_0"), None);
    }
}
