//! A clinic of animals: owners see their own, vets see all.

use model_resource::{
    Api, Authenticate, Caller, Context, Draft, Error, Model, ModelPolicy, ModelResource, Rate, Reply, Result,
    Timestamp, Where, model_resource, now, route, throttle,
};
use model_resource_audit::{Audit, AuditError, Fixture, access_matrix};

/// An owner of animals.
#[derive(Debug, Clone, Model)]
#[model(table = "keepers")]
pub(crate) struct Keeper {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(min_length = 1)]
    pub(crate) name: String,
}

/// An animal, which its keeper or a vet brings.
#[derive(Debug, Clone, Model)]
#[model(table = "animals")]
pub(crate) struct Animal {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(references = Keeper)]
    pub(crate) keeper_id: i64,
    #[column(min_length = 1)]
    pub(crate) name: String,
    #[column(default = false)]
    pub(crate) is_lost: bool,
    #[column(soft_delete)]
    pub(crate) gone: Option<Timestamp>,
}

/// A visit of an animal.
#[derive(Debug, Clone, Model)]
#[model(table = "visits")]
pub(crate) struct Visit {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(references = Animal, on_delete = cascade)]
    pub(crate) animal_id: i64,
    pub(crate) reason: String,
}

fn of_vets<M: Model>(caller: &Caller, others: Where<M>) -> Where<M> {
    if caller.has_role("vet") {
        Where::all()
    } else {
        others
    }
}

struct KeeperPolicy;

impl ModelPolicy for KeeperPolicy {
    type Model = Keeper;

    fn visible(caller: &Caller) -> Where<Keeper> {
        of_vets(caller, caller.owned_by(Keeper::ID))
    }

    fn deletable(caller: &Caller) -> Where<Keeper> {
        of_vets(caller, Where::none())
    }

    fn updatable(caller: &Caller) -> Where<Keeper> {
        of_vets(caller, Where::none())
    }
}

struct AnimalPolicy;

impl ModelPolicy for AnimalPolicy {
    type Model = Animal;

    /// Everyone looks for lost animals.
    fn visible(caller: &Caller) -> Where<Animal> {
        of_vets(
            caller,
            Animal::IS_LOST.eq(true).or(caller.owned_by(Animal::KEEPER_ID)),
        )
    }

    fn updatable(caller: &Caller) -> Where<Animal> {
        of_vets(caller, caller.owned_by(Animal::KEEPER_ID))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    /// Keepers bring their own animals, vets those of anybody.
    fn presets(caller: &Caller) -> Draft<Animal> {
        if caller.has_role("vet") {
            Draft::new()
        } else {
            caller.preset(Animal::KEEPER_ID)
        }
    }

    fn shows_deleted(caller: &Caller) -> Where<Animal> {
        of_vets(caller, Where::none())
    }
}

struct VisitPolicy;

impl ModelPolicy for VisitPolicy {
    type Model = Visit;

    fn visible(caller: &Caller) -> Where<Visit> {
        Visit::ANIMAL_ID.references(AnimalPolicy::updatable(caller))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role("vet")
    }

    fn updatable(caller: &Caller) -> Where<Visit> {
        of_vets(caller, Where::none())
    }
}

#[model_resource(Keeper, "/keepers/<int:id>", policy = KeeperPolicy)]
struct KeeperResource;

struct AnimalResource;

#[model_resource(Animal, "/animals", "/animals/<int:id>", policy = AnimalPolicy)]
impl ModelResource for AnimalResource {
    const RESTORE: bool = true;
}

#[model_resource(Visit, "/animals/<int:animal_id>/visits", "/animals/<int:animal_id>/visits/<int:id>", policy = VisitPolicy)]
struct VisitResource;

/// Opening hours of a year, which may be asked for twice.
#[route("/hours/<int:year>", decorators = [throttle(Rate::per_hour(2)).named("hours").by_address()])]
async fn hours() -> Result<Reply> {
    Reply::json(&["8", "18"])
}

/// Authenticates by the header `x-name`.
struct ByName;

impl Authenticate for ByName {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        match cx.headers().get("x-name").map(|name| name.as_bytes()) {
            None => Ok(Caller::anonymous()),
            Some(b"ann") => Ok(Caller::of(1_i64)),
            Some(b"bob") => Ok(Caller::of(2_i64)),
            Some(b"vet") => Ok(Caller::of(3_i64).with_roles(["vet"])),
            Some(_) => Err(Error::unauthorized()),
        }
    }
}

pub(crate) fn api() -> Api {
    Api::new("clinic")
        .authenticator(ByName)
        .model_resource::<KeeperResource>()
        .model_resource::<AnimalResource>()
        .model_resource::<VisitResource>()
        .route(hours)
}

