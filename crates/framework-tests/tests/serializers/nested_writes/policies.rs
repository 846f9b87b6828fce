//! Policies of the related model.

use serde_json::{Value, json};

use super::{line, lines, office};

/// NST-5: the policies of the related model apply to each object, and a denied one undoes everything.
#[tokio::test]
async fn policies_of_the_related_model_apply() {
    let office = office().await;
    let before = office.app.database().rows();
    let body = |lines: Value| json!({"customer": "Dan", "lines": lines});
    office
        .app
        .post("/invoices", body(json!([line(1, "x")])))
        .await
        .expect(401);
    office
        .clerk
        .post("/invoices", body(json!([line(1, "x"), line(11, "y")])))
        .await
        .expect(403);
    office
        .clerk
        .patch("/invoices/100", json!({"lines": {"add": [line(11, "y")]}}))
        .await
        .expect(403);
    let changes = json!({"update": [{"id": 1000, "quantity": 11}]});
    office
        .clerk
        .patch("/invoices/100", json!({"lines": changes}))
        .await
        .expect(403);
    // A locked line can be neither changed nor removed.
    office
        .clerk
        .patch("/invoices/102", json!({"lines": {"remove": [1003]}}))
        .await
        .expect(403);
    office
        .clerk
        .patch(
            "/invoices/102",
            json!({"lines": {"update": [{"id": 1003, "quantity": 2}]}}),
        )
        .await
        .expect(403);
    office
        .clerk
        .patch("/invoices/102", json!({"lines": {"update": [{"id": 1003}]}}))
        .await
        .expect(403);
    office
        .clerk
        .patch("/invoices/102", json!({"lines": []}))
        .await
        .expect(403);
    // An invoice that was sent is closed, and so are its lines below it.
    office
        .clerk
        .patch("/invoices/101", json!({"lines": []}))
        .await
        .expect(403);
    office
        .clerk
        .patch("/invoices/101", json!({"lines": {"add": [line(1, "x")]}}))
        .await
        .expect(403);
    // Presets cannot be chosen, and references to invisible rows are missing.
    let mut foreign = line(1, "x");
    foreign["enteredBy"] = json!(9);
    office
        .clerk
        .post("/invoices", body(json!([foreign])))
        .await
        .expect(400);
    let mut secret = line(1, "x");
    secret["productId"] = json!(2);
    let errors = office
        .clerk
        .post("/invoices", body(json!([line(1, "w"), secret])))
        .await
        .expect(400)
        .json();
    assert!(errors["errors"]["lines"]["1"]["productId"].is_array(), "{errors}");
    assert_eq!(office.app.database().rows(), before);
    office
        .manager
        .post("/invoices", body(json!([line(11, "y")])))
        .await
        .expect(201);
}

/// NST-5: rows that the caller cannot see, and rows of other parents, are missing. A replacement leaves them alone.
#[tokio::test]
async fn related_rows_of_others_are_missing() {
    let office = office().await;
    let before = office.app.database().rows();
    let change = |change: Value| json!({"lines": change});
    for (client, foreign) in [(&office.clerk, 1002), (&office.clerk, 9999), (&office.temp, 1003)] {
        let update = json!({"update": [{"id": foreign, "quantity": 2}]});
        client.patch("/invoices/102", change(update)).await.expect(400);
        client
            .patch("/invoices/102", change(json!({"remove": [foreign]})))
            .await
            .expect(400);
        let listed = json!([{"id": foreign, "quantity": 2, "code": "z"}]);
        client.patch("/invoices/102", change(listed)).await.expect(400);
    }
    // The foreign key in an object does not move it.
    let moved = json!({"update": [{"id": 1004, "invoiceId": 100}]});
    office
        .clerk
        .patch("/invoices/102", change(moved))
        .await
        .expect(400);
    assert_eq!(office.app.database().rows(), before);
    office
        .temp
        .patch("/invoices/102", change(json!([line(2, "own")])))
        .await
        .expect(200);
    let left = [(1, "d".to_owned()), (2, "own".to_owned())];
    assert_eq!(lines(&office.clerk, 102).await, left);
}
