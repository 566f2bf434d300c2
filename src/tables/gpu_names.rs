//! Compute capability by the product name that nvidia-smi, collect_env and torch print, where no number is shown.
//!
//! Source: NVIDIA's lists of CUDA GPUs, current and legacy (developer.nvidia.com/cuda-gpus), and for the boards that it leaves
//! out (mobile and data-centre variants) the chip that the public PCI id list names; as of 2026-11. A `#` stands for a digit.
//! The first row that fits counts, so that special names stand before general ones.

use super::pci_ids::Architecture;

#[rustfmt::skip]
static NAMES: &[(&[&str], (u32, u32))] = &[
    // Systems on a chip.
    (&["GB10", "DGX SPARK"], (12, 1)),
    (&["THOR"], (11, 0)),
    (&["ORIN"], (8, 7)),
    (&["XAVIER"], (7, 2)),
    (&["TEGRA X2", "TX2"], (6, 2)),
    (&["TEGRA X1", "JETSON NANO"], (5, 3)),
    // Blackwell.
    (&["GB300", "B300"], (10, 3)),
    (&["GB200", "B200", "B100"], (10, 0)),
    (&["RTX 50#0", "RTX PRO ####", "RTX PRO ###", "BLACKWELL"], (12, 0)),
    // Hopper.
    (&["GH200", "H100", "H200", "H800", "H20"], (9, 0)),
    // Ada.
    (&["RTX 40#0", "L40S", "L40G", "L40", "L4", "L20", "L2", "ADA", "RTX #### ADA", "RTX ### ADA"], (8, 9)),
    // Ampere.
    (&["A100", "A800", "A30", "GRID A100X", "A100X", "A100D", "CMP 170HX", "PG506"], (8, 0)),
    (&["RTX 30#0", "RTX 2050", "A40", "A10G", "A10M", "A10", "A16", "A2", "RTX A####", "RTXA####", "RTX A###", "A####", "MX570", "CMP 90HX", "CMP 70HX", "CMP 50HX"], (8, 6)),
    // Turing.
    (&["RTX 20#0", "GTX 16#0", "TITAN RTX", "QUADRO RTX ####", "RTX ####", "T4G", "T4", "T1000", "T1200", "T2000", "T600", "T550", "T500", "T400", "MX450", "MX550", "CMP 30HX", "CMP 40HX"], (7, 5)),
    // Volta.
    (&["V100S", "V100", "V100D", "V100DX", "V100X", "TITAN V", "GV100"], (7, 0)),
    // Pascal.
    (&["P100", "GP100"], (6, 0)),
    (&["GTX 10#0", "GT 10#0", "TITAN XP", "TITAN X (PASCAL)", "TITAN X PASCAL", "P40", "P4", "P6", "QUADRO P####", "QUADRO P###", "P####", "P###", "MX150", "MX230", "MX250", "MX330", "MX350", "P106-100", "P106-090", "P104-100", "P102-100"], (6, 1)),
    // Maxwell.
    (&["GTX 95#M", "GTX 96#M", "GTX 750", "GTX 745", "GTX 850M", "GTX 860M", "940MX", "940M", "930MX", "930M", "920MX", "840M", "830M", "MX110", "MX130", "M10", "QUADRO K2200", "QUADRO K1200", "QUADRO K620", "QUADRO M1000M", "QUADRO M2000M", "QUADRO M1200", "QUADRO M620", "QUADRO M600M", "QUADRO M500M", "QUADRO M520"], (5, 0)),
    (&["GTX 9#0M", "GTX 9#0", "GTX TITAN X", "TITAN X", "M60", "M40", "M6", "M4", "QUADRO M####", "QUADRO M####M"], (5, 2)),
    // Kepler.
    (&["K80"], (3, 7)),
    (&["K40M", "K40C", "K40S", "K40", "K20XM", "K20X", "K20M", "K20C", "K20S", "K20", "GTX 780 TI", "GTX 780", "GTX TITAN BLACK", "GTX TITAN Z", "GTX TITAN", "TITAN BLACK", "TITAN Z", "GT 710", "GT 720", "GT 730", "GT 740M", "QUADRO K6000", "QUADRO K5200", "920M", "QUADRO K610M", "QUADRO K510M"], (3, 5)),
    (&["K10", "GRID K1", "GRID K2", "K520", "K340", "GTX 6##", "GTX 76#", "GTX 77#", "GTX 69#", "GT 64#", "GT 74#", "GT 75#M", "QUADRO K####M", "QUADRO K####", "QUADRO K###M", "QUADRO K###", "NVS 510"], (3, 0)),
    // Fermi.
    (&["GTX 4##", "GTX 5##", "GT 4##", "GT 5##", "GT 61#", "GT 62#", "GT 63#", "C2050", "C2070", "C2075", "M2050", "M2070", "M2075", "M2090", "QUADRO 2000", "QUADRO 4000", "QUADRO 5000", "QUADRO 6000"], (2, 0)),
];

