//! Events of models: subscribers of the application hear of every write.

mod every_write;
mod inside;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use model_resource::{
    Api, CREATE, Change, Context, DELETE, Draft, Error, Model, ModelResource, ModelSerializer, Operations,
    PATCH, PUT, Reply, Result, SerializerFields, model_resource, route, serializer,
};
use test_support::TestApp;

/// Maximum time until an event is heard of, on a machine that is busy with other tests.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Time in which an event that must not be would be heard of.
const MOMENT: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
pub(crate) struct Loan {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(unique)]
    pub(crate) copy: String,
    #[column(default = false)]
    pub(crate) is_returned: bool,
    #[column(default = 0)]
    pub(crate) days: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "remarks")]
pub(crate) struct Remark {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(references = Loan, on_delete = cascade)]
    pub(crate) loan_id: i64,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "labels")]
pub(crate) struct Label {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(unique)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "loan_labels")]
pub(crate) struct LoanLabel {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(references = Loan, on_delete = cascade)]
    pub(crate) loan_id: i64,
    #[column(references = Label)]
    pub(crate) label_id: i64,
}

struct RemarkSerializer;

#[serializer]
impl ModelSerializer for RemarkSerializer {
    type Model = Remark;
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;
}

struct LoanSerializer;

#[serializer]
impl ModelSerializer for LoanSerializer {
    type Model = Loan;

    fn fields(fields: SerializerFields<Loan>) -> SerializerFields<Loan> {
        fields
            .has_many::<RemarkSerializer>("remarks", Remark::LOAN_ID)
            .writable("remarks")
            .many_to_many::<LabelSerializer>("labels", LoanLabel::LOAN_ID, LoanLabel::LABEL_ID)
            .as_member("labels", Label::NAME)
            .writable("labels")
    }
}

struct LoanResource;

#[model_resource(Loan, "/loans", "/loans/<int:id>", serializer = LoanSerializer)]
impl ModelResource for LoanResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

#[model_resource(Remark, "/remarks", "/remarks/<int:id>", serializer = RemarkSerializer)]
struct RemarkResource;

#[model_resource(Label, "/labels", "/labels/<int:id>", serializer = LabelSerializer)]
struct LabelResource;

#[model_resource(LoanLabel, "/loan-labels", "/loan-labels/<int:id>")]
struct LoanLabelResource;

/// Creates, changes and deletes a loan as its handler, and then answers with the status of the URL.
#[route("/steps/<int:status>", methods = [POST])]
async fn steps(cx: Context) -> Result<Reply> {
    let loan = cx.create(Draft::<Loan>::new().with(Loan::COPY, "steps")).await?;
    let loan = cx.save(Draft::of(&loan).with(Loan::DAYS, 1_i64)).await?;
    cx.remove(&loan).await?;
    let unchecked = Draft::new().with(Loan::COPY, "unchecked");
    let unchecked: Loan = cx.store_unchecked().create(unchecked).await?;
    cx.store_unchecked().remove(&unchecked).await?;
    match cx.param::<u16>("status")? {
        200 => Ok(Reply::no_content()),
        _ => Err(Error::conflict("As the test asks.")),
    }
}

/// Creates a loan in a transaction, which is committed if the URL says so.
#[route("/transactions/<end>", methods = [POST])]
async fn transaction(mut cx: Context) -> Result<Reply> {
    cx.begin().await?;
    cx.create(Draft::<Loan>::new().with(Loan::COPY, "transaction"))
        .await?;
    if cx.params().get("end") == Some("commit") {
        cx.commit().await?;
    }
    Ok(Reply::no_content())
}

/// Events that subscribers have heard of, in order.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    pub(crate) fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    /// Waits until the subscribers have heard of this number of events, and takes them with those of the next moment.
    pub(crate) async fn take(&self, count: usize) -> Vec<String> {
        let deadline = Instant::now() + MAX_WAIT;
        while self.0.lock().unwrap().len() < count && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(MOMENT).await;
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Text of a change: its kind, the row by `name`, and the updated columns with the values before and after.
pub(crate) fn text<M: Model>(change: &Change<M>, name: fn(&M) -> String) -> String {
    let model = M::table().model;
    match change {
        Change::Created(row) => format!("{model} {} created", name(row)),
        Change::Updated { before, after } => {
            let columns = change.updated_columns().join(" ");
            format!("{model} {} -> {}: {columns}", name(before), name(after))
        }
        Change::Deleted(row) => format!("{model} {} deleted", name(row)),
    }
}

pub(crate) fn loan_text(change: &Change<Loan>) -> String {
    text(change, |loan| format!("{}/{}", loan.copy, loan.days))
}

/// Hears of every model after the commit.
fn heard_after(api: Api, heard: &Heard) -> Api {
    let [loans, remarks, labels] = [heard.clone(), heard.clone(), heard.clone()];
    api.after_change(move |_, change: Change<Loan>| {
        loans.add(loan_text(&change));
        async { Ok(()) }
    })
    .after_change(move |_, change: Change<Remark>| {
        remarks.add(text(&change, |remark| remark.text.clone()));
        async { Ok(()) }
    })
    .after_change(move |_, change: Change<LoanLabel>| {
        labels.add(text(&change, |label| label.label_id.to_string()));
        async { Ok(()) }
    })
}

pub(crate) fn api() -> Api {
    Api::new("library")
        .model_resource::<LoanResource>()
        .model_resource::<RemarkResource>()
        .model_resource::<LabelResource>()
        .model_resource::<LoanLabelResource>()
        .route(steps)
        .route(transaction)
}

pub(crate) async fn library() -> (TestApp, Heard) {
    let heard = Heard::default();
    (TestApp::with_api(heard_after(api(), &heard)).await, heard)
}
