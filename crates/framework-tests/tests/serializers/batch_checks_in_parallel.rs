//! Checks that query the database, under concurrent requests: check and write share one transaction.

use std::future::Future;

use model_resource::{
    Api, Batch, BatchErrors, CREATE, Context, Draft, Errors, ExtraField, Model, ModelResource,
    ModelSerializer, Operations, PATCH, Query, Reply, Result, SerializerFields, ValidateBatch, WriteMode,
    model_resource, route, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};
use tokio::task::JoinSet;

/// Maximum parcels per owner.
const MAX_PARCELS: usize = 8;
/// Number of concurrent requests. More than the connections and threads of either database.
const REQUESTS: usize = 30;

#[derive(Debug, Clone, Model)]
#[model(table = "parcels")]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    owner: String,
    #[column(min = 1)]
    weight: i32,
}

struct ParcelSerializer;

#[serializer]
impl ModelSerializer for ParcelSerializer {
    type Model = Parcel;

    fn fields(fields: SerializerFields<Parcel>) -> SerializerFields<Parcel> {
        fields
            .validate(Parcel::WEIGHT, |weight, mode| match mode {
                WriteMode::Create if *weight > 20 => Err("A new parcel weighs 20 at most."),
                _ => Ok(()),
            })
            .validate_batch(at_most_eight)
    }
}

async fn at_most_eight(parcels: Batch<Parcel>) -> Result<BatchErrors> {
    let stored: Vec<Parcel> = parcels.store_unchecked().all(&Query::new()).await?;
    let changed = parcels.drafts().iter();
    let changed: Vec<i64> = changed.filter_map(|parcel| parcel.saved(Parcel::ID)).collect();
    let mut errors = BatchErrors::new();
    for (index, parcel) in parcels.drafts().iter().enumerate() {
        let owner = parcel.get(Parcel::OWNER).unwrap_or_default();
        let others = stored
            .iter()
            .filter(|other| !changed.contains(&other.id) && other.owner == owner);
        let earlier = parcels.drafts()[..index].iter();
        let earlier = earlier.filter(|draft| draft.get(Parcel::OWNER).as_deref() == Some(owner.as_str()));
        if others.count() + earlier.count() >= MAX_PARCELS {
            errors.add(index, "owner", "Has 8 parcels already.");
        }
    }
    Ok(errors)
}

struct ParcelResource;

#[model_resource(Parcel, "/parcels", "/parcels/<int:id>")]
impl ModelResource for ParcelResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

async fn parcels() -> TestApp {
    let api = Api::new("post").serializer::<ParcelSerializer>();
    TestApp::with_api(api.model_resource::<ParcelResource>()).await
}

fn parcel(owner: &str) -> Value {
    json!({"owner": owner, "weight": 1})
}

/// Sends all requests concurrently, each on its own connection. Returns how many had the first status; the others must
/// have had the second.
async fn sent_at_once<F>(
    app: &TestApp,
    request: impl Fn(Client, usize) -> F,
    [written, refused]: [u16; 2],
) -> usize
where
    F: Future<Output = Response> + Send + 'static,
{
    let mut requests = JoinSet::new();
    for number in 1..=REQUESTS {
        requests.spawn(request(Client::new(app.address), number));
    }
    let mut count = 0;
    for response in requests.join_all().await {
        match response.status.as_u16() {
            status if status == written => count += 1,
            status => assert_eq!(status, refused, "{}", response.text()),
        }
    }
    count
}

fn count_of(app: &TestApp, owner: &str) -> usize {
    app.database()
        .value(&format!("SELECT count(*) FROM parcels WHERE owner = '{owner}'"))
}

/// SER-50: the check of a new object and its write are one transaction, so concurrent creates cannot both pass it.
#[tokio::test]
async fn concurrent_creates_cannot_both_pass_a_check() {
    let app = parcels().await;
    let create = |client: Client, _| async move { client.post("/parcels", parcel("ann")).await };
    assert_eq!(sent_at_once(&app, create, [201, 400]).await, MAX_PARCELS);
    assert_eq!(count_of(&app, "ann"), MAX_PARCELS);
    app.post("/parcels", parcel("ann"))
        .await
        .expect_json(400, json!({"errors": {"owner": ["Has 8 parcels already."]}}));
}

/// SER-50: the check and the write of an update by put or patch are one transaction too.
#[tokio::test]
async fn concurrent_updates_cannot_both_pass_a_check() {
    let app = parcels().await;
    for number in 0..REQUESTS {
        let owner = format!("owner{number}");
        app.post("/parcels", parcel(&owner)).await.expect(201);
    }
    let update = |client: Client, id| async move {
        let item = format!("/parcels/{id}");
        match id % 2 {
            0 => client.patch(&item, json!({"owner": "ann"})).await,
            _ => client.put(&item, parcel("ann")).await,
        }
    };
    assert_eq!(sent_at_once(&app, update, [200, 400]).await, MAX_PARCELS);
    assert_eq!(count_of(&app, "ann"), MAX_PARCELS);
}

/// SER-51: single and bulk writes of one model are checked one request after the other, without deadlock.
#[tokio::test]
async fn concurrent_single_and_bulk_writes_cannot_both_pass_a_check() {
    let app = parcels().await;
    for number in 0..REQUESTS {
        let owner = format!("owner{number}");
        app.post("/parcels", parcel(&owner)).await.expect(201);
    }
    let update = |client: Client, number| async move {
        let owned = json!({"id": number, "owner": "ann"});
        let weighed = json!({"id": 30, "weight": number});
        match number % 3 {
            0 => {
                client
                    .patch(&format!("/parcels/{number}"), json!({"owner": "ann"}))
                    .await
            }
            1 => client.patch("/parcels", json!([owned, weighed])).await,
            _ => client.patch("/parcels", json!([weighed, owned])).await,
        }
    };
    assert_eq!(sent_at_once(&app, update, [200, 400]).await, MAX_PARCELS);
    assert_eq!(count_of(&app, "ann"), MAX_PARCELS);
}

