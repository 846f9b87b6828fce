//! Declarations of aggregates that cannot be served.

use model_resource::{
    Api, Columns, Context, Model, ModelResource, ModelSerializer, Result, model_resource, serializer,
};
use test_support::startup_errors;

#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
struct Loan {
    #[column(primary_key)]
    id: i64,
    reader: String,
    #[column(default = "secret", hidden)]
    secret: String,
}

struct LoanResource;

#[model_resource(Loan, "/loans")]
impl ModelResource for LoanResource {
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::READER);
}

struct HiddenGroups;

#[model_resource(Loan, "/hidden")]
impl ModelResource for HiddenGroups {
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::SECRET);
}

struct OwnList;

#[model_resource(Loan, "/own")]
impl ModelResource for OwnList {
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::READER);

    async fn list(cx: Context) -> Result<Vec<Loan>> {
        Ok(cx.store_unchecked().all(&Loan::query()).await?)
    }
}

/// Has names that groups have, too.
#[derive(Debug, Clone, Model)]
#[model(table = "odd_loans")]
struct OddLoan {
    #[column(primary_key)]
    id: i64,
    fee: i64,
    #[column(json = "feeSum")]
    total: i64,
    count: i64,
}

struct Colliding;

#[model_resource(OddLoan, "/colliding")]
impl ModelResource for Colliding {
    const AGGREGATE: Columns<OddLoan> = Columns::of(OddLoan::FEE).and(OddLoan::TOTAL);
}

struct Counting;

#[model_resource(OddLoan, "/counting")]
impl ModelResource for Counting {
    const AGGREGATE: Columns<OddLoan> = Columns::of(OddLoan::COUNT);
}

#[derive(Debug, Clone, Model)]
#[model(table = "grouped_loans")]
struct GroupedLoan {
    #[column(primary_key)]
    id: i64,
    group: i64,
}

struct NamedLikeAParameter;

#[model_resource(GroupedLoan, "/grouped")]
impl ModelResource for NamedLikeAParameter {
    const AGGREGATE: Columns<GroupedLoan> = Columns::of(GroupedLoan::ID);
}

struct LoanSerializer;

/// Leaves the reader out.
#[serializer]
impl ModelSerializer for LoanSerializer {
    type Model = Loan;
    const EXCLUDE: Columns<Loan> = Columns::of(Loan::READER);
}

/// AGG-8: columns that the list does not show, ambiguous names and a custom list are startup errors with a remedy.
#[tokio::test]
async fn impossible_declarations_are_startup_errors() {
    let errors = startup_errors(
        Api::new("odd")
            .model_resource::<HiddenGroups>()
            .model_resource::<OwnList>()
            .model_resource::<Colliding>()
            .model_resource::<Counting>()
            .model_resource::<NamedLikeAParameter>(),
    )
    .await;
    for expected in [
        "AGGREGATE names `secret`, which is no plain value that the list of Loan shows",
        "AGGREGATE is for the automatic `list`",
        "two values of a group the name `feeSum`: rename `total`",
        "two values of a group the name `count`: rename `count`",
        "AGGREGATE makes `group` a parameter, and the list of GroupedLoan has a field of this name",
    ] {
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{expected}: {errors:?}"
        );
    }
    let errors = startup_errors(
        Api::new("odd")
            .serializer::<LoanSerializer>()
            .model_resource::<LoanResource>(),
    )
    .await;
    assert!(
        errors.iter().any(|error| error.contains("names `reader`")),
        "{errors:?}"
    );
}
