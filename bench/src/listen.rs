//! Serves on a free port and prints the address.

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::outcome::Failure;

pub(crate) async fn serve(router: Router) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listens at http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        stream.set_nodelay(true).ok();
    });
    Ok(axum::serve(listener, router).await?)
}
