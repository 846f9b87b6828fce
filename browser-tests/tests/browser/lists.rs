//! Lists: find, filter, sort and page.

use browser_tests::{Browser, Look, Scripts};

use crate::site::{ARTICLES, Person, Site};

/// Returns the titles of the rows in their order.
async fn titles(browser: &Browser) -> Vec<String> {
    let script = "
        const headings = [...document.querySelectorAll('thead th')].map(heading => heading.innerText.trim());
        const column = headings.findIndex(heading => heading.startsWith('Title'));
        return [...document.querySelectorAll('tbody tr')].map(row => row.children[column].innerText.trim());";
    let titles = browser.script(script, &[]).await;
    let titles = titles.as_array().unwrap().iter();
    titles.map(|title| title.as_str().unwrap().to_owned()).collect()
}

/// Finds, filters, sorts and pages articles.
async fn browse(browser: &Browser) {
    browser.open(ARTICLES).await;
    browser.step("list").await;

    browser.css("input[type=search]").await.fill("cedar").await;
    browser.button("Search").await.click().await;
    browser.wait_for_path("q=cedar").await;
    browser.step("found").await;
    let found = titles(browser).await;
    assert!(!found.is_empty() && found.len() < 50, "{found:?}");

    browser.open(ARTICLES).await;
    browser.button("Filter").await.click().await;
    browser.step("filter").await;
    browser.field("Rating from").await.fill("4").await;
    browser.button("Apply").await.click().await;
    browser.wait_for_path("rating").await;
    browser.wait_for_text("Rating").await;
    browser.step("filtered").await;
    let filtered = titles(browser).await;
    assert!(!filtered.is_empty() && filtered.len() < 30, "{filtered:?}");

    browser.link("Title").await.click().await;
    browser.wait_for_path("sort=title").await;
    let sorted = titles(browser).await;
    assert!(sorted.is_sorted(), "{sorted:?}");
    browser.step("sorted").await;
    browser.css("thead [aria-sort=ascending] a").await.click().await;
    browser.wait_for_path("sort=-title").await;
    let descending = titles(browser).await;
    assert!(descending.iter().rev().is_sorted(), "{descending:?}");

    browser.open(&format!("{ARTICLES}?pageSize=25&sort=title")).await;
    let first = titles(browser).await;
    assert_eq!(first.len(), 25);
    browser.link("Next").await.click().await;
    browser.wait_for_path("page=2").await;
    browser.step("second-page").await;
    let second = titles(browser).await;
    assert!(first.iter().all(|title| !second.contains(title)));
    browser.link("Previous").await.click().await;
    browser
        .wait_until("document.querySelector('.pager [aria-current=page]')?.innerText === '1'")
        .await;
    assert_eq!(titles(browser).await, first);
}

#[tokio::test]
async fn a_visitor_finds_filters_sorts_and_pages_articles() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "lists-visitor").await;
    browse(&browser).await;
    browser.open(&format!("{ARTICLES}?title=nothing")).await;
    browser.wait_for_text("Nothing matches these filters.").await;
    browser.step("nothing-found").await;
}

#[tokio::test]
async fn lists_are_read_without_javascript() {
    let site = Site::start().await;
    let browser = Browser::start_with(
        site.app.address,
        "lists-without-scripts",
        Look::Desktop,
        Scripts::Off,
    )
    .await;
    browser.open(ARTICLES).await;
    browser.css("input[type=search]").await.fill("cedar").await;
    browser.button("Search").await.click().await;
    browser.wait_for_path("q=cedar").await;
    browser.screenshot("found").await;
    assert!(browser.text().await.contains("cedar"));
    browser.open(&format!("{ARTICLES}?pageSize=25")).await;
    browser.link("Next").await.click().await;
    browser.wait_for_path("page=2").await;
    browser.screenshot("second-page").await;
}
