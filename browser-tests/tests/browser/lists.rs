//! Lists: find, filter, sort and page.

use browser_tests::{Browser, Look, Scripts};
use serde_json::json;

use crate::site::{ARTICLES, Person, Site};

/// The key Enter, as WebDriver names it.
const ENTER: &str = "\u{e007}";

/// Returns the titles of the rows in their order. An empty list has no table.
async fn titles(browser: &Browser) -> Vec<String> {
    let script = "
        const headings = [...document.querySelectorAll('thead th')];
        const column = headings.find(heading => heading.innerText.trim().startsWith('Title'))?.cellIndex;
        return [...document.querySelectorAll('tbody tr')].map(row => row.children[column].innerText.trim());";
    let titles = browser.script(script, &[]).await;
    let titles = titles.as_array().unwrap().iter();
    titles.map(|title| title.as_str().unwrap().to_owned()).collect()
}

/// Filters by the form for drafts, and returns the numbers at the end of their titles.
async fn drafts(browser: &Browser) -> Vec<String> {
    browser.open(&format!("{ARTICLES}?sort=id")).await;
    browser.button("Filter").await.click().await;
    browser.field("Published").await.send_keys("no").await;
    browser.button("Apply").await.click().await;
    browser.wait_for_path("published").await;
    browser.wait_for_text("Published").await;
    browser.step("drafts").await;
    let titles = titles(browser).await;
    let number = |title: &String| title.rsplit(' ').next().unwrap_or_default().to_owned();
    titles.iter().map(number).collect()
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

    browser.css("thead a[href*='sort=title']").await.click().await;
    browser.wait_for_path("sort=title").await;
    let sorted = titles(browser).await;
    assert!(sorted.is_sorted(), "{sorted:?}");
    browser.step("sorted").await;
    browser.css("thead [aria-sort=ascending] a").await.click().await;
    browser.wait_for_path("sort=-title").await;
    let descending = titles(browser).await;
    assert!(descending.iter().rev().is_sorted(), "{descending:?}");

    browser.open(&format!("{ARTICLES}?pageSize=25&sort=title")).await;
    browser
        .wait_until("document.querySelectorAll('tbody tr').length == 25")
        .await;
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
    assert_eq!(drafts(&browser).await, Vec::<String>::new());
    browser.open(&format!("{ARTICLES}?title=nothing")).await;
    browser.wait_for_text("Nothing matches these filters.").await;
    browser.step("nothing-found").await;
}

#[tokio::test]
async fn an_author_finds_filters_sorts_and_pages_articles_with_own_drafts() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "lists-author").await;
    browse(&browser).await;
    assert_eq!(drafts(&browser).await, ["30", "60"]);
}

#[tokio::test]
async fn an_admin_finds_filters_sorts_and_pages_articles_with_all_drafts() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "lists-admin").await;
    browse(&browser).await;
    assert_eq!(drafts(&browser).await, ["10", "20", "30", "40", "50", "60"]);
}

#[tokio::test]
async fn a_list_is_filtered_by_one_click_with_a_pointer_and_a_keyboard() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "lists-quick").await;
    browser.open(ARTICLES).await;
    browser.link("Gardens").await.click().await;
    browser.wait_for_path("categoryId=2").await;
    browser
        .css(".quick a[href*='published=false']")
        .await
        .send_keys(ENTER)
        .await;
    browser.wait_for_path("published=false").await;
    browser.step("quick").await;
    let current =
        "return [...document.querySelectorAll('.quick [aria-current]')].map(link => link.innerText)";
    let current = browser.script(current, &[]).await;
    assert_eq!(current[0], "No", "{current}");
    assert_eq!(current[1], "Gardens", "{current}");
    browser.set_look(Look::Phone).await;
    browser.open(ARTICLES).await;
    let widths = "return [...document.querySelectorAll('.rows td.number')].map(cell => cell.clientWidth)";
    let widths = browser.script(widths, &[]).await;
    let widths = widths.as_array().expect("a list of widths");
    assert!(
        !widths.is_empty() && widths.iter().all(|width| width.as_u64() > Some(200)),
        "{widths:?}"
    );
    let is_open = "return document.querySelector('.quick .groups').checkVisibility()";
    assert_eq!(browser.script(is_open, &[]).await, false);
    browser.button("Quick filters").await.click().await;
    browser
        .wait_until("document.querySelector('.quick .groups').checkVisibility()")
        .await;
    browser.step("quick-on-a-phone").await;
}

#[tokio::test]
async fn a_list_is_sorted_by_several_columns_with_a_menu() {
    let site = Site::start().await;
    let browser = site
        .browser_with(Person::Visitor, "lists-sort", Look::Phone)
        .await;
    browser.open(ARTICLES).await;
    for (column, sort) in [
        ("Category", "sort=category.name"),
        ("Rating", "sort=category.name,rating"),
    ] {
        browser.button("Sort").await.click().await;
        browser.link(column).await.click().await;
        browser.wait_for_path(sort).await;
    }
    browser.button("Sort").await.click().await;
    browser.screenshot("menu").await;
    // On a desktop the open menu covers parts of the headings.
    assert_eq!(browser.look_problems(Look::Phone).await, Vec::<String>::new());
    browser.css(".sort ol li:nth-child(2) a").await.click().await;
    browser.wait_for_path("sort=category.name,-rating").await;
    browser.set_look(Look::Desktop).await;
    browser.step("sorted").await;
}

/// PAGE-31
#[tokio::test]
async fn a_heading_with_shift_adds_its_column_to_the_order() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "lists-sort-shift").await;
    browser.open(&format!("{ARTICLES}?q=a+long&sort=-title")).await;
    let click = "
        const heading = [...document.querySelectorAll('thead a')].find((link) => link.textContent.startsWith(arguments[0]));
        heading.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true, cancelable: true }));";
    browser.script(click, &[json!("Rating")]).await;
    browser.wait_for_path("sort=-title,rating").await;
    browser.step("sorted").await;
    assert_eq!(
        browser.css("input[type=search]").await.property("value").await,
        "a long"
    );
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
    // The driver takes the contents of closed details for invisible, but the stylesheet shows them.
    let visible = "const link = document.querySelector('.quick a[href*=\"categoryId=2\"]'); link.click(); return link.checkVisibility()";
    assert_eq!(browser.script(visible, &[]).await, true);
    browser.wait_for_path("categoryId=2").await;
    assert!(!browser.path().await.contains("page=2"));
}

#[tokio::test]
async fn long_titles_fit_the_window_and_stay_on_one_line_above_a_page() {
    let site = Site::start().await;
    let title = "Unbreakable".repeat(18);
    let article = json!({"title": title, "body": "short", "published": true});
    let article = site.create(ARTICLES, article).await;
    let browser = site.browser_with(Person::Admin, "lists-long", Look::Phone).await;
    let object = format!("{ARTICLES}/{}", article["id"]);
    let comments = format!("{object}/comments");
    for path in [&object, &format!("{object}?_view=edit"), &comments] {
        browser.open(path).await;
        browser.step("object").await;
        let crumbs = "return document.querySelector('.crumbs').getBoundingClientRect().height";
        let height = browser.script(crumbs, &[]).await;
        assert!(height.as_f64().unwrap() < 40.0, "{path}: {height}");
    }
    browser.open(&format!("{ARTICLES}?title={title}")).await;
    for menu in ["Sort", "Columns"] {
        browser.button(menu).await.click().await;
        browser.step("list").await;
    }
}
