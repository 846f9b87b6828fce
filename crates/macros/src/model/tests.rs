//! Messages about mistakes in models.

use super::*;

/// Returns the diagnostics for a model with a primary key and these fields.
fn diagnostics(fields: &str) -> Vec<String> {
    messages_about(&format!(
        "struct Article {{ #[column(primary_key)] id: i64, {fields} }}"
    ))
}

fn messages_about(model: &str) -> Vec<String> {
    let model = syn::parse_str(model).expect("a struct");
    let errors = expanded(&model).expect_err("the model has mistakes");
    errors.into_iter().map(|error| error.to_string()).collect()
}

#[test]
fn each_mistake_in_the_name_of_a_schema_is_answered_with_the_remedy() {
    for (options, remedy) in [
        (
            "table = \"crm.customers\"",
            "schema = \"crm\", table = \"customers\"",
        ),
        ("schema = \"main.crm\"", "no dot"),
        ("schema = \"public\"", "take `schema` off"),
        ("schema = crm", "in quotes"),
        ("schema = \"\"", "in quotes"),
        ("schema_name = \"crm\"", "schema = \"crm\""),
    ] {
        let found = messages_about(&format!("#[model({options})] struct Customer {{ id: i64 }}"));
        assert!(
            matches!(found.as_slice(), [one] if one.contains(remedy)),
            "{options}: {found:?}"
        );
    }
}

