//! An allotment garden: plots under a policy, gardens behind guards, and views.

use model_resource::{
    Api, CREATE, Caller, Columns, Context, DELETE, Draft, MethodDecorators, Model, ModelPolicy,
    ModelResource, Next, Operations, PATCH, PUT, Reply, Result, Where, model_resource, route,
};
use model_resource_security::{
    anonymous_user_required, auth_required, auth_required_same_user, roles_accepted,
};
use test_support::HeaderAuthenticator;

#[derive(Debug, Clone, Model)]
pub(super) struct Garden {
    #[column(primary_key)]
    pub(super) id: i64,
    pub(super) name: String,
}

/// A plot: its gardener cultivates it, and wardens see and set the rest.
#[derive(Debug, Clone, Model)]
struct Plot {
    #[column(primary_key)]
    pub(super) id: i64,
    #[column(references = Garden)]
    garden_id: i64,
    title: String,
    gardener_id: Option<i64>,
    /// Seen by its gardener.
    phone: Option<String>,
    /// Hidden from all but wardens.
    #[column(default = "none")]
    dispute: String,
    /// Set by wardens.
    #[column(default = 10)]
    size: i32,
}

struct PlotPolicy;

impl ModelPolicy for PlotPolicy {
    type Model = Plot;

    fn updatable(caller: &Caller) -> Where<Plot> {
        if is_warden(caller) {
            Where::all()
        } else {
            caller.owned_by(Plot::GARDENER_ID)
        }
    }

    fn deletable(caller: &Caller) -> Where<Plot> {
        if is_warden(caller) {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Plot> {
        let mut presets = Draft::new();
        if !is_warden(caller) {
            presets.set(Plot::GARDENER_ID, caller.key());
        }
        presets
    }

    fn hidden(caller: &Caller) -> Columns<Plot> {
        if is_warden(caller) {
            Columns::none()
        } else {
            Columns::of(Plot::DISPUTE)
        }
    }

    fn private() -> Columns<Plot> {
        Columns::of(Plot::PHONE)
    }

    fn shows_private(caller: &Caller) -> Where<Plot> {
        Self::updatable(caller)
    }

    fn read_only(caller: &Caller) -> Columns<Plot> {
        if is_warden(caller) {
            Columns::none()
        } else {
            Columns::of(Plot::SIZE)
        }
    }
}

fn is_warden(caller: &Caller) -> bool {
    caller.has_role("warden")
}

struct PlotResource;

#[model_resource(
    Plot,
    "/plots",
    "/plots/<int:id>",
    "/gardens/<int:garden_id>/plots",
    policy = PlotPolicy
)]
impl ModelResource for PlotResource {
    const SEARCH: Columns<Plot> = Columns::of(Plot::TITLE).and(Plot::PHONE).and(Plot::DISPUTE);
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

struct GardenResource;

#[model_resource(Garden, "/gardens", "/gardens/<int:id>")]
impl ModelResource for GardenResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(PATCH, roles_accepted(["warden", "mayor"]))
            .guard(PUT, only_mayors)
    }
}

/// A guard without [`Decorator::allows`](model_resource::Decorator::allows).
async fn only_mayors(cx: Context, next: Next) -> Result<Reply> {
    if !cx.caller().has_role("mayor") {
        return Err(cx.denied());
    }
    next.run(cx).await
}

#[route("/sign-up", methods = [POST], guards = [anonymous_user_required()])]
async fn sign_up() -> &'static str {
    "welcome"
}

#[route("/keys/<int:user>", guards = [auth_required_same_user()])]
async fn keys() -> &'static str {
    "none"
}

#[route("/ledger", guards = [auth_required().role("warden")])]
async fn ledger() -> &'static str {
    "empty"
}

pub(super) fn api() -> Api {
    Api::new("allotment")
        .authenticator(HeaderAuthenticator)
        .model_resource::<PlotResource>()
        .model_resource::<GardenResource>()
        .route(sign_up)
        .route(keys)
        .route(ledger)
}

pub(super) fn visitor() -> Caller {
    Caller::anonymous()
}

pub(super) fn gardener() -> Caller {
    Caller::of(7_i64)
}

pub(super) fn warden() -> Caller {
    Caller::of(9_i64).with_roles(["warden"])
}
