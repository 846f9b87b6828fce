use axum::extract::State;
use model_resource::route;

#[derive(Clone)]
struct Motto;

#[derive(Clone)]
struct Mailer;

#[route("/sender")]
async fn sender(State(_mailer): State<Mailer>, State(_motto): State<Motto>) -> &'static str {
    "post"
}

fn main() {}
