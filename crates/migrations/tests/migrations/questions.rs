use model_resource_migrations::{MigrationAnswers, MigrationQuestion, MigrationStep, diff};

use crate::change::{COLUMNS, state, tags};

#[test]
fn a_column_that_disappears_while_another_is_new_is_asked_about() {
    let (before, after) = (
        state(&tags(COLUMNS)),
        state(&tags("\"name\" TEXT NOT NULL, \"length\" INTEGER")),
    );
    let question = diff(&before, &after, &MigrationAnswers::new()).unwrap_err();
    let expected = MigrationQuestion::Renamed {
        table: Some("tags".to_owned()),
        removed: vec!["size".to_owned()],
        added: vec!["length".to_owned()],
    };
    assert_eq!(question, expected);
    let text = question.to_string();
    assert!(
        text.contains("--rename tags.size:length") && text.contains("--remove tags.size"),
        "{text}"
    );
    let renamed = diff(
        &before,
        &after,
        &MigrationAnswers::new().rename("tags.size:length").unwrap(),
    )
    .unwrap();
    assert!(
        matches!(&renamed[..], [MigrationStep::RenameColumn { .. }]),
        "{renamed:?}"
    );
    let removed = diff(&before, &after, &MigrationAnswers::new().remove("tags.size")).unwrap();
    assert_eq!(removed.len(), 2, "{removed:?}");
}

#[test]
fn a_table_that_disappears_while_another_is_new_is_asked_about() {
    let (before, after) = (
        state(&tags(COLUMNS)),
        state(&tags(COLUMNS).replace("\"tags\"", "\"labels\"")),
    );
    let question = diff(&before, &after, &MigrationAnswers::new()).unwrap_err();
    assert!(
        matches!(&question, MigrationQuestion::Renamed { table: None, .. }),
        "{question:?}"
    );
    assert!(
        question.to_string().contains("--rename tags:labels"),
        "{question}"
    );
    assert!(diff(&before, &after, &MigrationAnswers::new().remove("tags")).is_ok());
}

#[test]
fn a_required_column_without_a_value_for_existing_rows_is_asked_about() {
    let before = state(&tags("\"size\" INTEGER"));
    for after in [
        "\"size\" INTEGER NOT NULL",
        "\"size\" INTEGER, \"rank\" INTEGER NOT NULL",
    ] {
        let question = diff(&before, &state(&tags(after)), &MigrationAnswers::new()).unwrap_err();
        assert!(
            matches!(&question, MigrationQuestion::Default { .. }),
            "{question:?}"
        );
        assert!(question.to_string().contains("--default tags."), "{question}");
    }
}

#[test]
fn a_type_without_a_known_conversion_is_asked_about() {
    for (before, after) in [
        ("INTEGER /* integer */", "BLOB"),
        ("INTEGER /* date */", "INTEGER /* timestamp */"),
        ("INTEGER /* decimal(2) */", "TEXT"),
        ("INTEGER", "TEXT"),
    ] {
        let size = |kind: &str| state(&tags(&format!("\"size\" {kind}")));
        let question = diff(&size(before), &size(after), &MigrationAnswers::new()).unwrap_err();
        assert!(
            matches!(&question, MigrationQuestion::Conversion { .. }),
            "{question:?}"
        );
        assert!(
            question.to_string().contains("--convert tags.size="),
            "{question}"
        );
    }
}

#[test]
fn integers_of_unknown_meaning_are_those_of_the_model() {
    let size = |kind: &str| state(&tags(&format!("\"size\" {kind}")));
    let steps = diff(
        &size("INTEGER"),
        &size("INTEGER /* date */"),
        &MigrationAnswers::new(),
    );
    assert_eq!(steps, Ok(Vec::new()));
}

#[test]
fn a_rename_of_a_name_that_does_not_exist_is_refused() {
    let (before, after) = (
        state(&tags(COLUMNS)),
        state(&tags("\"name\" TEXT NOT NULL, \"length\" INTEGER")),
    );
    for rename in [
        "tags.sise:length",
        "tags.size:width",
        "notes.size:length",
        "tags:labels",
        "tags.name:length",
    ] {
        let question = diff(&before, &after, &MigrationAnswers::new().rename(rename).unwrap()).unwrap_err();
        assert!(
            matches!(&question, MigrationQuestion::UnknownRename { .. }),
            "{rename}: {question:?}"
        );
    }
}

#[test]
fn a_rename_of_another_form_is_refused() {
    for text in ["tags", ":labels", "tags:"] {
        assert!(MigrationAnswers::new().rename(text).is_err(), "{text}");
    }
}
