use model_resource::{ModelSerializer, serializer};

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {}

fn main() {}
