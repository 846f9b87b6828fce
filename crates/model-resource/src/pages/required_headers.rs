//! Headers that the constants of a resource require of its writes.

use crate::conditional::REQUIRE_IF_MATCH;
use crate::description::ActionDescription;
use crate::idempotency::REQUIRE_IDEMPOTENCY_KEY;

/// Whether an action rejects requests without an `Idempotency-Key`.
pub(crate) fn requires_key(action: &ActionDescription) -> bool {
    action.route.decorators.contains(&REQUIRE_IDEMPOTENCY_KEY)
}

/// Whether an action rejects requests without the version of the object.
pub(crate) fn requires_version(action: &ActionDescription) -> bool {
    action.route.decorators.contains(&REQUIRE_IF_MATCH)
}
