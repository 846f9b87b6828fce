//! Contact submissions: create only, with a custom check.

use crate::api::{CREATE, Context, Draft, Errors, ModelResource, Operations, Reply, Result};
use crate::extensions::api;
use crate::models::ContactSubmission;
use crate::serializers::ContactSubmissionSerializer;

/// Visitors create submissions; the api does not return them.
pub struct ContactSubmissionResource;

#[api::model_resource(ContactSubmission, "/contact-submissions", serializer = ContactSubmissionSerializer)]
impl ModelResource for ContactSubmissionResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);
    const PUBLIC: bool = true;

    async fn create(cx: Context, submission: Draft<ContactSubmission>, mut errors: Errors) -> Result<Reply> {
        let message = submission.get(ContactSubmission::MESSAGE).unwrap_or_default();
        if !message.is_empty() && message.trim().is_empty() {
            errors.add("message", "Message is required.");
        }
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.created(submission).await
    }
}