async fn fixture(rows: Fixture) -> Result<(), AuditError> {
    for (caller, name) in [
        ("keeper", "ann"),
        ("other", "bob"),
        ("vet", "vet"),
        ("stranger", "eve"),
    ] {
        rows.header(caller, "x-name", name);
    }
    let ann = rows.add(Draft::<Keeper>::new()).await?;
    assert_eq!(ann.id, 1);
    let of_ann = || Draft::new().with(Animal::KEEPER_ID, ann.id);
    for (state, is_lost) in [("at home", false), ("lost", true)] {
        let animal = rows
            .add_as(state, of_ann().with(Animal::IS_LOST, is_lost))
            .await?;
        rows.add(Draft::new().with(Visit::ANIMAL_ID, animal.id)).await?;
    }
    rows.add(of_ann().with(Animal::GONE, Some(now()))).await?;
    // Without a keeper who calls.
    let bob = rows.add_other(Draft::<Keeper>::new()).await?;
    rows.add_other(Draft::new().with(Animal::KEEPER_ID, bob.id))
        .await?;
    Ok(())
}

pub(crate) fn audit() -> Audit {
    Audit::new().fixture(fixture).param("year", 2024)
}

/// AUD-5: callers and states are those of the fixture. States of parents are those of their rows, deleted rows are
/// restored, rows that others refer to are deleted, and a body has no column that a policy sets for its caller. No
/// request is affected by another one, nor by the limits of a process.
#[test]
fn callers_and_rows_of_the_fixture_are_the_columns_and_lines() {
    let expected = "\
METHOD  URL                                         ROW      ANONYMOUS  KEEPER   OTHER    VET      STRANGER
GET     /keepers/<int:id>                                    404        200      404      200      401
HEAD    /keepers/<int:id>                                    404        200      404      200      401
PUT     /keepers/<int:id>                                    404        403      404      200      401
PATCH   /keepers/<int:id>                                    404        403      404      200      401
DELETE  /keepers/<int:id>                                    404        403      404      204      401
GET     /animals                                             200 (1)    200 (2)  200 (2)  200 (3)  401
HEAD    /animals                                             200        200      200      200      401
POST    /animals                                             401        201      201      201      401
GET     /animals/<int:id>                           at home  404        200      404      200      401
GET     /animals/<int:id>                           lost     200        200      200      200      401
HEAD    /animals/<int:id>                           at home  404        200      404      200      401
HEAD    /animals/<int:id>                           lost     200        200      200      200      401
PUT     /animals/<int:id>                           at home  404        200      404      200      401
PUT     /animals/<int:id>                           lost     401        200      403      200      401
PATCH   /animals/<int:id>                           at home  404        200      404      200      401
PATCH   /animals/<int:id>                           lost     401        200      403      200      401
DELETE  /animals/<int:id>                           at home  404        204      404      204      401
DELETE  /animals/<int:id>                           lost     401        204      403      204      401
POST    /animals/<int:id>/restore                            404        404      404      200      401
GET     /animals/<int:animal_id>/visits             at home  404        200 (1)  404      200 (1)  401
GET     /animals/<int:animal_id>/visits             lost     200 (0)    200 (1)  200 (0)  200 (1)  401
HEAD    /animals/<int:animal_id>/visits             at home  404        200      404      200      401
HEAD    /animals/<int:animal_id>/visits             lost     200        200      200      200      401
POST    /animals/<int:animal_id>/visits             at home  401        403      403      201      401
POST    /animals/<int:animal_id>/visits             lost     401        403      403      201      401
GET     /animals/<int:animal_id>/visits/<int:id>    at home  404        200      404      200      401
GET     /animals/<int:animal_id>/visits/<int:id>    lost     404        200      404      200      401
HEAD    /animals/<int:animal_id>/visits/<int:id>    at home  404        200      404      200      401
HEAD    /animals/<int:animal_id>/visits/<int:id>    lost     404        200      404      200      401
PUT     /animals/<int:animal_id>/visits/<int:id>    at home  404        403      404      200      401
PUT     /animals/<int:animal_id>/visits/<int:id>    lost     404        403      404      200      401
PATCH   /animals/<int:animal_id>/visits/<int:id>    at home  404        403      404      200      401
PATCH   /animals/<int:animal_id>/visits/<int:id>    lost     404        403      404      200      401
DELETE  /animals/<int:animal_id>/visits/<int:id>    at home  404        403      404      204      401
DELETE  /animals/<int:animal_id>/visits/<int:id>    lost     404        403      404      204      401
GET     /hours/<int:year>                                    200        200      200      200      401
HEAD    /hours/<int:year>                                    200        200      200      200      401
";
    let matrix = access_matrix(&audit().of(api)).unwrap();
    let lines = |table: &str| -> Vec<String> {
        let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        table.lines().map(plain).collect()
    };
    assert_eq!(lines(&matrix.table()), lines(expected));
}

/// AUD-5: rows can be declared by the parameters of their URL, and bodies by their members.
#[test]
fn parameters_of_a_url_can_be_declared() {
    let audit = Audit::new()
        .fixture(fixture)
        .row("/hours/<int:year>", "past", [("year", 2023)])
        .row("/hours/<int:year>", "future", [("year", 2043)])
        .body(
            "POST /animals",
            serde_json::json!({"name": "Rex", "isLost": true}),
        );
    let matrix = access_matrix(&audit.of(api)).unwrap();
    let hours = matrix.lines.iter().filter(|line| line.url.starts_with("/hours"));
    let rows: Vec<&str> = hours.map(|line| line.row.as_str()).collect();
    assert_eq!(rows, ["past", "future", "past", "future"]);
}
