//! Several rows at once: import, change and delete.

use browser_tests::Browser;
use serde_json::json;

use crate::site::{ARTICLES, Person, Site};

const TWO_BAD_LINES: &str = "title,body,rating\nHail,hard,4\n,empty title,3\nSleet,wet,many\nFog,grey,2\n";

#[tokio::test]
async fn a_csv_with_two_bad_lines_is_rejected_by_line_and_imported_when_corrected() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "import").await;
    let before = site.app.database().rows();
    browser.open(ARTICLES).await;
    browser.link("Import").await.click().await;
    browser
        .field("Or paste the contents")
        .await
        .fill(TWO_BAD_LINES)
        .await;
    browser.wait_for_text("CSV with 4 lines of data").await;
    browser.step("preview").await;
    browser.button("Import").await.click().await;
    browser
        .wait_for_text("Nothing was imported: 2 lines have errors.")
        .await;
    browser.expect_refusal(400);
    browser.step("errors").await;
    let lines = browser
        .script(
            "return [...document.querySelectorAll('[data-import-errors] tbody tr')].map(row => row.children[0].innerText)",
            &[],
        )
        .await;
    assert_eq!(lines, json!(["3", "4"]), "the numbers of the lines in the file");
    assert_eq!(site.app.database().rows(), before);

    let corrected = TWO_BAD_LINES
        .replace("\n,empty", "\nRime,empty")
        .replace("many", "1");
    browser
        .field("Or paste the contents")
        .await
        .fill(&corrected)
        .await;
    browser.button("Import").await.click().await;
    browser.wait_for_text("4 rows imported.").await;
    browser.step("imported").await;
    let found = site
        .object(&format!("{ARTICLES}?title[in]=Hail,Rime,Sleet,Fog"))
        .await;
    assert_eq!(found.as_array().map(Vec::len), Some(4));
}

#[tokio::test]
async fn an_admin_changes_and_deletes_several_rows() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "several").await;
    browser.open(&format!("{ARTICLES}?id[lte]=3")).await;
    for row in 1..=2 {
        browser
            .css(&format!("tbody tr:nth-child({row}) input[type=checkbox]"))
            .await
            .click()
            .await;
    }
    browser.wait_for_text("2 selected").await;
    browser.step("selected").await;
    browser.button("Change a field").await.click().await;
    browser.field("Field").await.send_keys("Rating").await;
    browser.css("dialog [name=rating]").await.fill("1.5").await;
    browser.step("change").await;
    browser.button("Continue").await.click().await;
    browser.wait_for_text("Rating is set to 1.5 in 2 rows: ").await;
    browser.step("change-confirmed").await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("2 rows changed.").await;
    browser.step("changed").await;
    let rows = site
        .object(&format!("{ARTICLES}?id[lte]=3&fields=rating&sort=id"))
        .await;
    assert_eq!(
        (&rows[0]["rating"], &rows[1]["rating"]),
        (&json!(1.5), &json!(1.5))
    );

    browser
        .css("tbody tr:nth-child(3) input[type=checkbox]")
        .await
        .click()
        .await;
    browser.css("[data-several] [data-delete]").await.click().await;
    browser.wait_for_text("This cannot be undone.").await;
    browser.step("delete").await;
    browser.css("dialog .danger").await.click().await;
    browser.wait_for_text("1 row deleted.").await;
    browser.step("deleted").await;
    site.admin.get(&format!("{ARTICLES}/3")).await.expect(404);
}

/// Selects all rows that match the filters, which are on several pages.
async fn select_all_matching(browser: &Browser, count: usize) {
    browser.css("[data-select-all]").await.click().await;
    browser.wait_for_text("25 selected").await;
    browser
        .button(&format!("Select all {count} that match"))
        .await
        .click()
        .await;
    browser
        .wait_for_text(&format!("Selected: all {count} that match"))
        .await;
}

#[tokio::test]
async fn an_admin_changes_and_deletes_all_rows_that_match() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "matching").await;
    let matching = format!("{ARTICLES}?categoryId=2");
    let before = site.object(&matching).await.as_array().unwrap().len();
    assert_eq!(before, 30);
    browser.open(&format!("{matching}&pageSize=25&sort=-title")).await;
    select_all_matching(&browser, before).await;
    browser.step("selected").await;
    browser.button("Change a field").await.click().await;
    browser.field("Field").await.send_keys("Rating").await;
    browser.css("dialog [name=rating]").await.fill("1.5").await;
    browser.button("Continue").await.click().await;
    browser.wait_for_text("Rating is set to 1.5 in 30 rows: ").await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("30 rows changed.").await;
    let changed = site.object(&format!("{ARTICLES}?rating=1.5&categoryId=2")).await;
    assert_eq!(changed.as_array().map(Vec::len), Some(before));

    select_all_matching(&browser, before).await;
    browser.css("[data-several] [data-delete]").await.click().await;
    browser.wait_for_text("Delete 30 rows?").await;
    browser.step("delete").await;
    browser.css("dialog .danger").await.click().await;
    browser.wait_for_text("30 rows deleted.").await;
    browser.wait_for_text("Nothing matches these filters.").await;
    let left = site.object(&format!("{ARTICLES}?pageSize=100")).await;
    assert_eq!(left.as_array().map(Vec::len), Some(30), "the others stay");
}

