//! Typed URL parameters of views.

use model_resource::{Api, Context, Result, route};
use test_support::TestApp;

#[route("/tracks/<number>")]
async fn track(cx: Context) -> Result<String> {
    let number: u8 = cx.param("number")?;
    Ok(format!("track {number}"))
}

/// QRY-4: a URL parameter is read as a value of a type; a text that is no such value is a 404.
#[tokio::test]
async fn a_url_parameter_is_read_by_its_type() {
    let app = TestApp::with_api(Api::new("tracks").route(track)).await;
    assert_eq!(app.get("/tracks/7").await.text(), "track 7");
    for wrong in ["x", "256", "-1"] {
        app.get(&format!("/tracks/{wrong}")).await.expect(404);
    }
}
