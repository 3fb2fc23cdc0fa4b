//! All calls of the contract but `Play`, with all fields of their requests and answers.
//!
//! ```no_run
//! use referee_client::organiser::{Organiser, contract::CorrectTournamentMatchRequest, contract::CorrectionKind};
//!
//! # async fn example(organiser: Organiser, match_id: String) -> Result<(), referee_client::RefereeError> {
//! let correction = CorrectTournamentMatchRequest {
//!     tournament: "cup".into(),
//!     match_id,
//!     kind: CorrectionKind::Struck,
//!     message: "a seat was played by hand".into(),
//!     ..Default::default()
//! };
//! let answer = organiser.contract().correct_tournament_match(correction).await?;
//! println!("{:?}", answer.pairing);
//! # Ok(())
//! # }
//! ```
//!
//! The types belong to this crate, and their comments are those of the contract. A field of a request that is left at
//! its default has the default of the contract; write `..Default::default()`, since a later contract has more fields.

mod calls;
mod types;

use std::time::SystemTime;

use prost_types::Timestamp;

pub use types::*;

use crate::organiser::{Organiser, calls::Calls};

/// Has a method for each call of the contract but `Play`. Methods of [`Organiser`] are shorter for what most organisers
/// do.
///
/// Calls are repeated as those of an [`Organiser`]. An empty `request_id` is replaced by a new one, so that nothing is
/// created twice. A watch continues after an interruption, and then begins with another snapshot. A file that is read in
/// parts is read again from its beginning.
#[derive(Clone)]
pub struct Contract {
    calls: Calls,
}

impl std::fmt::Debug for Contract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contract").finish_non_exhaustive()
    }
}

impl Organiser {
    /// Returns all calls of the contract, which use the connection of the organiser.
    pub fn contract(&self) -> Contract {
        Contract {
            calls: self.calls.clone(),
        }
    }
}

/// Returns None for a time that the platform cannot represent.
fn time(message: Timestamp) -> Option<SystemTime> {
    message.try_into().ok()
}