#[tokio::test]
async fn a_change_of_all_rows_that_match_stops_at_the_first_failure() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "matching-failure").await;
    browser.open(&format!("{ARTICLES}?pageSize=25")).await;
    select_all_matching(&browser, 60).await;
    // One of the last rows is deleted by somebody else, once the rows are found and the question is shown.
    browser.css("[data-several] [data-delete]").await.click().await;
    browser.wait_for_text("Delete 60 rows?").await;
    browser
        .script("document.querySelector('[data-several]').dataset.max = '20'", &[])
        .await;
    site.admin.delete(&format!("{ARTICLES}/30")).await.expect(204);
    browser.css("dialog .danger").await.click().await;
    browser
        .wait_for_text("Delete: 20 rows succeeded, 20 failed")
        .await;
    browser.wait_for_text("19 others were not changed either.").await;
    browser
        .wait_for_text("Stopped: 20 of 60 rows were not attempted.")
        .await;
    browser.expect_refusal(404);
    browser.step("stopped").await;
    let left = site.object(&format!("{ARTICLES}?pageSize=100")).await;
    assert_eq!(
        left.as_array().map(Vec::len),
        Some(39),
        "a request deletes all of its rows or none"
    );
}

/// PAGE-47
#[tokio::test]
async fn a_field_of_several_rows_is_emptied_only_by_an_explicit_choice() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "several-empty").await;
    let rows = format!("{ARTICLES}?id[lte]=2&fields=categoryId,published&sort=id");
    let before = site.object(&rows).await;
    let change = async |field: &str| {
        browser.open(&format!("{ARTICLES}?id[lte]=2")).await;
        browser.css("[data-select-all]").await.click().await;
        browser.button("Change a field").await.click().await;
        browser.field("Field").await.send_keys(field).await;
        browser.button("Continue").await.click().await;
    };
    change("Category").await;
    browser
        .wait_for_text("Enter a value, or choose to empty the field.")
        .await;
    browser.step("nothing-chosen").await;
    change("Published").await;
    browser.wait_for_text("Enter a value.").await;
    browser.step("neither-yes-nor-no").await;
    assert_eq!(site.object(&rows).await, before);

    change("Category").await;
    browser.field("Empty the field").await.click().await;
    browser.button("Continue").await.click().await;
    browser.wait_for_text("Category is emptied in 2 rows: ").await;
    browser.step("confirmed").await;
    assert_eq!(site.object(&rows).await, before);
    browser.button("Change").await.click().await;
    browser.wait_for_text("2 rows changed.").await;
    let after = site.object(&rows).await;
    let empty = json!({"categoryId": null, "published": true});
    assert_eq!(after, json!([empty, empty]));
}

/// PAGE-39
#[tokio::test]
async fn the_deletion_of_several_rows_is_confirmed_with_what_belongs_to_them() {
    let site = Site::start().await;
    let select_two = async |browser: &Browser| {
        browser.open(&format!("{ARTICLES}?id[lte]=3&sort=id")).await;
        for row in [1, 3] {
            let box_of_row = format!("tbody tr:nth-child({row}) input[type=checkbox]");
            browser.css(&box_of_row).await.click().await;
        }
        browser.button("Delete").await.click().await;
        browser.wait_for_text("Delete 2 rows?").await;
    };
    let admin = site.browser(Person::Admin, "forms-delete-several").await;
    select_two(&admin).await;
    admin.wait_for_text("Comments: 2 rows, deleted with them").await;
    admin.step("confirmation").await;
    let author = site.browser(Person::Author, "forms-delete-refused").await;
    select_two(&author).await;
    author
        .wait_for_text("You may not delete 1 of them, which stays as it is.")
        .await;
    author
        .wait_for_text("No related rows of the others that you can see.")
        .await;
    author.step("confirmation").await;
    author.button("Delete 1 row").await.click().await;
    author.wait_for_text("1 row deleted.").await;
    site.admin.get(&format!("{ARTICLES}/1")).await.expect(200);
    site.admin.get(&format!("{ARTICLES}/3")).await.expect(404);
}

/// PAGE-39
#[tokio::test]
async fn rows_that_the_policy_refuses_are_neither_changed_nor_deleted() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "several-refused").await;
    let before = site.app.database().rows();
    let select = async |filter: &str, button: &str| {
        browser.open(&format!("{ARTICLES}?{filter}")).await;
        browser.css("[data-select-all]").await.click().await;
        browser.button(button).await.click().await;
    };
    select("id[in]=1,2", "Delete").await;
    browser
        .wait_for_text("You may not delete these rows. You may")
        .await;
    browser.step("delete").await;
    let is_disabled = browser.css("dialog .danger").await.property("disabled").await;
    assert_eq!(is_disabled, true);
    select("id[in]=1,2", "Change a field").await;
    browser
        .wait_for_text("You may not change these rows. You may")
        .await;
    // On a phone the bar of the selected rows covers parts of a page with few rows.
    browser.screenshot("change").await;
    assert_eq!(site.app.database().rows(), before);

    select("id[in]=1,3", "Change a field").await;
    browser
        .wait_for_text("You may not change 1 of them, which stays as it is.")
        .await;
    browser.field("Field").await.send_keys("Rating").await;
    browser.css("dialog [name=rating]").await.fill("4.5").await;
    browser.button("Continue").await.click().await;
    browser.wait_for_text("Rating is set to 4.5 in 1 row: ").await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("1 row changed.").await;
    let rated = site.object(&format!("{ARTICLES}?rating=4.5&id[in]=1,3")).await;
    assert_eq!(rated.as_array().map(Vec::len), Some(1));
}
