//! Bulk requests, numbers of statements, declarations and concurrent requests.

use bytes::Bytes;
use http::Method;
use model_resource::{Api, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::{Value, json};
use test_support::{Client, startup_errors};

use super::{Invoice, line, lines, office};

/// NST-6: bulk requests, imports and repeated requests write related objects, too, all or none.
#[tokio::test]
async fn bulk_requests_write_related_objects() {
    let office = office().await;
    let before = office.app.database().rows();
    let invoice = |code: &str| json!({"customer": code, "lines": [line(1, code)]});
    let errors = office
        .clerk
        .post("/invoices", json!([invoice("x"), invoice("a")]))
        .await
        .expect(400)
        .json();
    assert!(errors["errors"]["1"]["lines"]["0"]["code"].is_array(), "{errors}");
    let patch = json!([{"id": 100, "lines": []}, {"id": 102, "lines": []}]);
    office.clerk.patch("/invoices", patch).await.expect(403);
    assert_eq!(office.app.database().rows(), before);
    office
        .clerk
        .post("/invoices", json!([invoice("x"), invoice("y")]))
        .await
        .expect(201);
    let csv = Bytes::from("customer,lines\r\nCsv,\"[{\"\"quantity\"\": 1, \"\"code\"\": \"\"csv\"\"}]\"\r\n");
    office
        .clerk
        .send(Method::POST, "/invoices", Some(("text/csv", csv)))
        .await
        .expect(201);
    let keyed = office
        .clerk
        .with_header("idempotency-key", "\"nested-write-with-a-key-1\"");
    let first = keyed.post("/invoices", invoice("k")).await.expect(201).json();
    assert_eq!(
        keyed.post("/invoices", invoice("k")).await.expect(201).json(),
        first
    );
    let count = office
        .app
        .database()
        .value::<u32>("SELECT COUNT(*) FROM invoice_lines");
    assert_eq!(count, 9);
}

/// NST-7: the related objects of a request are written by one statement, or by one call of SQLite's thread.
#[tokio::test]
async fn related_objects_are_written_by_few_statements() {
    let office = office().await;
    let many: Vec<Value> = (0..100)
        .map(|number| line(1, &format!("many {number}")))
        .collect();
    let body = json!({"customer": "Dan", "lines": many});
    let (reads, writes) = (office.app.store.read_count(), office.app.store.writes());
    office.manager.post("/invoices", body).await.expect(201);
    let (reads, writes) = (
        office.app.store.read_count() - reads,
        office.app.store.writes() - writes,
    );
    assert!(reads + writes <= 4, "{reads} reads and {writes} writes");
}

/// NST-8: a relation that cannot be written is rejected at startup.
#[tokio::test]
async fn unknown_relations_are_rejected_at_startup() {
    struct Wrong;

    #[serializer]
    impl ModelSerializer for Wrong {
        type Model = Invoice;

        fn fields(fields: SerializerFields<Invoice>) -> SerializerFields<Invoice> {
            fields.writable("lines")
        }
    }

    #[model_resource(Invoice, "/invoices", serializer = Wrong)]
    struct WrongResource;

    let errors = startup_errors(Api::new("office").model_resource::<WrongResource>()).await;
    assert!(
        errors[0].contains("names no relation; add it by `has_many` or `many_to_many` before"),
        "{errors:?}"
    );
}

/// NST-9: concurrent replacements leave the objects of one of them.
#[tokio::test]
async fn concurrent_replacements_do_not_mix() {
    let office = office().await;
    let replace = |client: Client, name: &'static str| async move {
        let lines: Vec<Value> = (0..5).map(|number| line(1, &format!("{name}{number}"))).collect();
        client
            .patch("/invoices/100", json!({"lines": lines}))
            .await
            .status
    };
    for _ in 0..5 {
        let (one, other) = tokio::join!(
            replace(office.clerk.clone(), "l"),
            replace(office.clerk.clone(), "r")
        );
        for status in [one, other] {
            assert!([200, 400, 409].contains(&status.as_u16()), "{status}");
        }
        assert!(one == 200 || other == 200, "{one} and {other}");
        let found = lines(&office.clerk, 100).await;
        assert_eq!(found.len(), 5, "{found:?}");
        let first = found[0].1.chars().next();
        assert!(
            found.iter().all(|(_, code)| code.chars().next() == first),
            "{found:?}"
        );
    }
}

/// NST-2: the keys of related objects are no read-only members that a strict request rejects.
#[tokio::test]
async fn strict_requests_name_related_objects_by_their_keys() {
    let office = office().await;
    let strict = office.clerk.with_header("prefer", "handling=strict");
    let kept = json!({"id": 1001, "quantity": 7, "code": "b"});
    let body = json!({"customer": "Ann", "isSent": false, "lines": [kept]});
    strict.put("/invoices/100", body).await.expect(200);
    assert_eq!(lines(&office.clerk, 100).await, [(7, "b".to_owned())]);
}
