//! Policies in words, as they apply to one caller.

use std::borrow::Cow;

use futures_util::future::BoxFuture;
use model_resource::{
    Api, CREATE, Caller, Columns, Context, DELETE, Decorator, MethodDecorators, Model, ModelPolicy,
    ModelResource, ModelSerializer, Next, Operations, Reply, Result, Where, model_resource, serializer,
};

#[derive(Debug, Clone, Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    subject: String,
    #[column(references = Writer)]
    writer_id: i64,
    priority: i32,
    /// Never shown.
    #[column(hidden)]
    is_spam: bool,
    /// Hidden from all but clerks.
    censored: bool,
}

#[derive(Debug, Clone, Model)]
struct Writer {
    #[column(primary_key)]
    id: i64,
    town: String,
    /// Left out by the serializer.
    nickname: String,
}

struct WriterSerializer;

#[serializer]
impl ModelSerializer for WriterSerializer {
    type Model = Writer;
    const EXCLUDE: Columns<Writer> = Columns::of(Writer::NICKNAME);
}

struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn visible(caller: &Caller) -> Where<Letter> {
        if caller.has_role("clerk") {
            return Letter::CENSORED.eq(false);
        }
        let own = caller.owned_by(Letter::WRITER_ID);
        let urgent = Letter::PRIORITY.gte(3).and(Letter::CENSORED.eq(false));
        own.or(urgent).likely()
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        let neighbours = Letter::WRITER_ID.references(Writer::TOWN.eq("Ghent"));
        let friends = Letter::WRITER_ID.references(Writer::NICKNAME.eq("Bob"));
        if caller.is_authenticated() {
            neighbours.or(friends)
        } else {
            Where::none()
        }
    }

    fn deletable(_: &Caller) -> Where<Letter> {
        Letter::IS_SPAM.eq(true).or(Letter::SUBJECT.contains("offer"))
    }

    fn hidden(caller: &Caller) -> Columns<Letter> {
        if caller.has_role("clerk") {
            Columns::none()
        } else {
            Columns::of(Letter::CENSORED)
        }
    }
}

struct WriterPolicy;

impl ModelPolicy for WriterPolicy {
    type Model = Writer;

    fn explain(caller: &Caller) -> Option<Cow<'static, str>> {
        caller
            .has_role("clerk")
            .then_some(Cow::Borrowed("Clerks read the register."))
    }
}

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = LetterPolicy)]
struct LetterResource;

#[model_resource(Writer, "/writers", serializer = WriterSerializer, policy = WriterPolicy)]
struct WriterResource;

fn sentences(model: &str, caller: &Caller) -> Vec<String> {
    let api = Api::new("post")
        .model_resource::<LetterResource>()
        .model_resource::<WriterResource>();
    let mut policies = api.compile().explain_policies(caller).into_iter();
    policies.find(|policy| policy.model == model).unwrap().sentences
}

/// OAS-11: the conditions of a policy are explained in sentences about the caller.
#[test]
fn conditions_are_explained_in_sentences() {
    let clerk = Caller::of(9_i64).with_roles(["clerk"]);
    let clerk = sentences("Letter", &clerk);
    assert_eq!(clerk[0], "You see letters where censored is no.");
    assert_eq!(clerk[1], "You may not create letters.");
    let ann = sentences("Letter", &Caller::of(7_i64));
    assert!(
        ann[0].starts_with("You see letters where writer is you, or "),
        "{ann:?}"
    );
    assert!(ann[0].contains("priority is at least 3"), "{ann:?}");
    let writers = sentences("Writer", &Caller::anonymous());
    assert_eq!(
        writers,
        [
            "You see all writers.",
            "You may not create writers.",
            "You may change and delete no writers."
        ]
    );
    let visitor = sentences("Letter", &Caller::anonymous());
    assert_eq!(visitor[2], "You may change no letters.");
}

/// Policy with conditions inside each other, some of which are empty for some callers.
struct NestedPolicy;

impl ModelPolicy for NestedPolicy {
    type Model = Letter;

    fn visible(caller: &Caller) -> Where<Letter> {
        let own = Letter::PRIORITY.eq(2).and(caller.owned_by(Letter::WRITER_ID));
        let clerks = Letter::PRIORITY
            .eq(3)
            .and(Where::all_if(caller.has_role("clerk")));
        Letter::PRIORITY.eq(1).or(own).or(clerks)
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        let near = Letter::SUBJECT.eq("a").or(Letter::SUBJECT.eq("b")).likely();
        let none = Letter::PRIORITY.eq(4).and(Where::none());
        let everything = Where::all().likely();
        Self::visible(caller).and(near.or(none)).and(everything)
    }

    fn deletable(caller: &Caller) -> Where<Letter> {
        let neighbours = Writer::TOWN
            .eq("Ghent")
            .or(Writer::TOWN.eq("Bruges").and(Where::all()));
        let nobody = Writer::TOWN
            .eq("Lille")
            .and(Where::all_if(caller.has_role("clerk")));
        let town = Letter::WRITER_ID.references(neighbours.or(nobody.clone()));
        town.and(!Letter::WRITER_ID.references(nobody))
    }
}

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = NestedPolicy)]
struct NestedResource;

