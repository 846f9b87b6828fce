//! Fields that a policy freezes on some objects.

use model_resource::{Api, Caller, ColumnEnum, Columns, Model, ModelPolicy, Pages, Where, model_resource};
use test_support::TestApp;

use crate::page;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum State {
    Draft,
    Sent,
    Paid,
}

#[derive(Debug, Clone, Model)]
struct Invoice {
    #[column(primary_key)]
    id: i64,
    customer: String,
    is_express: bool,
    note: String,
    #[column(default = "draft", transitions(new -> Draft, Draft -> Sent, Sent -> Paid))]
    state: State,
}

/// Sent invoices keep their customer and their state.
struct InvoicePolicy;

impl ModelPolicy for InvoicePolicy {
    type Model = Invoice;

    fn updatable(_: &Caller) -> Where<Invoice> {
        Where::all()
    }

    fn frozen() -> Columns<Invoice> {
        Columns::of(Invoice::CUSTOMER)
            .and(Invoice::IS_EXPRESS)
            .and(Invoice::STATE)
    }

    fn frozen_on(_: &Caller) -> Where<Invoice> {
        Invoice::STATE.eq(State::Sent)
    }
}

#[model_resource(Invoice, "/invoices", "/invoices/<int:id>", policy = InvoicePolicy)]
struct InvoiceResource;

async fn app() -> TestApp {
    let api = Api::new("shop")
        .model_resource::<InvoiceResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO invoices (customer, is_express, note, state) \
         VALUES ('Ann', FALSE, 'new', 'draft'), ('Bob', TRUE, 'old', 'sent')",
    );
    app
}

fn has_control(form: &str, field: &str) -> bool {
    form.contains(&format!("id=\"field-{field}\" name=\"{field}\""))
}

/// PAGE-75
#[tokio::test]
async fn a_form_shows_frozen_fields_without_a_control() {
    let app = app().await;
    let draft = page(&app, "/invoices/1?_view=edit").await;
    let sent = page(&app, "/invoices/2?_view=edit").await;
    for field in ["customer", "isExpress", "state"] {
        assert!(has_control(&draft, field), "{field}: {draft}");
        assert!(!has_control(&sent, field), "{field}: {sent}");
    }
    assert!(
        has_control(&draft, "note") && has_control(&sent, "note"),
        "{sent}"
    );
    for shown in ["<span>Bob</span>", "<span>Yes</span>", "<span>sent</span>"] {
        assert!(sent.contains(shown), "{shown}: {sent}");
    }
}

/// PAGE-75
#[tokio::test]
async fn a_frozen_state_has_no_buttons() {
    let app = app().await;
    assert!(page(&app, "/invoices/1").await.contains("data-state=\"sent\""));
    assert!(!page(&app, "/invoices/2").await.contains("data-state="));
}
