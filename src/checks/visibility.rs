//! visibility
use super::{Answer, Check};
use crate::facts::Facts;

/// The check.
pub static CHECK: Check = Check { id: "visibility", title: "", needs: &[], judge };

fn judge(_facts: &Facts) -> Vec<Answer> {
    Vec::new()
}
