use model_resource::{Context, Reply, Result, route};

async fn counted(cx: Context) -> Context {
    cx
}

#[route("/status", decorators = [counted])]
async fn status(_cx: Context) -> Result<Reply> {
    unreachable!()
}

fn main() {}
