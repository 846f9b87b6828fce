use model_resource::Api;

async fn status() {}

fn main() {
    let _ = Api::new("library").route(status);
}
