//! NVIDIA device ids: chip, architecture and compute capability, and the names of the commonest boards.
//!
//! Ids are given out in blocks per chip, so a range tells the generation of boards that are newer than this table. The
//! ranges are the spans that the public PCI id list names for each chip (pciutils/pciids, version 2026.08.22); ids between
//! two blocks are no chip's. Compute capabilities: NVIDIA's "CUDA GPUs" page and the CUDA programming guide, 2026-11.

use std::fmt;

/// A generation of NVIDIA GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Architecture {
    /// GF1xx, compute capability 2.x.
    Fermi,
    /// GK1xx and GK2xx, 3.x.
    Kepler,
    /// GM1xx and GM2xx, 5.x.
    Maxwell,
    /// GP1xx, 6.x.
    Pascal,
    /// GV1xx, 7.0 and 7.2.
    Volta,
    /// TU1xx, 7.5.
    Turing,
    /// GA1xx, 8.0 to 8.7.
    Ampere,
    /// AD1xx, 8.9.
    Ada,
    /// GH1xx, 9.0.
    Hopper,
    /// GB1xx and GB2xx, 10.x to 12.x.
    Blackwell,
}

impl Architecture {
    /// Every generation, oldest first.
    pub const ALL: [Architecture; 10] = [
        Architecture::Fermi,
        Architecture::Kepler,
        Architecture::Maxwell,
        Architecture::Pascal,
        Architecture::Volta,
        Architecture::Turing,
        Architecture::Ampere,
        Architecture::Ada,
        Architecture::Hopper,
        Architecture::Blackwell,
    ];