#[test]
fn each_mistake_in_a_column_is_answered_with_the_remedy() {
    for (fields, remedy) in [
        ("#[column(primary_key)] other: i64", "one primary key"),
        (
            "#[column(primary_key = server)] other: i64",
            "`primary_key = client`",
        ),
        ("#[column(unique, unique)] name: String", "is given twice"),
        ("#[column(unique = true)] name: String", "write #[column(unique)]"),
        (
            "#[column(max_length)] name: String",
            "write #[column(max_length = 200)]",
        ),
        (
            "#[column(max_length = '9')] name: String",
            "write #[column(max_length = 200)]",
        ),
        ("#[column(max_length = 9)] number: i32", "by `max`"),
        ("#[column(min = 1)] name: String", "`min_length`"),
        ("#[column(min = 1)] flag: bool", "take `min` off"),
        ("#[column(min = 0.5)] number: i32", "write `min = 1`"),
        ("#[column(min = LEAST)] number: i32", "write a literal"),
        (
            "#[column(max = 2024)] day: Option<Date>",
            "write `max = \"2024-05-06\"",
        ),
        ("#[column(default = 1)] flag: bool", "write `default = true`"),
        ("#[column(email)] number: i64", "make the field a String"),
        (
            "#[column(choices = [])] name: String",
            "choices = [\"draft\", \"final\"]",
        ),
        ("#[column(created)] at: Date", "make the field a Timestamp"),
        ("#[column(created, updated)] at: Timestamp", "keep one of them"),
        ("#[column(version)] version: String", "make the field an i64"),
        ("#[column(version)] version: Option<i64>", "make the field an i64"),
        (
            "#[column(version)] a: i64, #[column(version)] b: i64",
            "a model has one version",
        ),
        (
            "#[column(soft_delete)] deleted_at: Timestamp",
            "make the field an Option<Timestamp>",
        ),
        (
            "#[column(soft_delete)] deleted: Option<bool>",
            "make the field an Option<Timestamp>",
        ),
        (
            "#[column(soft_delete)] a: Option<Timestamp>, #[column(soft_delete)] b: Option<Timestamp>",
            "a row is deleted once",
        ),
        (
            "#[column(soft_delete, unique)] deleted_at: Option<Timestamp>",
            "take `unique` off",
        ),
        (
            "#[column(soft_delete, updated)] deleted_at: Option<Timestamp>",
            "keep one of them",
        ),
        (
            "#[column(soft_delete = true)] deleted_at: Option<Timestamp>",
            "write #[column(soft_delete)]",
        ),
        (
            "#[column(paranoid)] deleted_at: Option<Timestamp>",
            "#[column(soft_delete)]",
        ),
        ("#[column(slug)] slug: String", "slug(from = title)"),
        (
            "title: String, #[column(slug(from = \"title\"))] slug: String",
            "without quotes: write #[column(slug(from = title))]",
        ),
        (
            "title: String, #[column(slug(title))] slug: String",
            "write #[column(slug(from = title))]",
        ),
        (
            "title: String, #[column(slug = \"title\")] slug: String",
            "write #[column(slug(from = title))]",
        ),
        (
            "title: String, #[column(slug(populate_from = \"title\"))] slug: String",
            "write #[column(slug(from = title))]",
        ),
        ("#[column(null = true)] name: String", "make the field an Option"),
        ("#[column(nullable)] name: String", "make the field an Option"),
        ("#[column(auto_now_add)] at: Timestamp", "#[column(created)]"),
        ("#[column(auto_now = true)] at: Timestamp", "#[column(updated)]"),
        (
            "#[column(db_column = \"n\")] name: String",
            "name = \"first_name\"",
        ),
        ("#[column(rename = \"n\")] name: String", "json = \"givenName\""),
        ("#[column(ForeignKey = User)] user_id: i64", "references = User"),
        (
            "#[column(foreign_key = \"users.id\")] user_id: i64",
            "references = User",
        ),
        ("#[column(related_name = \"posts\")] user_id: i64", "has_many"),
        ("#[column(max_digits = 9)] size: i64", "precision = 10, scale = 2"),
        ("#[column(db_index)] name: String", "#[model(index(created_at))]"),
        ("#[column(validators = [f])] name: String", "in the serializer"),
        ("#[column(read_only)] name: String", "READ_ONLY"),
        ("#[column(choices = Color)] name: String", "#[derive(ColumnEnum)]"),
        ("#[column(default = now())] at: Timestamp", "`created`"),
        ("#[column(default = Uuid::new_v4)] token: Uuid", "write a literal"),
        (
            "title: String, #[column(slug(from = title, fixed))] slug: String",
            "slug(from = title, stable)",
        ),
        ("#[column(trim)] number: i32", "make the field a String"),
        ("#[column(nfc)] number: i32", "make the field a String"),
        ("#[column(normalize)] name: String", "#[column(nfc)]"),
        (
            "#[column(transitions)] state: State",
            "transitions(Draft -> Sent | Void, Sent -> Paid)",
        ),
        (
            "#[column(transitions(Draft > Sent))] state: State",
            "transitions(Draft -> Sent | Void, Sent -> Paid)",
        ),
        (
            "#[column(transitions(new -> Draft))] state: State",
            "transitions(Draft -> Sent | Void, Sent -> Paid)",
        ),
        (
            "#[column(transitions(Draft -> Draft))] state: State",
            "remove `Draft` on one side",
        ),
        (
            "#[column(transitions(Draft -> new))] state: State",
            "nothing leads to a new row",
        ),
        (
            "#[column(transitions(Draft -> Sent))] state: Option<State>",
            "take the Option off",
        ),
        (
            "#[column(transitions(Draft -> Sent))] state: String",
            "#[derive(ColumnEnum)]",
        ),
        ("#[column(fsm)] state: State", "transitions(Draft -> Sent"),
        (
            "#[column(lowercase = true)] name: String",
            "write #[column(lowercase)]",
        ),
        ("#[column(json = given)] name: String", "json = \"givenName\""),
        ("#[column(json = \"given.name\")] name: String", "letters, digits"),
        ("#[column(json = \"_schema\")] name: String", "choose another"),
        ("#[column(name = \"\")] name: String", "name = \"first_name\""),
        (
            "#[column(name = \"id\")] name: String",
            "two fields are the column",
        ),
        ("#[column(message = \"No.\")] name: String", "message(required ="),
        ("#[column(message())] name: String", "message(required ="),
        (
            "#[column(message(unqiue = \"No.\"))] name: String",
            "did you mean `unique`?",
        ),
        (
            "#[column(message(unique = \"No.\"))] name: String",
            "add that option",
        ),
        (
            "#[column(message(type = \"No.\", type = \"No.\"))] name: String",
            "has two texts",
        ),
        ("#[column(message(type = \" \"))] name: String", "a sentence"),
        ("#[column(slug(from = id))] slug: String", "make `id` a String"),
        ("#[column(slug(from = slug))] slug: String", "the fields are id"),
        ("price: Decimal", "precision = 10, scale = 2"),
        (
            "#[column(precision = 10)] price: Decimal",
            "precision = 10, scale = 2",
        ),
        ("#[column(scale = 2)] number: f64", "only a Decimal"),
        ("#[column(on_delete = cascade)] tag_id: i64", "references = Other"),
        (
            "#[column(references = Tag, on_delete = cascde)] tag_id: i64",
            "`cascade`",
        ),
        (
            "#[column(references = Tag, on_delete = protect)] tag_id: i64",
            "write `on_delete = restrict` instead of `protect`",
        ),
        (
            "#[column(references = Tag, on_delete = models.PROTECT)] tag_id: i64",
            "write `on_delete = restrict`",
        ),
        (
            "#[column(references = Tag, on_delete = \"SET NULL\")] tag_id: Option<i64>",
            "write `on_delete = set_null`",
        ),
        (
            "#[column(references = \"tags\")] tag_id: i64",
            "references = User",
        ),
    ] {
        let found = diagnostics(fields);
        assert!(
            matches!(found.as_slice(), [one] if one.contains(remedy)),
            "{fields}: {found:?}"
        );
    }
}

