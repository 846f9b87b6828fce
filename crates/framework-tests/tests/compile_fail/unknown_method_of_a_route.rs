use model_resource::{Context, Reply, Result, route};

#[route("/login", methods = [PSOT])]
async fn login(_cx: Context) -> Result<Reply> {
    unreachable!()
}

fn main() {}
