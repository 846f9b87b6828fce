use model_resource::{Fields, ModelSerializer, fields, serializer};

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    const EXCLUDE: Fields = fields![password_hash];
}

fn main() {}
