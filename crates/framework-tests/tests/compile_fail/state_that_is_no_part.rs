use axum::extract::State;
use model_resource::route;

#[derive(Clone)]
struct AppState;

#[derive(Clone)]
struct Mailer;

#[route("/sender", state = AppState)]
async fn sender(State(_mailer): State<Mailer>) -> &'static str {
    "post"
}

fn main() {}