    /// The word in facts: `ampere`.
    pub fn as_str(self) -> &'static str {
        match self {
            Architecture::Fermi => "fermi",
            Architecture::Kepler => "kepler",
            Architecture::Maxwell => "maxwell",
            Architecture::Pascal => "pascal",
            Architecture::Volta => "volta",
            Architecture::Turing => "turing",
            Architecture::Ampere => "ampere",
            Architecture::Ada => "ada",
            Architecture::Hopper => "hopper",
            Architecture::Blackwell => "blackwell",
        }
    }

    /// How a sentence writes it: `Ampere`.
    pub fn title(self) -> String {
        let word = self.as_str();
        word[..1].to_uppercase() + &word[1..]
    }

    /// The generation by its word, in either case.
    pub fn from_name(name: &str) -> Option<Architecture> {
        Self::ALL.into_iter().find(|a| a.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// The generation of a compute capability; nothing for one that no chip has yet.
    pub fn of_compute_capability(cc: (u32, u32)) -> Option<Architecture> {
        Some(match cc {
            (2, _) => Architecture::Fermi,
            (3, _) => Architecture::Kepler,
            (5, _) => Architecture::Maxwell,
            (6, _) => Architecture::Pascal,
            (7, 0..=4) => Architecture::Volta,
            (7, _) => Architecture::Turing,
            (8, 9) => Architecture::Ada,
            (8, _) => Architecture::Ampere,
            (9, _) => Architecture::Hopper,
            (10..=12, _) => Architecture::Blackwell,
            _ => return None,
        })
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an id says of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// `AD102`.
    pub name: &'static str,
    /// Its generation.
    pub architecture: Architecture,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
}

use Architecture::{Ada, Ampere, Blackwell, Fermi, Hopper, Kepler, Maxwell, Pascal, Turing, Volta};

/// First id, last id, chip, generation, compute capability.
type Row = (u16, u16, &'static str, Architecture, (u32, u32));

#[rustfmt::skip]
static CHIPS: &[Row] = &[
    (0x06c0, 0x06df, "GF100", Fermi, (2, 0)),
    (0x0dc0, 0x0ddf, "GF106", Fermi, (2, 1)),
    (0x0de0, 0x0dff, "GF108", Fermi, (2, 1)),
    (0x0e22, 0x0e3f, "GF104", Fermi, (2, 1)),
    (0x0f00, 0x0f06, "GF108", Fermi, (2, 1)),
    (0x0fc0, 0x0fff, "GK107", Kepler, (3, 0)),
    (0x1001, 0x102c, "GK110", Kepler, (3, 5)),
    (0x102d, 0x102d, "GK210", Kepler, (3, 7)),
    (0x102e, 0x103f, "GK110", Kepler, (3, 5)),
    (0x1040, 0x107f, "GF119", Fermi, (2, 1)),
    (0x1080, 0x109b, "GF110", Fermi, (2, 0)),
    (0x1140, 0x1140, "GF117", Fermi, (2, 1)),
    (0x1180, 0x11bf, "GK104", Kepler, (3, 0)),
    (0x11c0, 0x11ff, "GK106", Kepler, (3, 0)),
    (0x1200, 0x1213, "GF114", Fermi, (2, 1)),
    (0x1241, 0x1251, "GF116", Fermi, (2, 1)),
    (0x1280, 0x12ba, "GK208", Kepler, (3, 5)),
    (0x1340, 0x137d, "GM108", Maxwell, (5, 0)),
    (0x1380, 0x139d, "GM107", Maxwell, (5, 0)),
    (0x13b0, 0x13bd, "GM107", Maxwell, (5, 0)),
    (0x13c0, 0x13fb, "GM204", Maxwell, (5, 2)),
    (0x1401, 0x1436, "GM206", Maxwell, (5, 2)),
    (0x15f0, 0x15ff, "GP100", Pascal, (6, 0)),
    (0x1613, 0x1676, "GM204", Maxwell, (5, 2)),
    (0x1725, 0x172f, "GP100", Pascal, (6, 0)),
    (0x174d, 0x174e, "GM108", Maxwell, (5, 0)),
    (0x1789, 0x179c, "GM107", Maxwell, (5, 0)),
    (0x17c2, 0x17fd, "GM200", Maxwell, (5, 2)),
    (0x1b00, 0x1b7f, "GP102", Pascal, (6, 1)),
    (0x1b80, 0x1bff, "GP104", Pascal, (6, 1)),
    (0x1c00, 0x1c7f, "GP106", Pascal, (6, 1)),
    (0x1c80, 0x1cff, "GP107", Pascal, (6, 1)),
    (0x1d00, 0x1d7f, "GP108", Pascal, (6, 1)),
    (0x1d80, 0x1dff, "GV100", Volta, (7, 0)),
    (0x1e00, 0x1e7f, "TU102", Turing, (7, 5)),
    (0x1e80, 0x1eff, "TU104", Turing, (7, 5)),
    (0x1f00, 0x1f7f, "TU106", Turing, (7, 5)),
    (0x1f80, 0x1fff, "TU117", Turing, (7, 5)),
    (0x2080, 0x20ff, "GA100", Ampere, (8, 0)),
    (0x2180, 0x21ff, "TU116", Turing, (7, 5)),
    (0x2200, 0x227f, "GA102", Ampere, (8, 6)),
    (0x2302, 0x23ff, "GH100", Hopper, (9, 0)),
    (0x2414, 0x247f, "GA103", Ampere, (8, 6)),
    (0x2480, 0x24ff, "GA104", Ampere, (8, 6)),
    (0x2500, 0x257f, "GA106", Ampere, (8, 6)),
    (0x2580, 0x25ff, "GA107", Ampere, (8, 6)),
    (0x2680, 0x26ff, "AD102", Ada, (8, 9)),
    (0x2700, 0x277f, "AD103", Ada, (8, 9)),
    (0x2780, 0x27ff, "AD104", Ada, (8, 9)),
    (0x2800, 0x287f, "AD106", Ada, (8, 9)),
    (0x2880, 0x28ff, "AD107", Ada, (8, 9)),
    (0x2900, 0x297f, "GB100", Blackwell, (10, 0)),
    (0x2980, 0x29ff, "GB102", Blackwell, (10, 0)),
    (0x2b00, 0x2b00, "GB10B", Blackwell, (11, 0)),
    (0x2b80, 0x2bff, "GB202", Blackwell, (12, 0)),
    (0x2c00, 0x2c7f, "GB203", Blackwell, (12, 0)),
    (0x2d00, 0x2d7f, "GB206", Blackwell, (12, 0)),
    (0x2d80, 0x2dff, "GB207", Blackwell, (12, 0)),
    (0x2e00, 0x2e7f, "GB20B", Blackwell, (12, 1)),
    (0x2f00, 0x2f7f, "GB205", Blackwell, (12, 0)),
    (0x3180, 0x31ff, "GB110", Blackwell, (10, 3)),
];

/// The chip of an NVIDIA device id; nothing where no block of the table holds it (older than Fermi, newer than the table).
pub fn chip(device: u16) -> Option<Chip> {
    CHIPS.iter().find(|row| (row.0..=row.1).contains(&device)).map(|row| Chip {
        name: row.2,
        architecture: row.3,
        compute_capability: row.4,
    })
}

/// Whether an NVIDIA function of class `0x0680` (other bridge) is an NVSwitch. Old nForce chipsets have bridges of this
/// class too, hence the ids: those of the A100's and H100's generation as NVIDIA's open kernel modules list them
/// (`nvswitch.c`, 570), and three of the V100's. From HGX B200 on the switches show no NVIDIA function on the bus.
pub fn is_nvswitch(device: u16) -> bool {
    matches!(device, 0x1ac0..=0x1ac2 | 0x1ae8 | 0x1af0..=0x1aff | 0x22a0..=0x22a7)
}

/// Number of an id as sysfs writes it, `0x2684`, or as lspci does, `2684`.
pub fn parse_id(text: &str) -> Option<u16> {
    let text = text.trim();
    u16::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order_and_do_not_overlap() {
        for pair in CHIPS.windows(2) {
            assert!(pair[0].1 < pair[1].0, "{:#06x} and {:#06x}", pair[0].0, pair[1].0);
        }
        for row in CHIPS {
            assert!(row.0 <= row.1);
            assert_eq!(Architecture::of_compute_capability(row.4), Some(row.3), "{}", row.2);
        }
    }

    #[test]
    fn known_boards_have_the_generation_that_their_maker_says() {
        let cases = [
            (0x102d, "kepler", (3, 7)),     // Tesla K80
            (0x1381, "maxwell", (5, 0)),    // GeForce GTX 750
            (0x13f2, "maxwell", (5, 2)),    // Tesla M60
            (0x15f8, "pascal", (6, 0)),     // Tesla P100
            (0x1b06, "pascal", (6, 1)),     // GeForce GTX 1080 Ti
            (0x1db4, "volta", (7, 0)),      // Tesla V100
            (0x1eb8, "turing", (7, 5)),     // Tesla T4
            (0x2182, "turing", (7, 5)),     // GeForce GTX 1660 Ti
            (0x20b5, "ampere", (8, 0)),     // A100 80GB
            (0x2204, "ampere", (8, 6)),     // GeForce RTX 3090
            (0x2684, "ada", (8, 9)),        // GeForce RTX 4090
            (0x2330, "hopper", (9, 0)),     // H100 SXM5
            (0x2901, "blackwell", (10, 0)), // B200
            (0x3182, "blackwell", (10, 3)), // B300
            (0x2b85, "blackwell", (12, 0)), // GeForce RTX 5090
            (0x2e12, "blackwell", (12, 1)), // GB10
        ];
        for (id, architecture, cc) in cases {
            let chip = chip(id).unwrap_or_else(|| panic!("{id:#06x} has no chip"));
            assert_eq!((chip.architecture.as_str(), chip.compute_capability), (architecture, cc), "{id:#06x}");
        }
    }

    #[test]
    fn what_is_in_no_block_is_unknown() {
        assert_eq!(chip(0x0640), None); // GeForce 9500 GT, before Fermi
        assert_eq!(chip(0x3000), None); // after Blackwell
        assert_eq!(chip(0x228b), None); // an audio function
        assert_eq!(chip(0x22a3), None); // an NVSwitch
        assert!(is_nvswitch(0x22a3) && is_nvswitch(0x1af1));
        assert!(!is_nvswitch(0x0369)); // nForce MCP55 memory controller
    }

    #[test]
    fn ids_are_read_in_both_spellings() {
        assert_eq!(parse_id("0x2684\n"), Some(0x2684));
        assert_eq!(parse_id("10DE"), Some(0x10de));
        assert_eq!(parse_id("0x12684"), None);
        assert_eq!(parse_id(""), None);
    }
}