/// SER-52: field errors are found before the transaction begins, so an invalid request does not wait for other checks.
#[tokio::test]
async fn errors_of_fields_do_not_wait_for_the_checks_of_others() {
    let app = parcels().await;
    app.post("/parcels", parcel("ann")).await.expect(201);
    let before = app.database().rows();
    let transaction = app.store.begin().await.unwrap();
    transaction.lock_checks(Parcel::table()).await.unwrap();
    let refused = json!({"errors": {"owner": ["May not be empty."]}});
    app.post("/parcels", parcel(""))
        .await
        .expect_json(400, refused.clone());
    app.put("/parcels/1", parcel(""))
        .await
        .expect_json(400, refused.clone());
    app.patch("/parcels/1", json!({"owner": ""}))
        .await
        .expect_json(400, refused);
    transaction.rollback().await.unwrap();
    assert_eq!(app.database().rows(), before);
}

/// SER-56: the check of a field gets the write mode.
#[tokio::test]
async fn a_check_of_a_field_gets_the_write_mode() {
    let app = parcels().await;
    let heavy = json!({"owner": "ann", "weight": 21});
    app.post("/parcels", heavy.clone()).await.expect_json(
        400,
        json!({"errors": {"weight": ["A new parcel weighs 20 at most."]}}),
    );
    app.post("/parcels", parcel("ann")).await.expect(201);
    app.patch("/parcels/1", json!({"weight": 21})).await.expect(200);
    app.put("/parcels/1", heavy).await.expect(200);
}

struct OwnHandlers;

#[model_resource(Parcel, "/parcels")]
impl ModelResource for OwnHandlers {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);

    async fn create(cx: Context, parcel: Draft<Parcel>, errors: Errors) -> Result<Reply> {
        if errors.is_empty() {
            cx.created(parcel).await
        } else {
            cx.errors(errors)
        }
    }
}

/// Creates a parcel in a view.
#[route("/drop", methods = [POST])]
async fn drop_parcel(cx: Context) -> Result<Reply> {
    let (parcel, errors) = cx.serializer_create::<Parcel>()?.load_body().await?;
    if errors.is_empty() {
        cx.created(parcel).await
    } else {
        cx.errors(errors)
    }
}

/// Creates a parcel in a transaction that the view begins.
#[route("/drop-in-transaction", methods = [POST])]
async fn drop_in_transaction(mut cx: Context) -> Result<Reply> {
    cx.begin().await?;
    let (parcel, errors) = cx.serializer_create::<Parcel>()?.load_body().await?;
    if !errors.is_empty() {
        return cx.errors(errors);
    }
    let reply = cx.created(parcel).await?;
    cx.commit().await?;
    Ok(reply)
}

/// SER-53: for custom handlers and views, `created` repeats the checks of a loaded draft in one transaction with the
/// write.
#[tokio::test]
async fn concurrent_handlers_cannot_both_pass_a_check() {
    let api = Api::new("post")
        .serializer::<ParcelSerializer>()
        .route(drop_parcel);
    let api = api.route(drop_in_transaction).model_resource::<OwnHandlers>();
    let app = TestApp::with_api(api).await;
    let create = |client: Client, number: usize| async move {
        let url = ["/parcels", "/drop", "/drop-in-transaction"][number % 3];
        client.post(url, parcel("ann")).await
    };
    assert_eq!(sent_at_once(&app, create, [201, 400]).await, MAX_PARCELS);
    assert_eq!(count_of(&app, "ann"), MAX_PARCELS);
}

#[derive(Debug, Clone, Model)]
#[model(table = "lockers")]
struct Locker {
    #[column(primary_key)]
    id: i64,
    #[column(hidden)]
    code_length: i32,
}

struct LockerSerializer;

#[serializer]
impl ModelSerializer for LockerSerializer {
    type Model = Locker;

    fn fields(fields: SerializerFields<Locker>) -> SerializerFields<Locker> {
        let code = ExtraField::<Locker, String>::new("code").required_on_create();
        let length = |code: String| i32::try_from(code.len()).unwrap_or(i32::MAX);
        fields
            .write_only(code.into_column(Locker::CODE_LENGTH, length))
            .validate_batch(|lockers: Batch<Locker>| async move {
                let mut errors = BatchErrors::new();
                for (index, locker) in lockers.drafts().iter().enumerate() {
                    if locker.extra::<String>("code").is_none_or(|code| code == "1234") {
                        errors.add(index, "code", "Too easy.");
                    }
                }
                Ok(errors)
            })
    }
}

#[model_resource(Locker, "/lockers")]
struct LockerResource;

/// SER-53: a check in the transaction of the write still reads extra fields that are stored, converted, in a column.
#[tokio::test]
async fn a_check_at_the_write_reads_converted_extra_fields() {
    let api = Api::new("post").serializer::<LockerSerializer>();
    let app = TestApp::with_api(api.model_resource::<LockerResource>()).await;
    app.post("/lockers", json!({"code": "1234"}))
        .await
        .expect_json(400, json!({"errors": {"code": ["Too easy."]}}));
    app.post("/lockers", json!({"code": "734098"})).await.expect(201);
    let length: i32 = app.database().value("SELECT code_length FROM lockers");
    assert_eq!(length, 6);
}
