//! Checks of an object for the caller who writes it.

use std::sync::Arc;

use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::{CompiledSerializer, SerializerFields, WriteMode};

use crate::access::Caller;

/// Adds checks with the caller to a serializer.
pub trait ValidateForCaller<M: Model>: Sized {
    /// Checks the whole object for the caller who writes it, such as that only some callers give a column a certain value.
    ///
    /// The check runs after [`ModelSerializer::validate`](crate::ModelSerializer::validate), and unlike it also if fields
    /// have errors, so that the client gets all errors at once: a column whose value was rejected has its saved value, or
    /// none. In a patch the draft has the saved values of the columns that the client did not send. If the row of an update
    /// has changed meanwhile, the check runs again on the new row.
    ///
    /// It applies to what this serializer loads. What no write of a caller may result in, whichever serializer or handler
    /// makes it, belongs in [`ModelPolicy::writable`](crate::ModelPolicy::writable).
    ///
    /// ```
    /// use model_resource::{
    ///     ColumnEnum, Message, Model, ModelSerializer, SerializerFields, ValidateForCaller, serializer,
    /// };
    ///
    /// #[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
    /// enum Status {
    ///     Draft,
    ///     Public,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Question {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     title: String,
    ///     status: Status,
    /// }
    ///
    /// struct QuestionSerializer;
    ///
    /// #[serializer]
    /// impl ModelSerializer for QuestionSerializer {
    ///     type Model = Question;
    ///
    ///     fn fields(fields: SerializerFields<Question>) -> SerializerFields<Question> {
    ///         fields.validate_for_caller(|caller, question, _, errors| {
    ///             let publishes = question.is_changed(Question::STATUS)
    ///                 && question.get(Question::STATUS) == Some(Status::Public);
    ///             if publishes && !caller.has_role("staff") {
    ///                 errors.add("status", Message::new("staff_only", "Only staff may publish a question."));
    ///             }
    ///         })
    ///     }
    /// }
    /// ```
    fn validate_for_caller<F>(self, check: F) -> Self
    where
        F: Fn(&Caller, &Draft<M>, WriteMode, &mut Errors) + Send + Sync + 'static;
}

impl<M: Model> ValidateForCaller<M> for SerializerFields<M> {
    fn validate_for_caller<F>(self, check: F) -> Self
    where
        F: Fn(&Caller, &Draft<M>, WriteMode, &mut Errors) + Send + Sync + 'static,
    {
        let erased = move |caller: &Caller, draft: &mut AnyDraft, mode: WriteMode, errors: &mut Errors| {
            let typed = Draft::<M>::from_any(std::mem::replace(draft, AnyDraft::new(M::table())));
            check(caller, &typed, mode, errors);
            *draft = typed.into_any();
        };
        self.caller_check(Arc::new(ErasedCallerCheck(Box::new(erased))))
    }
}

/// Type-erased check with the caller.
struct ErasedCallerCheck(Box<CheckFn>);

type CheckFn = dyn Fn(&Caller, &mut AnyDraft, WriteMode, &mut Errors) + Send + Sync;

/// Runs the checks of a serializer with the caller, and adds their errors.
pub(crate) fn check_for_caller(
    serializer: &CompiledSerializer,
    caller: &Caller,
    draft: &mut AnyDraft,
    mode: WriteMode,
    errors: &mut Errors,
) {
    for check in serializer.caller_checks() {
        let ErasedCallerCheck(check) = check
            .downcast_ref()
            .expect("only `validate_for_caller` adds checks");
        check(caller, draft, mode, errors);
    }
}
