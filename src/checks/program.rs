//! Does the program use the device it could? Only where a program was seen: in a traceback, in a log. What such a text
//! says comes in as messages, which the chain turns into rows of this check; without one the row is absent.

use super::{Answer, Check};
use crate::facts::Facts;

/// The check.
pub static CHECK: Check = Check { id: "program", title: "The program", needs: &[], judge };

fn judge(_facts: &Facts) -> Vec<Answer> {
    Vec::new()
}
