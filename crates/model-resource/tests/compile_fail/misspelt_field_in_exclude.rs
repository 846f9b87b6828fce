use model_resource::{Fields, Model, ModelSerializer, fields, serializer};

#[derive(Model)]
struct User {
    #[column(primary_key)]
    id: i64,
    password_hash: String,
}

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    type Model = User;
    const EXCLUDE: Fields = fields![pasword_hash];
}

fn main() {}