#[test]
fn each_mistake_in_a_model_is_answered_with_the_remedy() {
    for (model, remedy) in [
        ("enum Article { A }", "derive ColumnEnum"),
        ("struct Article(i64);", "fields have names"),
        ("struct Article { name: String }", "mark a field"),
        ("struct Article { id: String }", "mark a field"),
        (
            "struct Article { #[column(references = Page)] id: i64 }",
            "mark a field",
        ),
        (
            "struct Article<T> { #[column(primary_key)] id: i64 }",
            "no type parameters",
        ),
        (
            "struct Article { #[column(primary_key)] id: Option<i64> }",
            "take the Option off",
        ),
        (
            "struct Article { #[column(primary_key)] id: String }",
            "`primary_key = client`",
        ),
        (
            "#[model(tabel = \"a\")] struct Article { #[column(primary_key)] id: i64 }",
            "did you mean `table`?",
        ),
        (
            "#[model(table = a)] struct Article { #[column(primary_key)] id: i64 }",
            "in quotes",
        ),
        (
            "#[model(db_table = \"a\")] struct Article { #[column(primary_key)] id: i64 }",
            "write #[model(table = \"users\")]",
        ),
        (
            "#[model(ordering = \"a\")] struct Article { #[column(primary_key)] id: i64 }",
            "`?sort=-createdAt`",
        ),
        (
            "#[model(unique_together = (\"a\", \"b\"))] struct Article { #[column(primary_key)] id: i64 }",
            "write `unique(branch_id, barcode)`",
        ),
        (
            "#[model(view = \"SELECT 1\")] struct Article { #[column(primary_key)] id: i64 }",
            "a migration creates the view",
        ),
        (
            "#[model(view, index(size))] struct Article { #[column(primary_key)] id: i64, size: i64 }",
            "a view has no constraints",
        ),
    ] {
        let found = messages_about(model);
        assert!(
            matches!(found.as_slice(), [one] if one.contains(remedy)),
            "{model}: {found:?}"
        );
    }
}

#[test]
fn each_mistake_in_a_constraint_is_answered_with_the_remedy() {
    for (option, remedy) in [
        ("unique", "write `unique(branch_id, barcode)`"),
        ("unique()", "write `unique(branch_id, barcode)`"),
        ("unique(\"shelf\", \"title\")", "without quotes"),
        ("unique(shelf, titel)", "did you mean `title`?"),
        ("unique(title)", "#[column(unique)] on the field `title`"),
        ("unique(shelf, isbn)", "`isbn` is unique alone"),
        ("unique(shelf, id)", "`id` is unique alone"),
        ("unique(shelf, shelf)", "is given twice"),
        ("unique(shelf, title desc)", "remove `desc`"),
        ("unique(shelf, extra)", "JSON has no order"),
        (
            "unique(shelf, title, filter = X)",
            "write `unique(branch_id, barcode)`",
        ),
        ("unique(shelf, title, message = 7)", "in quotes"),
        ("index(title descending)", "write `title` or `title desc`"),
        ("index(isbn)", "has an index already"),
        ("index(author_id)", "has an index already"),
        (
            "index(title, message = \"No.\")",
            "write `index(branch_id, created_at desc)`",
        ),
        ("check(Article::SHELF.gt(0))", "write `check(ends_after_start = "),
        ("check(message = \"No.\")", "write `check(ends_after_start = "),
        ("check(a = X), check(a = Y)", "two checks have the name `a`"),
        ("chek(a = X)", "did you mean `check`?"),
    ] {
        let found = messages_about(&format!(
            "#[model({option})] struct Article {{ #[column(primary_key)] id: i64, shelf: i32, title: String, \
             #[column(unique)] isbn: String, #[column(references = Author)] author_id: i64, extra: Json }}"
        ));
        assert!(
            matches!(found.as_slice(), [one] if one.contains(remedy)),
            "{option}: {found:?}"
        );
    }
}

#[test]
fn a_model_with_too_many_columns_is_rejected_with_the_remedy() {
    let model = |columns: usize| {
        let fields: String = (1..columns).map(|field| format!("f{field}: i64,")).collect();
        format!("struct Article {{ #[column(primary_key)] id: i64, {fields} }}")
    };
    let allowed = syn::parse_str(&model(check::MAX_COLUMNS)).expect("a struct");
    assert!(expanded(&allowed).is_ok());
    let found = messages_about(&model(check::MAX_COLUMNS + 1));
    assert!(
        matches!(found.as_slice(), [one] if one.contains("at most 128 columns, and this one has 129")),
        "{found:?}"
    );
}

#[test]
fn a_model_with_mistakes_is_a_model_nevertheless() {
    for (model, has_stub) in [
        ("struct Article { number: i64 }", true),
        ("struct Article(i64);", true),
        ("enum Article { A }", true),
        ("struct Article<T> { #[column(primary_key)] id: i64 }", false),
    ] {
        let expanded = derive(&syn::parse_str(model).expect("an item")).to_string();
        assert!(expanded.contains("compile_error"), "{model}: {expanded}");
        assert_eq!(
            expanded.contains("model :: Model for Article"),
            has_stub,
            "{model}"
        );
    }
}

#[test]
fn the_position_of_a_column_after_a_group_has_no_summand_of_zero() {
    let model =
        "struct Stamp { #[column(flatten)] base: Base, #[column(flatten)] period: Period, motif: String }";
    let expanded = derive(&syn::parse_str(model).expect("a struct")).to_string();
    assert!(expanded.contains("COLUMNS . len ()"), "{expanded}");
    assert!(!expanded.contains("0 +"), "{expanded}");
}

#[test]
fn every_mistake_is_reported_at_once() {
    let found = diagnostics("#[column(uniqe, emial)] name: String, price: Decimal");
    assert_eq!(found.len(), 3, "{found:?}");
}
