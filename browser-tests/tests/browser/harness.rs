//! The checks of the harness find what they are made for.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use browser_tests::{Browser, Look, Scripts};
use http::StatusCode;
use http::header::CONTENT_SECURITY_POLICY;
use tokio::net::TcpListener;

const CLEAN: &str = "<!doctype html><html lang=en><title>Clean</title><link rel=icon href='data:,'>\
    <meta name=viewport content='width=device-width'><main><h1>Clean</h1><p>Readable</p><a href='/' title=x>Say \"hi\"</a></main></html>";

const POLICY: &str = "default-src 'none'; img-src data:; connect-src 'self'";

async fn serve(page: &'static str) -> std::net::SocketAddr {
    let answer = move || async move { ([(CONTENT_SECURITY_POLICY, POLICY)], Html(page)) };
    let refuse = || async { StatusCode::UNPROCESSABLE_ENTITY };
    let app = Router::new()
        .route("/", get(answer))
        .route("/refused", get(refuse));
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port exists");
    let address = listener.local_addr().expect("the socket is bound");
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

async fn problems(page: &'static str) -> String {
    let browser = Browser::start(serve(page).await, "harness").await;
    browser.open("/").await;
    browser.set_look(Look::Phone).await;
    let mut problems = browser.look_problems(Look::Phone).await;
    problems.extend(browser.console_problems().await);
    problems.join("\n")
}

#[tokio::test]
async fn a_clean_page_has_no_problems() {
    let browser = Browser::start(serve(CLEAN).await, "harness").await;
    browser.open("/").await;
    browser.step("clean").await;
    browser.link("Say \"hi\"").await.click().await;
    assert_eq!(browser.title().await, "Clean");
}

#[tokio::test]
async fn an_image_without_a_text_is_found_by_axe_under_a_content_security_policy() {
    let page = "<!doctype html><html lang=en><title>T</title><link rel=icon href='data:,'><main><h1>T</h1>\
        <img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='></main></html>";
    let problems = problems(page).await;
    assert!(problems.contains("image-alt"), "{problems}");
}

#[tokio::test]
async fn an_inline_script_is_reported_by_the_console() {
    let page =
        "<!doctype html><html lang=en><title>T</title><link rel=icon href='data:,'><script>1</script></html>";
    let problems = problems(page).await;
    assert!(problems.contains("Content Security Policy"), "{problems}");
}

#[tokio::test]
async fn an_element_wider_than_a_phone_is_reported() {
    let page = "<!doctype html><html lang=en><title>T</title><link rel=icon href='data:,'>\
        <meta name=viewport content='width=device-width'><main><h1>T</h1><table width=900><tr><td>x</table></main></html>";
    let problems = problems(page).await;
    assert!(problems.contains("pixels wide, the screen 380"), "{problems}");
}

#[tokio::test]
async fn a_page_is_read_without_javascript() {
    let page = "<!doctype html><html lang=en><title>T</title><noscript>without scripts</noscript></html>";
    let browser = Browser::start_with(serve(page).await, "harness", Look::Desktop, Scripts::Off).await;
    browser.open("/").await;
    assert!(browser.text().await.contains("without scripts"));
}

#[tokio::test]
async fn an_expected_refusal_covers_one_message_of_the_console() {
    let browser = Browser::start(serve(CLEAN).await, "harness").await;
    browser.open("/").await;
    let refused = "return fetch('/refused').then(response => response.status)";
    assert_eq!(browser.script(refused, &[]).await, 422);
    browser.expect_refusal(422);
    assert_eq!(browser.console_problems().await, Vec::<String>::new());
    browser.script(refused, &[]).await;
    assert_eq!(browser.console_problems().await.len(), 1);
    browser.expect_refusal(401);
    assert_eq!(
        browser.console_problems().await,
        ["no request was refused with 401"]
    );
}
