use model_resource::Api;

struct BookResource;

fn main() {
    let _ = Api::new("library").model_resource::<BookResource>();
}
