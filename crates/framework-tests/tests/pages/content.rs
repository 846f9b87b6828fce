//! Lists, objects and forms of the pages.

use model_resource::{
    Api, CREATE, Columns, DELETE, Model, ModelResource, Operations, PageOptions, Pages, RowAction,
    model_resource, route,
};
use serde_json::json;
use test_support::TestApp;

use crate::page;

/// A shelf in the library.
#[derive(Debug, Clone, Model)]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    /// Name on the shelf.
    #[column(max_length = 40)]
    name: String,
}

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
struct ShelfResource;

/// A book.
#[derive(Debug, Clone, Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1, max_length = 80)]
    title: String,
    #[column(references = Shelf)]
    shelf_id: Option<i64>,
    link: Option<String>,
    #[column(min = 0, max = 999, default = 0)]
    stock: i32,
    #[column(created)]
    created_at: model_resource::Timestamp,
}

struct BookResource;

#[model_resource(Book, "/books", "/books/<int:id>")]
impl ModelResource for BookResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
    const SEARCH: Columns<Book> = Columns::of(Book::TITLE);

    fn page() -> PageOptions<Book> {
        PageOptions::new()
            .title("All books")
            .column(Book::STOCK)
            .column(Book::TITLE)
            .column(Book::SHELF_ID)
            .group("Where it is", Columns::of(Book::SHELF_ID).and(Book::STOCK))
            .label(Book::STOCK, "Copies")
            .help(Book::STOCK, "Copies that can be lent.")
            .action(RowAction::set("Remove copies", Book::STOCK, 0))
            .action(RowAction::post("Lend", "lend"))
    }
}

/// Lends a copy.
#[route("/books/<int:id>/lend", methods = [POST])]
async fn lend() -> &'static str {
    "lent"
}

/// A note of the staff.
#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);

    fn page() -> PageOptions<Note> {
        PageOptions::new().hidden()
    }
}

async fn app() -> TestApp {
    let api = Api::new("library")
        .prefix("/api")
        .model_resource::<ShelfResource>()
        .model_resource::<BookResource>()
        .model_resource::<NoteResource>()
        .route(lend)
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.post("/api/shelves", json!({"name": "Poetry"}))
        .await
        .expect(201);
    app
}

async fn book(app: &TestApp, title: &str, stock: i32) {
    let book = json!({"title": title, "shelfId": 1, "stock": stock});
    app.post("/api/books", book).await.expect(201);
}

/// PAGE-20
#[tokio::test]
async fn a_list_is_a_table_of_the_chosen_columns() {
    let app = app().await;
    assert!(page(&app, "/api/books").await.contains("Nothing here yet."));
    book(&app, "Odes", 3).await;
    let list = page(&app, "/api/books").await;
    let row = "<td class=\"number\" data-label=\"Copies\">3</td>\
               <th scope=\"row\" data-label=\"Title\"><a href=\"/api/books/1\">Odes</a></th>\
               <td data-label=\"Shelf\"><a href=\"/api/shelves/1\">Poetry</a></td>";
    assert!(list.contains(row), "{list}");
    let chosen = page(&app, "/api/books?fields=id,title").await;
    assert!(chosen.contains("data-label=\"ID\">1</td>") && !chosen.contains("data-label=\"Copies\""));
    assert!(
        page(&app, "/api/books?title=Elegies")
            .await
            .contains("Nothing matches these filters.")
    );
}

/// PAGE-21
#[tokio::test]
async fn a_list_is_sorted_filtered_and_paged_by_links() {
    let app = app().await;
    for number in 0..30 {
        book(&app, &format!("Volume {number}"), number).await;
    }
    let list = page(&app, "/api/books?stock[gte]=2&sort=title&pageSize=25").await;
    assert!(list.contains("aria-sort=\"ascending\"><a href=\"/api/books?stock[gte]=2&amp;pageSize=25&amp;sort=-title\">Title"), "{list}");
    assert!(
        list.contains("href=\"/api/books?sort=title&amp;pageSize=25\" title=\"Remove this filter\""),
        "{list}"
    );
    assert!(list.contains("1\u{2013}25 of 28"), "{list}");
    assert!(
        list.contains(
            "href=\"/api/books?stock[gte]=2&amp;sort=title&amp;pageSize=25&amp;page=2\" rel=\"next\""
        )
    );
}

/// PAGE-22
#[tokio::test]
async fn the_page_of_an_object_has_the_lists_that_reference_it() {
    let app = app().await;
    book(&app, "Odes", 3).await;
    let shelf = page(&app, "/api/shelves/1").await;
    assert!(
        shelf.contains("<a href=\"/api/books?shelfId=1\">All books</a>"),
        "{shelf}"
    );
    assert!(shelf.contains("<a href=\"/api/books/1\">Odes</a>"));
    assert!(
        shelf.contains("href=\"/api/books?shelfId=1&amp;_view=new&amp;_next=/api/shelves/1\""),
        "{shelf}"
    );
    let delete = page(&app, "/api/shelves/1?_view=delete").await;
    assert!(
        delete.contains(
            "<a href=\"/api/books?shelfId=1\">All books</a>: 1 row, must be deleted or changed first"
        ),
        "{delete}"
    );
}

