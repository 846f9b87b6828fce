use model_resource::{Columns, Model, ModelResource, ModelSerializer, model_resource, serializer};

#[derive(Model)]
struct User {
    #[column(primary_key)]
    id: i64,
    name: String,
    password_hash: String,
}

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    type Model = User;
    const EXCLUDE: Columns<User> = Columns::of(User::PASWORD_HASH);
}

/// Not registered, but nested in others.
struct NestedSerializer;

impl ModelSerializer for NestedSerializer {
    type Model = User;
    const EXCLUDE: Columns<User> = Columns::of(User::ID).and(User::PASSWORDHASH);
}

struct UserResource;

#[model_resource(User, "/users", "/users/<int:id>")]
impl ModelResource for UserResource {
    const SEARCH: Columns<User> = Columns::of(User::NAM);
}

fn main() {}
