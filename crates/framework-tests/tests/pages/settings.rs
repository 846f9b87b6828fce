//! Settings of all pages.

use model_resource::{
    Api, Columns, Model, ModelResource, ModelSerializer, PageOptions, Pages, Result, RowAction,
    model_resource, route, serializer,
};
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
struct LampResource;

fn api(pages: Pages) -> Api {
    let api = Api::new("lighting").prefix("/api");
    api.model_resource::<LampResource>().pages(pages)
}

async fn page(app: &TestApp, path: &str) -> test_support::Response {
    app.with_header("accept", "text/html").get(path).await.expect(200)
}

/// PAGE-27
#[tokio::test]
async fn an_application_replaces_templates_and_adds_css() {
    let form = "{% extends \"layout.html\" %}{% block main %}<p>Own: {{ frame.title }}</p>{% endblock %}";
    let pages = Pages::new()
        .title("Lights & co")
        .template("form.html", form)
        .stylesheet(":root { --accent: red }");
    let app = TestApp::with_api(api(pages)).await;
    let shown = page(&app, "/api/lamps?_view=new").await.text();
    assert!(shown.contains("<p>Own: New lamp</p>"), "{shown}");
    assert!(
        shown.contains("<title>New lamp \u{b7} Lights &amp; co</title>"),
        "{shown}"
    );
    let (_, rest) = shown.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let stylesheet = app.get(rest.split('"').next().unwrap()).await.expect(200);
    assert!(stylesheet.header("cache-control").contains("immutable"));
    assert!(stylesheet.text().ends_with(":root { --accent: red }\n"));
}

/// PAGE-27
#[tokio::test]
async fn mistakes_in_templates_are_reported_at_startup() {
    let pages = Pages::new()
        .template("lists.html", "")
        .template("list.html", "{% if %}");
    let errors = startup_errors(api(pages)).await.join("\n");
    assert!(errors.contains("no template \"lists.html\""), "{errors}");
    assert!(
        errors.contains("the template \"list.html\" of the pages is not valid"),
        "{errors}"
    );
}

/// PAGE-27
#[tokio::test]
async fn unknown_parts_of_templates_are_reported_at_startup() {
    let pages = Pages::new()
        .template("list.html", "{% extends \"base.html\" %}")
        .template(
            "form.html",
            "{% extends \"layout.html\" %}{% block mian %}{% endblock %}",
        )
        .template("error.html", "{{ 1 | upcase }}");
    let errors = startup_errors(api(pages)).await.join("\n");
    assert!(errors.contains("base.html"), "{errors}");
    assert!(errors.contains("fills the block `mian`"), "{errors}");
    assert!(errors.contains("upcase"), "{errors}");
}

/// PAGE-27
#[tokio::test]
async fn an_error_while_rendering_is_an_internal_error() {
    let app = TestApp::with_api(api(Pages::new().template("form.html", "{{ frame.title.x.y }}"))).await;
    let browser = app.with_header("accept", "text/html");
    let shown = browser.get("/api/lamps?_view=new").await.expect(500).text();
    assert!(shown.contains("its template has an error"), "{shown}");
}

struct ShadeSerializer;

#[serializer]
impl ModelSerializer for ShadeSerializer {
    type Model = Shade;
    const EXCLUDE: Columns<Shade> = Columns::of(Shade::SUPPLIER).and(Shade::PRICE);
}

#[derive(Debug, Clone, Model)]
struct Shade {
    #[column(primary_key)]
    id: i64,
    color: String,
    supplier: Option<String>,
    price: Option<i64>,
}

struct ShadeResource;

#[model_resource(Shade, "/shades", "/shades/<int:id>", serializer = ShadeSerializer)]
impl ModelResource for ShadeResource {
    fn page() -> PageOptions<Shade> {
        PageOptions::new()
            .column(Shade::COLOR)
            .column(Shade::SUPPLIER)
            .group("Money", Columns::of(Shade::PRICE))
            .action(RowAction::post("Dye", "dye"))
            .action(RowAction::post("Wash", "wahs"))
    }
}

#[route("/shades/<int:id>/dye", methods = [POST])]
async fn dye() -> Result<()> {
    Ok(())
}

#[route("/shades/<int:id>/wash", methods = [POST])]
async fn wash() -> Result<()> {
    Ok(())
}

/// PAGE-27
#[tokio::test]
async fn options_that_nothing_answers_are_reported_at_startup() {
    let api = Api::new("lighting")
        .prefix("/api")
        .model_resource::<ShadeResource>()
        .route(dye)
        .route(wash)
        .pages(
            Pages::new()
                .login("/shades/1/dye")
                .logout("/api/lgoout")
                .account("/shade/<int:id>"),
        );
    let errors = startup_errors(api).await.join("\n");
    for mistake in [
        "has the column `supplier`",
        "names the field `price`",
        "no view answers POST at `/api/shades/<int:id>/wahs`: did you mean `wash`?",
        "`Pages::login(\"/shades/1/dye\")`: no view answers POST at `/api/shades/1/dye`",
        "`Pages::logout(\"/api/lgoout\")`",
        "no view answers GET at `/api/shade/<int:id>`: did you mean `/api/shades/<int:id>`?",
    ] {
        assert!(errors.contains(mistake), "{mistake} is not in\n{errors}");
    }
    assert!(
        !errors.contains("`color`") && !errors.contains("\"Dye\""),
        "{errors}"
    );
}

/// PAGE-28
#[tokio::test]
async fn pages_have_a_strict_policy_and_nothing_inline() {
    let app = TestApp::with_api(api(Pages::new())).await;
    for path in [
        "/api",
        "/api/lamps",
        "/api/lamps?_view=new",
        "/api/lamps?_view=json",
    ] {
        let answer = page(&app, path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        let text = answer.text();
        for inline in [
            "<style",
            " style=",
            " onclick=",
            "<script>",
            "http://",
            "https://",
        ] {
            let shown = text.replace("http://127.0.0.1", "");
            assert!(!shown.contains(inline), "{path} contains {inline}");
        }
    }
}
