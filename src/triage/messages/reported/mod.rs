//! What people say about their machine, and where it stands: circumstances, which weigh for and against causes and prove none.

mod attempts;
mod cards;
mod places;
mod rights;
mod since;
mod updates;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[rights::ROWS, since::ROWS, updates::ROWS, cards::ROWS, places::ROWS, attempts::ROWS];
