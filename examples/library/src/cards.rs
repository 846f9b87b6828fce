//! Callers: members by the number of their card, and the desk by its key.

use model_resource::{Authenticate, Caller, Context, Error, Result};
use subtle::ConstantTimeEq as _;

/// Role of the desk.
pub(crate) const DESK: &str = "desk";

/// Identifies callers by their headers: `Library-Card: 7` is a member, and `Desk-Key: ..` the desk.
///
/// A card number is not a secret. A real library asks for a password: see the guide to authentication.
pub struct Cards {
    /// Key that the desk sends.
    pub desk_key: String,
}

impl Authenticate for Cards {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        if let Some(key) = cx.headers().get("desk-key") {
            let is_desk = bool::from(key.as_bytes().ct_eq(self.desk_key.as_bytes()));
            let desk = is_desk.then(|| Caller::of(0_i64).with_roles([DESK]));
            return desk.ok_or_else(Error::unauthorized);
        }
        let card = cx.headers().get("library-card");
        let card = card.and_then(|card| card.to_str().ok()?.parse::<i64>().ok());
        Ok(card.map_or_else(Caller::anonymous, Caller::of))
    }
}