/// OAS-11, OAS-37: conditions inside each other are explained without those that change nothing for the caller, and an alternative
/// beside another condition is in parentheses.
#[test]
fn nested_conditions_are_explained() {
    let api = Api::new("post")
        .model_resource::<NestedResource>()
        .model_resource::<WriterResource>()
        .compile();
    let sentences = |caller: &Caller| {
        let mut policies = api.explain_policies(caller).into_iter();
        policies
            .find(|policy| policy.model == "Letter")
            .unwrap()
            .sentences
    };
    assert_eq!(
        sentences(&Caller::anonymous()),
        [
            "You see letters where priority is 1.",
            "You may not create letters.",
            "You may change letters where priority is 1 and (subject is \"a\", or subject is \"b\").",
            "You may delete letters where writer is one of those where (town is \"Ghent\", or town is \
             \"Bruges\").",
        ]
    );
    let clerk = Caller::of(7_i64).with_roles(["clerk"]);
    assert_eq!(
        sentences(&clerk)[0],
        "You see letters where priority is 1, or priority is 2 and writer is you, or priority is 3."
    );
    assert!(
        sentences(&clerk)[3].ends_with(" and not (writer is one of those where town is \"Lille\")."),
        "{:?}",
        sentences(&clerk)
    );
}

/// OAS-1: a caller who sees some rows, as the whole api says of every caller, still sees no hidden column.
#[test]
fn hidden_columns_are_not_described() {
    let api = Api::new("post").model_resource::<LetterResource>().compile();
    let is_described = |caller: &Caller| {
        let api = api.describe_for(caller);
        let responses = api.actions.iter().filter_map(|action| action.response.as_ref());
        let mut members = responses.flat_map(|response| &response.output);
        members.any(|member| member.name == "censored")
    };
    assert!(is_described(&Caller::of(9_i64).with_roles(["clerk"])));
    assert!(!is_described(&Caller::of(7_i64)));
}

/// OAS-12: the sentences do not name columns that the caller cannot see: hidden ones, and those that no serializer of
/// a usable action writes.
#[test]
fn columns_that_the_caller_cannot_see_are_not_named() {
    for caller in [Caller::anonymous(), Caller::of(7_i64)] {
        let text = sentences("Letter", &caller).join(" ");
        for name in ["censored", "spam", "nickname", "Bob"] {
            assert!(
                !text.to_lowercase().contains(&name.to_lowercase()),
                "{name}: {text}"
            );
        }
    }
    let ann = sentences("Letter", &Caller::of(7_i64));
    assert_eq!(
        ann[2],
        "You may change letters where writer is one of those where town is \"Ghent\", or writer is one of those \
         where another condition applies."
    );
    assert_eq!(
        ann[3],
        "You may delete letters where another condition applies, or subject matches \"%offer%\"."
    );
}

/// Policy that lets everyone do everything.
struct OpenPolicy;

impl ModelPolicy for OpenPolicy {
    type Model = Writer;

    fn updatable(_: &Caller) -> Where<Writer> {
        Where::all()
    }

    fn deletable(_: &Caller) -> Where<Writer> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct OpenWriterResource;

#[model_resource(Writer, "/writers", "/writers/<int:id>", serializer = WriterSerializer, policy = OpenPolicy)]
impl ModelResource for OpenWriterResource {
    const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().guard(CREATE, ClerksOnly)
    }
}

/// Guard that lets clerks pass.
struct ClerksOnly;

impl Decorator for ClerksOnly {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(next.run(cx))
    }

    fn allows(&self, caller: &Caller) -> bool {
        caller.has_role("clerk")
    }
}

/// OAS-11: what a guard refuses, or no URL offers, is not among what the caller may do.
#[test]
fn sentences_agree_with_guards_and_urls() {
    let api = Api::new("post").model_resource::<OpenWriterResource>();
    let api = api.compile();
    let sentences = |caller: &Caller| {
        let mut policies = api.explain_policies(caller).into_iter();
        policies
            .find(|policy| policy.model == "Writer")
            .unwrap()
            .sentences
    };
    let expected = |create: &str| {
        [
            "You see all writers.".to_owned(),
            create.to_owned(),
            "You may change all writers.".to_owned(),
            "You may delete no writers.".to_owned(),
        ]
    };
    let ann = sentences(&Caller::of(7_i64));
    assert_eq!(ann, expected("You may not create writers."));
    let clerk = sentences(&Caller::of(9_i64).with_roles(["clerk"]));
    assert_eq!(clerk, expected("You may create writers."));
}

/// OAS-11: the application's own text replaces the sentences.
#[test]
fn the_text_of_the_policy_replaces_the_sentences() {
    let clerk = Caller::of(9_i64).with_roles(["clerk"]);
    assert_eq!(sentences("Writer", &clerk), ["Clerks read the register."]);
}
