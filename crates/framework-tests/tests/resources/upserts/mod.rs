//! Upserts: writes that create an object or change the one that exists.

mod declarations;
mod keys;
mod merge_duplicates;
mod put_creates;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use model_resource::{
    Api, CREATE, Caller, Change, Columns, Draft, Model, ModelPolicy, ModelResource, Operations, PUT, Where,
    model_resource,
};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "settings")]
struct Setting {
    #[column(primary_key = client)]
    key: String,
    #[column(max_length = 20)]
    value: String,
    #[column(default = 0)]
    owner_id: i64,
    #[column(version)]
    version: i64,
}

struct SettingResource;

#[model_resource(Setting, "/settings", "/settings/<key>")]
impl ModelResource for SettingResource {
    const PUBLIC: bool = true;
    const PUT_CREATES: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT]);
}

#[derive(Debug, Clone, Model)]
#[model(table = "stocks", unique(branch, isbn))]
struct Stock {
    #[column(primary_key)]
    id: i64,
    branch: String,
    isbn: String,
    #[column(default = 0, min = 0)]
    count: i64,
    #[column(default = 0)]
    owner_id: i64,
}

struct StockResource;

#[model_resource(Stock, "/stocks", "/stocks/<int:id>")]
impl ModelResource for StockResource {
    const PUBLIC: bool = true;
    const MERGE_DUPLICATES: Columns<Stock> = Columns::of(Stock::BRANCH).and(Stock::ISBN);
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// Callers see their own rows and those of the caller 0, and change their own.
fn visible<M: Model>(caller: &Caller, own: fn(i64) -> Where<M>) -> Where<M> {
    own(caller.key().unwrap_or(-1)).or(own(0))
}

struct SettingPolicy;

impl ModelPolicy for SettingPolicy {
    type Model = Setting;

    fn visible(caller: &Caller) -> Where<Setting> {
        visible(caller, |owner| Setting::OWNER_ID.eq(owner))
    }

    fn updatable(caller: &Caller) -> Where<Setting> {
        Setting::OWNER_ID.eq(caller.key().unwrap_or(-1))
    }

    fn may_create(caller: &Caller) -> bool {
        !caller.has_role("reader")
    }

    fn presets(caller: &Caller) -> Draft<Setting> {
        Draft::new().with(Setting::OWNER_ID, caller.key().unwrap_or(-1_i64))
    }

    fn writable(_: &Caller) -> Where<Setting> {
        Setting::VALUE.ne("unwritable")
    }
}

struct StockPolicy;

impl ModelPolicy for StockPolicy {
    type Model = Stock;

    fn visible(caller: &Caller) -> Where<Stock> {
        visible(caller, |owner| Stock::OWNER_ID.eq(owner))
    }

    fn updatable(caller: &Caller) -> Where<Stock> {
        Stock::OWNER_ID.eq(caller.key().unwrap_or(-1))
    }

    fn may_create(caller: &Caller) -> bool {
        !caller.has_role("reader")
    }

    fn presets(caller: &Caller) -> Draft<Stock> {
        Draft::new().with(Stock::OWNER_ID, caller.key().unwrap_or(-1_i64))
    }

    fn writable(_: &Caller) -> Where<Stock> {
        Stock::COUNT.lt(1000)
    }
}

/// Kinds of the events that were heard of.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<&'static str>>>);

impl Heard {
    fn add<M>(&self, change: &Change<M>) {
        let kind = match change {
            Change::Created(_) => "created",
            Change::Updated { .. } => "updated",
            Change::Deleted(_) => "deleted",
        };
        self.0.lock().unwrap().push(kind);
    }

    /// Waits for the subscribers of the requests before, and takes what they have heard.
    async fn take(&self) -> Vec<&'static str> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

fn api() -> Api {
    Api::new("shop")
        .model_resource::<SettingResource>()
        .model_resource::<StockResource>()
}

async fn shop() -> TestApp {
    TestApp::with_api(api()).await
}

async fn guarded_shop() -> TestApp {
    let api = api()
        .authenticator(HeaderAuthenticator)
        .policy::<SettingPolicy>()
        .policy::<StockPolicy>();
    TestApp::with_api(api).await
}
