//! Migrations.

use test_support::TestDatabase;

/// MIG-8: the migrations lead to the models on both databases.
#[test]
fn the_migrations_lead_to_the_models() {
    backend::app::manage().check_migrations().unwrap();
}

/// MIG-7: a database that the program migrated by refinery keeps its history, its rows and its old table.
#[tokio::test]
async fn a_database_that_refinery_migrated_goes_on() {
    let database = TestDatabase::create();
    backend::app::APPLICATION
        .open(&database.url())
        .await
        .unwrap()
        .close()
        .await;
    database.execute("INSERT INTO tags (name) VALUES ('kept')");
    // The checksums that the last version with refinery wrote for V1 to V4.
    let checksums = if database.is_postgres() {
        [
            "5264175203584707429",
            "8913328212601937334",
            "14101042351043400665",
            "16909396529946801555",
        ]
    } else {
        [
            "12601606795095167241",
            "17673386477903760446",
            "11619085643165738506",
            "2662799898222961838",
        ]
    };
    let names = ["models", "list_indices", "credentials", "login_tokens"];
    database.execute(
        "CREATE TABLE refinery_schema_history (version INT PRIMARY KEY, name VARCHAR(255), \
         applied_on VARCHAR(255), checksum VARCHAR(255))",
    );
    for ((version, name), checksum) in (1..).zip(names).zip(checksums) {
        database.execute(&format!(
            "INSERT INTO refinery_schema_history VALUES ({version}, '{name}', '2026-11-18T07:11:56Z', '{checksum}')"
        ));
    }
    database.execute("DROP TABLE model_resource_migrations");
    // V5 runs again, which it can.
    backend::app::APPLICATION
        .open(&database.url())
        .await
        .unwrap()
        .close()
        .await;
    let adopted: usize = database.value("SELECT count(*) FROM model_resource_migrations WHERE version <= 4");
    assert_eq!(adopted, 4);
    let kept: usize = database.value("SELECT count(*) FROM tags");
    assert_eq!(kept, 1);
    let old: usize = database.value("SELECT count(*) FROM refinery_schema_history");
    assert_eq!(old, 4);
}
