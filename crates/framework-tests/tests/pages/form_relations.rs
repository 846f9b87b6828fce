//! Relations that forms write with their object, and related objects on its page.

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelSerializer, Pages, SerializerFields, model_resource,
    serializer,
};
use serde_json::json;
use test_support::TestApp;

use crate::page;

#[derive(Debug, Clone, Model)]
#[model(table = "dishes")]
struct Dish {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct DishTag {
    #[column(primary_key)]
    id: i64,
    #[column(references = Dish, on_delete = cascade)]
    dish_id: i64,
    #[column(references = Tag, on_delete = cascade)]
    tag_id: i64,
}

/// A mood, which has no URL.
#[derive(Debug, Clone, Model)]
struct Mood {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
}

#[derive(Debug, Clone, Model)]
struct DishMood {
    #[column(primary_key)]
    id: i64,
    #[column(references = Dish, on_delete = cascade)]
    dish_id: i64,
    #[column(references = Mood, on_delete = cascade)]
    mood_id: i64,
}

#[derive(Debug, Clone, Model)]
struct Product {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Ingredient {
    #[column(primary_key)]
    id: i64,
    #[column(references = Dish, on_delete = cascade)]
    dish_id: i64,
    #[column(references = Product)]
    product_id: i64,
    /// Weight of it, in grams
    #[column(min = 1, default = 100)]
    grams: i32,
    #[column(unique)]
    code: Option<String>,
}

struct DishSerializer;

#[serializer]
impl ModelSerializer for DishSerializer {
    type Model = Dish;

    /// The tags of the dish.
    fn fields(fields: SerializerFields<Dish>) -> SerializerFields<Dish> {
        fields
            .many_to_many::<TagSerializer>("tags", DishTag::DISH_ID, DishTag::TAG_ID)
            .writable("tags")
            .many_to_many::<MoodSerializer>("moods", DishMood::DISH_ID, DishMood::MOOD_ID)
            .as_member("moods", Mood::NAME)
            .always("moods")
            .writable("moods")
            .has_many::<IngredientSerializer>("ingredients", Ingredient::DISH_ID)
            .writable("ingredients")
    }
}

macro_rules! plain {
    ($($serializer:ident: $model:ident),+) => {$(
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }
    )+};
}

plain!(TagSerializer: Tag, MoodSerializer: Mood);

struct IngredientSerializer;

#[serializer]
impl ModelSerializer for IngredientSerializer {
    type Model = Ingredient;
    const EXCLUDE: Columns<Ingredient> = Columns::of(Ingredient::DISH_ID);
}

/// Tags are only read.
struct TagPolicy;

impl ModelPolicy for TagPolicy {
    type Model = Tag;

    fn may_create(_: &Caller) -> bool {
        false
    }
}

#[model_resource(Dish, "/dishes", "/dishes/<int:id>", serializer = DishSerializer)]
struct DishResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>", serializer = TagSerializer, policy = TagPolicy)]
struct TagResource;

#[model_resource(Product, "/products", "/products/<int:id>")]
struct ProductResource;

async fn app() -> TestApp {
    let api = Api::new("kitchen")
        .model_resource::<DishResource>()
        .model_resource::<TagResource>()
        .model_resource::<ProductResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO tags (name) VALUES ('hot <b>'), ('sweet'), ('old');
         INSERT INTO moods (name) VALUES ('merry'), ('calm');
         INSERT INTO products (name) VALUES ('Flour'), ('Sugar');",
    );
    let dish = json!({
        "title": "Cake", "tags": [1, 2], "moods": ["calm"],
        "ingredients": [{"productId": 1, "grams": 500, "code": "F"}, {"productId": 2}],
    });
    app.post("/dishes", dish).await.expect(201);
    app
}

/// Markup of one part of a form, up to the next one.
fn part<'p>(page: &'p str, start: &str) -> &'p str {
    let after = page
        .split(start)
        .nth(1)
        .unwrap_or_else(|| panic!("no {start} in {page}"));
    let end = after.find("<div class=\"buttons").unwrap_or(after.len());
    let next = ["class=\"field wide links\"", "<fieldset class=\"wide lines"];
    let ends = next.iter().filter_map(|start| after[..end].find(start));
    &after[..ends.min().unwrap_or(end)]
}

