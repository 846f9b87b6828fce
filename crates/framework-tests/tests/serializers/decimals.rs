//! Decimals.

use std::panic::catch_unwind;

use model_resource::schema::column::Column;
use model_resource::schema::column_type::ColumnType;
use model_resource::{Api, Decimal, Model, ModelSerializer, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

#[derive(Model)]
struct Account {
    #[column(primary_key)]
    id: i64,
    #[column(precision = 18, scale = 9)]
    balance: Decimal,
}

struct AccountSerializer;

#[serializer]
impl ModelSerializer for AccountSerializer {
    type Model = Account;
}

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
struct AccountResource;

/// SER-8: 18 digits are kept exactly.
#[tokio::test]
async fn eighteen_digits_are_kept() {
    let api = Api::new("api").serializer::<AccountSerializer>();
    let app = TestApp::with_api(api.model_resource::<AccountResource>()).await;
    for (id, balance) in [
        (1, "999999999.999999999"),
        (2, "-999999999.999999999"),
        (3, "0.000000001"),
    ] {
        let account = json!({"id": id, "balance": balance});
        app.post("/accounts", json!({"balance": balance}))
            .await
            .expect_json(201, account.clone());
        app.get(&format!("/accounts/{id}"))
            .await
            .expect_json(200, account);
    }
}

/// SER-8: a column with more digits is rejected. The columns of a derived model are constants, so it is rejected at
/// compile time.
#[test]
fn a_column_of_more_than_eighteen_digits_is_rejected() {
    let column =
        |precision| catch_unwind(move || Column::new("balance", Decimal::DATA_TYPE).decimal(precision, 2));
    assert!(column(18).is_ok());
    let refused = column(19).unwrap_err();
    assert_eq!(
        refused.downcast_ref::<&str>(),
        Some(&"a decimal has at most 18 digits")
    );
}
