//! Tables of models with constraints: what is created, and what is accepted and rejected at startup.

use model_resource::store::ListQuery;
use model_resource::{Model, Store};
use test_support::TestDatabase;

use super::{BookCopy, Loan};

async fn store() -> (TestDatabase, Store) {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    (database, store)
}

async fn mistake<M: Model>() -> String {
    let (_database, store) = store().await;
    store.create_tables(&[M::table()]).await.unwrap_err().to_string()
}

/// MOD-5: the created tables fit; without one of the constraints they do not, and the message contains the statement.
#[tokio::test]
async fn a_database_without_a_declared_constraint_is_rejected() {
    let (database, store) = store().await;
    store
        .create_tables(&[BookCopy::table(), Loan::table()])
        .await
        .unwrap();
    store.verify(&[BookCopy::table(), Loan::table()]).await.unwrap();

    database.execute("DROP INDEX copies_branch_id_barcode_unique");
    database.execute("DROP INDEX loans_copy_id_unique");
    let refused = store.verify(&[BookCopy::table(), Loan::table()]).await;
    let refused = refused.unwrap_err().to_string();
    let full = "CREATE UNIQUE INDEX IF NOT EXISTS \"copies_branch_id_barcode_unique\" ON \"copies\" (\"branch_id\", \"barcode\")";
    let partial = "CREATE UNIQUE INDEX IF NOT EXISTS \"loans_copy_id_unique\" ON \"loans\" (\"copy_id\") WHERE \"returned\" IS NULL";
    for part in ["model BookCopy", "`branch_id`, `barcode`", full, partial] {
        assert!(refused.contains(part), "{part} is not in: {refused}");
    }
    assert!(
        !refused.contains("shelf_mark") && !refused.contains("check"),
        "{refused}"
    );

    // A partial index does not ensure what a full one does, nor the reverse.
    database.execute("CREATE UNIQUE INDEX for_some ON copies (branch_id, barcode) WHERE id > 5");
    database.execute("CREATE UNIQUE INDEX for_all ON loans (copy_id)");
    let refused = store.verify(&[BookCopy::table(), Loan::table()]).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains(full) && refused.contains(partial), "{refused}");

    database.execute("CREATE UNIQUE INDEX by_hand ON copies (barcode, branch_id)");
    database.execute(partial);
    store.verify(&[BookCopy::table(), Loan::table()]).await.unwrap();
}

/// MOD-5: a table without a declared check is rejected.
#[tokio::test]
async fn a_database_without_a_declared_check_is_rejected() {
    #[derive(Model)]
    #[model(check(positive = Parcel::SIZE.gt(0)), check(odd = Parcel::SIZE.one_of([1, 3, 5])))]
    struct Parcel {
        #[column(primary_key = client)]
        id: i64,
        size: i32,
    }
    let (database, store) = store().await;
    let table = "CREATE TABLE parcels (id bigint PRIMARY KEY NOT NULL, size int NOT NULL CONSTRAINT positive CHECK (size > 0))";
    database.execute(table);
    let refused = store.verify(&[Parcel::table()]).await.unwrap_err().to_string();
    let remedy = "add `CONSTRAINT \"odd\" CHECK (\"size\" IN (1, 3, 5))`";
    assert!(refused.contains("`odd`") && refused.contains(remedy), "{refused}");
    assert!(!refused.contains("positive"), "{refused}");
}

/// MOD-6: a condition that no constraint can have, a name that is given twice or too long is rejected at startup.
#[tokio::test]
async fn a_condition_that_no_constraint_can_have_is_rejected() {
    #[derive(Model)]
    struct Owner {
        #[column(primary_key)]
        id: i64,
        name: String,
    }

    #[derive(Model)]
    #[model(unique(name, where = Pet::OWNER_ID.references(Owner::NAME.eq("Ada"))))]
    #[model(index(size, where = Pet::NAME.contains("x")))]
    #[model(check(any = model_resource::Where::all()))]
    #[model(check(fits = Pet::SIZE.lt(7).or(Pet::NAME.eq("\0"))))]
    #[model(index[name, size], index[name, size])]
    struct Pet {
        #[column(primary_key)]
        id: i64,
        #[column(references = Owner)]
        owner_id: i64,
        name: String,
        size: i32,
    }
    let mistake = mistake::<Pet>().await;
    for part in [
        "model Pet: the condition of `pets_name_unique` depends on rows of Owner",
        "the condition of `pets_size_partial` searches in the text of `name`",
        "the condition of `any` matches every row",
        "the condition of `fits` compares `name` with a value that it cannot hold",
        "two indexes or checks have the name `pets_name_size`",
        "check it in the serializer",
    ] {
        assert!(mistake.contains(part), "{part} is not in: {mistake}");
    }
}

/// Makes PostgreSQL use indexes of empty tables.
const USE_INDEXES: &str = "DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
    EXECUTE format('ALTER DATABASE %I SET enable_bitmapscan = off', current_database());
END $$";

/// MOD-3: a declared index serves the filters and orders of lists, and a unique one lookups.
#[tokio::test]
async fn a_declared_index_is_used_by_lists() {
    let database = TestDatabase::create();
    if database.is_postgres() {
        database.execute(USE_INDEXES);
    }
    let store = Store::open(&database.url()).await.unwrap();
    store
        .create_tables(&[BookCopy::table(), Loan::table()])
        .await
        .unwrap();
    let newest = BookCopy::query().filter(BookCopy::BRANCH_ID.eq(1));
    let newest = newest.order_by(BookCopy::ADDED_AT.desc()).limit(5);
    let plan = store.explain(&ListQuery::from(&newest)).await.unwrap();
    let text = plan.plan.join("\n");
    assert!(text.contains("copies_branch_id_added_at"), "{text}");
    assert!(!text.contains("TEMP B-TREE") && !text.contains("Sort"), "{text}");

    let open = Loan::query()
        .filter(Loan::COPY_ID.eq(1))
        .filter(Loan::RETURNED.is_null());
    let plan = store.explain(&ListQuery::from(&open.limit(5))).await.unwrap();
    let text = plan.plan.join("\n");
    assert!(text.contains("loans_copy_id_unique"), "{text}");

    let one = BookCopy::query()
        .filter(BookCopy::BRANCH_ID.eq(1))
        .filter(BookCopy::BARCODE.eq("a"));
    let plan = store.explain(&ListQuery::from(&one)).await.unwrap();
    let text = plan.plan.join("\n");
    assert!(text.contains("copies_branch_id_barcode_unique"), "{text}");
}
