//! Files of a database, whose faults make the store refuse writes.

use std::path::Path;
use std::sync::Arc;

use super::damage::FileDamage;
use super::file_identity::FileIdentity;
use crate::error::Result;
use crate::file_fault::FileFault;

/// Files of a database, unless it is in memory.
#[derive(Clone)]
pub(super) struct DatabaseFiles {
    pub(super) identity: FileIdentity,
    pub(super) damage: Arc<FileDamage>,
}

impl DatabaseFiles {
    /// Remembers the files of a database that is open.
    pub(super) fn of(file: &Path) -> Self {
        Self {
            identity: FileIdentity::of(file),
            damage: FileDamage::new(file),
        }
    }

    /// Fails if writes must be refused.
    pub(super) fn check(&self) -> Result<()> {
        self.damage.check()?;
        self.identity.check()
    }

    /// Reason why writes are refused, if they are.
    pub(super) fn fault(&self) -> Option<FileFault> {
        if self.damage.is_seen() {
            return Some(FileFault::Damaged);
        }
        self.identity.check().is_err().then_some(FileFault::Replaced)
    }
}
