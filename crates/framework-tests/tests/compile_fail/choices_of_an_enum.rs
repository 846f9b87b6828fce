use model_resource::{ColumnEnum, Model};

#[derive(ColumnEnum)]
enum State {
    Draft,
    Final,
}

#[derive(Model)]
struct Article {
    #[column(primary_key)]
    id: i64,
    #[column(choices = ["draft", "final"])]
    state: State,
    #[column(max_length = 10)]
    former: Option<State>,
}

fn main() {}