/// PAGE-23
#[tokio::test]
async fn forms_have_the_inputs_of_the_caller_with_their_constraints() {
    let app = app().await;
    book(&app, "Odes", 3).await;
    let form = page(&app, "/api/books?_view=new&shelfId=1").await;
    assert!(
        form.contains("id=\"field-title\"") && form.contains("maxlength=\"80\""),
        "{form}"
    );
    assert!(form.contains("min=\"0\" max=\"999\""), "{form}");
    assert!(
        form.contains("value=\"1\" data-reference=\"/api/shelves\"")
            && form.contains("data-shown=\"Poetry\"")
    );
    assert!(!form.contains("field-createdAt") && !form.contains("field-id"));
    let form = page(&app, "/api/books/1?_view=edit").await;
    assert!(
        form.contains("value=\"Odes\"") && form.contains("data-submit=\"PATCH\""),
        "{form}"
    );
}

/// PAGE-23: a form that the caller cannot use is replaced by the page of the object.
#[tokio::test]
async fn a_form_without_a_method_is_not_offered() {
    let app = app().await;
    app.post("/api/notes", json!({"text": "Dust"})).await.expect(201);
    let object = page(&app, "/api/notes/1").await;
    assert!(
        !object.contains("_view=delete") && object.contains("_view=edit"),
        "{object}"
    );
    let delete = page(&app, "/api/notes/1?_view=delete").await;
    assert!(
        delete.contains("You may not delete this.") && delete.contains("Dust"),
        "{delete}"
    );
    assert!(!delete.contains("data-submit"), "{delete}");
}

/// PAGE-24
#[tokio::test]
async fn every_text_is_shown_as_text() {
    let app = app().await;
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "{{ 7 * 7 }}",
    ];
    for text in hostile {
        let book = json!({"title": text, "link": text, "shelfId": 1});
        app.post("/api/books", book).await.expect(201);
    }
    app.post("/api/books", json!({"title": "a\u{202e}b", "link": "c\u{7}d"}))
        .await
        .expect(201);
    let paths = [
        "/api/books",
        "/api/books/1",
        "/api/books/2?_view=edit",
        "/api/shelves/1",
        "/api/books/2?_view=json",
    ];
    let queries = ["/api/books?title=%22%3E%3Cscript%3E", "/api/books?q=%3Cscript%3E"];
    for path in paths.iter().chain(&queries) {
        let shown = page(&app, path).await;
        for markup in ["<script>", "<img", "' onmouseover", "href=\"javascript:"] {
            assert!(!shown.contains(markup), "{path}: {markup}");
        }
    }
    let shown = page(&app, "/api/books/6").await;
    assert!(
        shown.contains("<bdi>a<span class=\"control\">U+202E</span>b</bdi>"),
        "{shown}"
    );
    assert!(
        shown.contains("c<span class=\"control\">\u{2407}</span>d"),
        "{shown}"
    );
    assert!(page(&app, "/api/books/5").await.contains("{{ 7 * 7 }}"));
}

/// PAGE-25
#[tokio::test]
async fn a_url_without_get_has_the_forms_of_its_methods() {
    let app = app().await;
    book(&app, "Odes", 3).await;
    let form = page(&app, "/api/books/1/lend").await;
    assert!(
        form.contains("data-submit=\"POST\" action=\"/api/books/1/lend\""),
        "{form}"
    );
    assert!(
        page(&app, "/api/books/1")
            .await
            .contains("<a class=\"button\" href=\"/api/books/1/lend\">Lend</a>")
    );
}

/// PAGE-26
#[tokio::test]
async fn a_resource_sets_titles_groups_names_help_and_actions() {
    let app = app().await;
    book(&app, "Odes", 3).await;
    let list = page(&app, "/api/books").await;
    assert!(list.contains("<h1>All books</h1>"), "{list}");
    assert!(
        list.contains("data-action-body=\"{&quot;stock&quot;:0}\">Remove copies</button>"),
        "{list}"
    );
    assert!(
        list.contains("data-action-url=\"/api/books/{key}/lend\""),
        "{list}"
    );
    assert!(
        !list.contains(">Notes</a>"),
        "a hidden resource is not in the navigation"
    );
    let object = page(&app, "/api/books/1").await;
    assert!(
        object.contains("<h2>Where it is</h2>") && object.contains("<dt>Copies</dt>"),
        "{object}"
    );
    let form = page(&app, "/api/books/1?_view=edit").await;
    assert!(form.contains("<legend>Where it is</legend>") && form.contains("Copies that can be lent."));
    assert!(page(&app, "/api/notes").await.contains("Nothing here yet."));
}
