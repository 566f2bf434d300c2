//! Which card of several, in which slot of which board.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance};

/// The rows.
pub static ROWS: &[Message] = &[
    // One card, whatever runs on it.
    circumstance(
        "one-gpu-of-several",
        &[
            "one of the gpus",
            "one of my gpus",
            "one of the eight gpus",
            "one of the 8 gpus",
            "one of the four gpus",
            "one gpu of",
            "only one gpu fails",
            "only this gpu",
            "only on gpu ",
            "always the same gpu",
            "always the same card",
            "same gpu every time",
            "same card every time",
            "same physical gpu",
            "other gpus work",
            "other gpus are fine",
            "other gpus fine",
            "the other gpu works",
            "the other card works",
            "other cards work",
            "different jobs",
            "different programs",
            "any workload on this",
            "replaced the gpu",
            "replaced the card",
            "replacing the gpu",
            "replacing the card",
        ],
        &[
            ("suspected-faulty-gpu", Supports),
            ("gpu-fell-off-bus", Suggests),
            ("failing-hbm-memory", Suggests),
            ("application-illegal-memory-access", Against),
            ("driver-regression", Against),
        ],
    ),
    // Seating, slot and cables.
    circumstance(
        "another-slot",
        &[
            "another slot",
            "other slot",
            "different slot",
            "different pcie slot",
            "another pcie slot",
            "moved the card",
            "moved the gpu",
            "swapped the cards",
            "swapped the gpus",
            "swapping the cards",
            "swapping the gpus",
            "reseat",
            "re-seat",
            "riser",
            "power cable",
            "new psu",
            "power supply",
        ],
        &[
            ("gpu-fell-off-bus", Suggests),
            ("pcie-link-degraded", Suggests),
            ("motherboard-hardware-fault", Suggests),
            ("suspected-faulty-gpu", Suggests),
        ],
    ),
    circumstance(
        "slot-follows-board",
        &[
            "new motherboard",
            "another motherboard",
            "different motherboard",
            "replaced the motherboard",
            "replacing the motherboard",
            "motherboard was",
            "faulty motherboard",
            "bad motherboard",
            "broken motherboard",
            "motherboard fault",
            "mainboard",
        ],
        &[("motherboard-hardware-fault", Supports), ("gpu-fell-off-bus", Against), ("suspected-faulty-gpu", Against)],
    ),
];
