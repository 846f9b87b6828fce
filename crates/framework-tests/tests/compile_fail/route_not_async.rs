use model_resource::{Context, Reply, Result, route};

#[route("/status")]
fn status(_cx: Context) -> Result<Reply> {
    unreachable!()
}

fn main() {}