/// The compute capability of a product; nothing for a name that is not in the table, or that was cut.
pub fn compute_capability(name: &str) -> Option<(u32, u32)> {
    let name = name.trim();
    if name.is_empty() || name.len() > 100 || name.ends_with("...") {
        return None;
    }
    let name = name.to_ascii_uppercase().replace("TI SUPER", "TI");
    let name = name.as_bytes();
    let begins = |at: &usize| is_word(&name[*at]) && !at.checked_sub(1).is_some_and(|before| is_word(&name[before]));
    let words: Vec<usize> = (0..name.len()).filter(begins).collect();
    let holds = |pattern: &&'static str| words.iter().any(|at| begins_with(&name[*at..], pattern.as_bytes()));
    NAMES.iter().find(|(patterns, _)| patterns.iter().any(holds)).map(|row| row.1)
}

/// The generation of a product.
pub fn architecture(name: &str) -> Option<Architecture> {
    Architecture::of_compute_capability(compute_capability(name)?)
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Whether the words of a name begin with those of a pattern.
fn begins_with(words: &[u8], pattern: &[u8]) -> bool {
    let fits = |(p, b): (&u8, &u8)| if *p == b'#' { b.is_ascii_digit() } else { p == b };
    if words.len() < pattern.len() || !pattern.iter().zip(words).all(fits) {
        return false;
    }
    // `A100-SXM4`, `RTX 4090D`, `GTX 1050Ti`: another digit behind it is another product, letters may be a variant.
    let behind = &words[pattern.len()..];
    match behind {
        [] => true,
        [b, ..] if b.is_ascii_digit() => false,
        [b, ..] if b.is_ascii_alphabetic() => {
            matches!(behind.split(|b| !is_word(b)).next(), Some(b"D" | b"TI" | b"M" | b"S" | b"X" | b"MAX"))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_tools_print_them_have_their_numbers() {
        let cases = [
            ("NVIDIA GeForce RTX 5090", (12, 0)),
            ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", (12, 0)),
            ("NVIDIA H100 80GB HBM3", (9, 0)),
            ("NVIDIA GeForce RTX 4090 D", (8, 9)),
            ("NVIDIA GeForce RTX 4070 Ti SUPER", (8, 9)),
            ("NVIDIA RTX 6000 Ada Generation", (8, 9)),
            ("NVIDIA RTX 4000 Ada Generation", (8, 9)),
            ("NVIDIA A100-SXM4-80GB", (8, 0)),
            ("GRID A100D-4C", (8, 0)),
            ("NVIDIA RTXA6000-48A", (8, 6)),
            ("NVIDIA RTX A5000", (8, 6)),
            ("NVIDIA GeForce RTX 3060 Laptop GPU", (8, 6)),
            ("NVIDIA A10G", (8, 6)),
            ("Tesla T4", (7, 5)),
            ("Quadro RTX 8000", (7, 5)),
            ("GeForce GTX 1650", (7, 5)),
            ("Tesla V100-PCIE-16GB", (7, 0)),
            ("Tesla P100-PCIE-16GB", (6, 0)),
            ("GeForce GTX 1050 Ti", (6, 1)),
            ("TITAN X (Pascal)", (6, 1)),
            ("TITAN Xp", (6, 1)),
            ("Quadro P2000", (6, 1)),
            ("Tesla M60", (5, 2)),
            ("GeForce GTX TITAN X", (5, 2)),
            ("GeForce 940MX", (5, 0)),
            ("Tesla K80", (3, 7)),
            ("Tesla K40m", (3, 5)),
            ("GeForce GT 710", (3, 5)),
            ("Orin (nvgpu)", (8, 7)),
        ];
        for (name, cc) in cases {
            assert_eq!(compute_capability(name), Some(cc), "{name}");
        }
        for name in ["NVIDIA GeForce ...", "", "AMD Radeon RX 6800", "Intel(R) Arc(TM) A770 Graphics"] {
            assert_eq!(compute_capability(name), None, "{name}");
        }
    }
}