/// PAGE-70: also of a relation that the object shows only on request, by keys with the labels of the objects.
#[tokio::test]
async fn linked_objects_are_chips_with_their_labels() {
    let app = app().await;
    let form = page(&app, "/dishes/1?_view=edit").await;
    let tags = part(&form, "data-field=\"tags\"");
    assert!(
        tags.contains("data-original=\"[1,2]\"") && tags.contains("data-links=\"number\""),
        "{tags}"
    );
    assert!(
        tags.contains("<li data-value=\"2\" data-label=\"sweet\">"),
        "{tags}"
    );
    assert!(tags.contains("hot &lt;b&gt;") && !tags.contains("<b>"), "{tags}");
    assert!(tags.contains("href=\"/tags/2\""), "{tags}");
    assert!(
        tags.contains("data-reference=\"/tags\"") && tags.contains("data-reference-key=\"id\""),
        "{tags}"
    );
    assert!(!tags.contains("old"), "the others are found by a search: {tags}");
    assert!(!tags.contains("data-new"), "{tags}");
    let lines = part(&form, "data-lines=\"ingredients\"");
    assert!(lines.contains("data-new=\"product\""), "{lines}");
}

/// PAGE-70: objects that the caller cannot list are named by their member.
#[tokio::test]
async fn objects_without_a_list_are_named() {
    let app = app().await;
    let form = page(&app, "/dishes/1?_view=edit").await;
    let moods = part(&form, "data-field=\"moods\"");
    assert!(
        moods.contains("data-original=\"[&quot;calm&quot;]\"") && moods.contains("data-links=\"string\""),
        "{moods}"
    );
    assert!(
        moods.contains("data-picks") && !moods.contains("data-reference"),
        "{moods}"
    );
}

/// PAGE-71: with their keys, values and constraints, also if the object shows them only on request.
#[tokio::test]
async fn lines_are_rows_of_the_form() {
    let app = app().await;
    let form = page(&app, "/dishes/1?_view=edit").await;
    assert!(form.contains("data-expand=\"tags,ingredients\""), "{form}");
    let lines = part(&form, "data-lines=\"ingredients\"");
    let (stored, blank) = lines.split_once("<template>").unwrap();
    assert_eq!(stored.matches("<tr data-line").count(), 2, "{stored}");
    assert!(stored.contains("<tr data-line data-key=\"1\">"), "{stored}");
    assert!(
        stored.contains("id=\"field-ingredients-0-grams\" name=\"grams\""),
        "{stored}"
    );
    assert!(
        stored.contains("value=\"500\"") && stored.contains("min=\"1\""),
        "{stored}"
    );
    assert!(
        stored.contains("data-shown=\"Flour\"") && stored.contains("data-reference=\"/products\""),
        "{stored}"
    );
    assert_eq!(
        stored.matches("Weight of it, in grams").count(),
        1,
        "the heading has the help: {stored}"
    );
    assert!(
        !stored.contains("dishId") && !stored.contains(" name=\"id\""),
        "{stored}"
    );
    assert!(
        blank.contains("id=\"field-ingredients-new-grams\"") && blank.contains("value=\"100\""),
        "{blank}"
    );
    assert!(!blank.contains("data-key=\""), "{blank}");
}

/// PAGE-70, PAGE-71
#[tokio::test]
async fn a_new_object_begins_without_related_ones_or_with_those_of_its_original() {
    let app = app().await;
    let form = page(&app, "/dishes?_view=new").await;
    assert!(!form.contains("<li data-value"), "{form}");
    let lines = part(&form, "data-lines=\"ingredients\"");
    let (stored, _) = lines.split_once("<template>").unwrap();
    assert!(!stored.contains("<tr data-line"), "{stored}");

    let form = page(&app, "/dishes?_view=new&_from=1").await;
    assert!(
        part(&form, "data-field=\"tags\"").contains("data-label=\"sweet\""),
        "{form}"
    );
    assert!(
        form.contains("data-links=\"number\" data-original=\"\""),
        "{form}"
    );
    let lines = part(&form, "data-lines=\"ingredients\"");
    let (copied, _) = lines.split_once("<template>").unwrap();
    assert_eq!(
        copied.matches("<tr data-line>").count(),
        2,
        "without keys: {copied}"
    );
    assert!(
        copied.contains("value=\"500\"") && !copied.contains("value=\"F\""),
        "without unique values: {copied}"
    );
}

/// PAGE-73
#[tokio::test]
async fn related_objects_without_pages_are_a_table_on_the_page_of_their_object() {
    let app = app().await;
    let shown = page(&app, "/dishes/1").await;
    let table = shown
        .split("<caption class=\"sr\">Ingredients</caption>")
        .nth(1)
        .unwrap();
    let table = table.split("</table>").next().unwrap();
    assert!(
        table.contains("href=\"/products/1\">Flour</a>") && table.contains(">500<"),
        "{table}"
    );
    assert!(!shown.contains("<pre class=\"json\" tabindex=\"0\">["), "{shown}");
}
