//! Tests of the framework through its public API, and of the examples in its documentation.
//!
//! The programs in `tests/` use crates that depend on the tested ones, so that they cannot be tests of those packages: a
//! package that is published has no circle through the dependencies of its tests. The pages and texts below are doc tests.

/// README and guides.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/guide/access-matrix.md")]
    struct AccessMatrix;

    #[doc = include_str!("../../../docs/guide/aggregates.md")]
    struct Aggregates;

    #[doc = include_str!("../../../docs/guide/authentication.md")]
    struct Authentication;

    #[doc = include_str!("../../../docs/guide/axum.md")]
    struct Axum;

    #[doc = include_str!("../../../docs/guide/blueprints.md")]
    struct Blueprints;

    #[doc = include_str!("../../../docs/guide/bulk.md")]
    struct Bulk;

    #[doc = include_str!("../../../docs/guide/coming-from-axum.md")]
    struct ComingFromAxum;

    #[doc = include_str!("../../../docs/guide/coming-from-django.md")]
    struct ComingFromDjango;

    #[doc = include_str!("../../../docs/guide/coming-from-pocketbase.md")]
    struct ComingFromPocketbase;

    #[doc = include_str!("../../../docs/guide/command-line.md")]
    struct CommandLine;

    #[doc = include_str!("../../../docs/guide/concurrent-changes.md")]
    struct ConcurrentChanges;

    #[doc = include_str!("../../../docs/guide/decorators.md")]
    struct Decorators;

    #[doc = include_str!("../../../docs/guide/descriptions.md")]
    struct Descriptions;

    #[doc = include_str!("../../../docs/guide/errors.md")]
    struct Errors;

    #[doc = include_str!("../../../docs/guide/events.md")]
    struct Events;

    #[doc = include_str!("../../../docs/guide/handlers.md")]
    struct Handlers;

    #[doc = include_str!("../../../docs/guide/hardening.md")]
    struct Hardening;

    #[doc = include_str!("../../../docs/guide/lists.md")]
    struct Lists;

    #[doc = include_str!("../../../docs/guide/migrations.md")]
    struct Migrations;

    #[doc = include_str!("../../../docs/guide/models.md")]
    struct Models;

    #[doc = include_str!("../../../docs/guide/moving-from-django.md")]
    struct MovingFromDjango;

    #[doc = include_str!("../../../docs/guide/openapi.md")]
    struct Openapi;

    #[doc = include_str!("../../../docs/guide/operations.md")]
    struct Operations;

    #[doc = include_str!("../../../docs/guide/pages.md")]
    struct Pages;

    #[doc = include_str!("../../../docs/guide/patches.md")]
    struct Patches;

    #[doc = include_str!("../../../docs/guide/policies.md")]
    struct Policies;

    #[doc = include_str!("../../../docs/guide/queries.md")]
    struct Queries;

    #[doc = include_str!("../../../docs/guide/relations.md")]
    struct Relations;

    #[doc = include_str!("../../../docs/guide/representations.md")]
    struct Representations;

    #[doc = include_str!("../../../docs/guide/resources.md")]
    struct Resources;

    #[doc = include_str!("../../../docs/guide/safe-retries.md")]
    struct SafeRetries;

    #[doc = include_str!("../../../docs/guide/serializers.md")]
    struct Serializers;

    #[doc = include_str!("../../../docs/guide/soft-delete.md")]
    struct SoftDelete;

    #[doc = include_str!("../../../docs/guide/testing.md")]
    struct Testing;

    #[doc = include_str!("../../../docs/guide/upserts.md")]
    struct Upserts;
}

/// Documentation of the derives and attributes. Their crate has no tests: the examples need crates that depend on it.
#[cfg(doctest)]
mod macros {
    #[doc = include_str!("../../macros/docs/derive_column_enum.md")]
    struct DeriveColumnEnum;

    #[doc = include_str!("../../macros/docs/derive_column_group.md")]
    struct DeriveColumnGroup;

    #[doc = include_str!("../../macros/docs/derive_column_type.md")]
    struct DeriveColumnType;

    #[doc = include_str!("../../macros/docs/derive_model.md")]
    struct DeriveModel;

    #[doc = include_str!("../../macros/docs/migrations.md")]
    struct Migrations;

    #[doc = include_str!("../../macros/docs/model_resource.md")]
    struct ModelResource;

    #[doc = include_str!("../../macros/docs/route.md")]
    struct Route;

    #[doc = include_str!("../../macros/docs/serializer.md")]
    struct Serializer;
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Fails for a page that nothing compiles.
    #[test]
    fn every_page_with_rust_examples_is_a_doc_test() {
        let listed = include_str!("lib.rs");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pages = 0;
        for folder in ["docs/guide", "crates/macros/docs"] {
            for file in fs::read_dir(root.join(folder)).expect("the folder exists") {
                let path = file.expect("a folder can be read").path();
                let text = fs::read_to_string(&path).expect("a page is text");
                let name = path.file_name().expect("a file has a name").to_string_lossy();
                // A fence without a language is Rust, too, but the guides name the language of each.
                if folder != "docs/guide" || text.contains("\n```rust") {
                    pages += 1;
                    assert!(
                        listed.contains(&format!("/{name}\")]")),
                        "add {folder}/{name} to src/lib.rs"
                    );
                }
            }
        }
        assert!(pages > 20, "only {pages} pages found");
    }
}
