use model_resource::{Columns, Model, ModelSerializer, serializer};

#[derive(Model)]
struct User {
    #[column(primary_key)]
    id: i64,
}

#[derive(Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    type Model = User;
    const EXCLUDE: Columns<User> = Columns::of(User::ID).and(Note::TEXT);
}

fn main() {}
