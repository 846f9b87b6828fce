//! Requests as subscribers of writes get them.

use std::sync::Arc;

use bytes::Bytes;
use http::header;
use model_resource_schema::serializer::ObjectVersion;
use model_resource_store::Store;

use crate::pipeline::commit_queue::{CommitQueue, CommitWork, WorkCondition, run};
use crate::pipeline::context::db::{Db, NestedBegin, PendingWork};
use crate::pipeline::context::patched_row::PatchedRow;
use crate::pipeline::context::request::Context;
use crate::routing::Operation;

/// Destination of work that waits for the commit of a write.
pub(crate) enum CommitSink {
    /// The transaction that the handler has begun.
    Transaction(PendingWork),
    /// The request, or the transaction around it.
    Request(Arc<CommitQueue>),
    /// None: the work runs at once.
    Background,
}

impl CommitSink {
    /// Adds work whose own transaction was committed: it runs when the one around it is, if there is one.
    pub(crate) fn push_committed(&self, work: Vec<CommitWork>) {
        if work.is_empty() {
            return;
        }
        match self {
            CommitSink::Transaction(pending) => work.into_iter().for_each(|one| pending.push(one)),
            CommitSink::Request(queue) => {
                for one in work {
                    queue.push(one, WorkCondition::Committed);
                }
            }
            CommitSink::Background => run(work),
        }
    }
}

impl Context {
    /// Destination of work that waits for the commit of this request's writes.
    pub(crate) fn commit_sink(&self) -> CommitSink {
        match (&self.0.db, &self.0.commit_queue) {
            (Db::Transaction(_, pending), _) => CommitSink::Transaction(pending.clone()),
            (_, Some(queue)) => CommitSink::Request(Arc::clone(queue)),
            (_, None) => CommitSink::Background,
        }
    }

    /// Creates a request of the same caller for the subscribers of a write, without what concerns only the object in
    /// the URL: its preconditions and its body.
    pub(crate) fn event_request(&self) -> Self {
        let mut request = self.again(Arc::clone(self.services()), Bytes::new());
        let parts = &mut request.0.parts;
        for name in [
            header::CONTENT_LENGTH,
            header::CONTENT_TYPE,
            header::TRANSFER_ENCODING,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_MODIFIED_SINCE,
            header::IF_UNMODIFIED_SINCE,
        ] {
            parts.headers.remove(name);
        }
        parts.extensions.remove::<PatchedRow>();
        parts.extensions.remove::<ObjectVersion>();
        // Its writes are about other rows than that of the URL.
        let is_created = request.0.operation == Some(Operation::Create) && request.0.binding.is_item();
        if is_created || request.0.binding.restores {
            request.0.binding = Arc::new(request.0.binding.without_key());
        }
        request
    }

    /// Creates the request of one subscriber, which writes in `store`, a transaction. The work that waits for its commit
    /// goes to `queue`. Also returns whether the subscriber has an uncommitted `begin`.
    pub(crate) fn inside_event(&self, store: Store, queue: Arc<CommitQueue>) -> (Self, NestedBegin) {
        let mut request = self.again(Arc::clone(self.services()), Bytes::new());
        let begun = NestedBegin::default();
        request.0.db = Db::Event(Box::new(store), begun.clone());
        request.set_commit_queue(queue);
        (request, begun)
    }
}
