//! Hostile texts in every field, name, URL and header that reaches a page: shown as text.

use browser_tests::Browser;
use serde_json::{Value, json};

use crate::site::{ARTICLES, Person, Site};

/// Markup, attribute breakers, URLs with scripts, templates and bidirectional text. Each would set `window.owned`.
const HOSTILE: [&str; 9] = [
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "\"><svg onload=window.owned=1>",
    "' autofocus onfocus=window.owned=1 x='",
    "javascript:window.owned=1",
    "</textarea></title></style><script>window.owned=1</script>",
    "{{ 7*7 }}${7*7}<%= 7*7 %>",
    "<!--><a href=javascript:window.owned=1>x</a>",
    "abc\u{202e}gnp.exe\u{2066}x\u{2069}",
];

/// Checks that no text became markup, and that nothing was run.
async fn assert_harmless(browser: &Browser, place: &str) {
    let found = browser
        .script(
            "
        const names = element => [...element.attributes].map(attribute => attribute.name);
        const bad = [...document.querySelectorAll('*')].filter(element =>
            names(element).some(name => name.startsWith('on'))
            || ['href', 'src', 'action', 'formaction'].some(name =>
                /^\\s*javascript:/i.test(element.getAttribute(name) || ''))
            || (element.tagName === 'SCRIPT' && !element.src)
            || ['IFRAME', 'OBJECT', 'EMBED', 'STYLE', 'SVG'].includes(element.tagName.toUpperCase())
            || (element.tagName === 'IMG' && element.getAttribute('src') === 'x'));
        return [window.owned === undefined, bad.map(element => element.outerHTML.slice(0, 200))];",
            &[],
        )
        .await;
    assert_eq!(found, json!([true, []]), "at {place}");
    assert_eq!(
        browser.console_problems().await,
        Vec::<String>::new(),
        "at {place}"
    );
}

/// Fills every text of the models with each hostile text, and returns the keys of the articles.
async fn hostile_site() -> (Site, Vec<Value>) {
    let site = Site::start().await;
    let mut keys = Vec::new();
    for text in HOSTILE {
        let category = site.create("/api/v1/categories", json!({ "name": text })).await;
        let tag: String = text.chars().take(50).collect();
        site.create("/api/v1/tags", json!({"tag": {"name": tag}})).await;
        let article = json!({"title": text, "body": text, "summary": text, "published": true,
            "categoryId": category["id"]});
        let article = site.create(ARTICLES, article).await;
        let comment = json!({"name": text, "body": text});
        let comments = format!("{ARTICLES}/{}/comments", article["id"]);
        site.create(&comments, comment).await;
        keys.push(article["id"].clone());
    }
    (site, keys)
}

#[tokio::test]
async fn hostile_texts_in_fields_are_shown_as_text() {
    let (site, keys) = hostile_site().await;
    let browser = site.browser(Person::Admin, "hostile-fields").await;
    browser
        .open(&format!("{ARTICLES}?sort=-id&fields=id,title,body,summary"))
        .await;
    let shown = browser.text().await;
    assert!(shown.contains("<script>window.owned=1</script>"), "{shown}");
    assert_harmless(&browser, "list").await;
    browser.step("list").await;
    for (key, text) in keys.iter().zip(HOSTILE) {
        for view in ["", "?_view=edit", "?_view=delete"] {
            let place = format!("{ARTICLES}/{key}{view}");
            browser.open(&place).await;
            assert_harmless(&browser, &place).await;
            let has_text = "
                // Controls of bidirectional text are shown by their names.
                const controls = /[\\u202a-\\u202e\\u2066-\\u2069]|U\\+20(2[A-E]|6[6-9])/g;
                const inputs = [...document.querySelectorAll('input, textarea')].map(input => input.value);
                const shown = [document.body.innerText, ...inputs].join('\\n').replace(controls, '');
                return shown.includes(arguments[0].replace(controls, ''));";
            assert_eq!(
                browser.script(has_text, &[json!(text)]).await,
                true,
                "{text:?} at {place}"
            );
        }
    }
    for place in ["/api/v1/tags", "/api/v1/categories", "/api/v1/"] {
        browser.open(place).await;
        assert_harmless(&browser, place).await;
    }
    browser.open(&format!("{ARTICLES}/{}", keys[8])).await;
    browser.step("bidirectional").await;
}

#[tokio::test]
async fn hostile_urls_and_headers_are_shown_as_text() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "hostile-urls").await;
    browser
        .send_headers(json!({"x-request-id": "\"><img src=x onerror=window.owned=1>"}))
        .await;
    let encode = "return encodeURIComponent(arguments[0])";
    for text in HOSTILE {
        let encoded = browser.script(encode, &[json!(text)]).await;
        let encoded = encoded.as_str().unwrap();
        // The answers of these are pages with errors, whose status Chromium prints.
        for place in [
            format!("{ARTICLES}?q={encoded}"),
            format!("{ARTICLES}?title={encoded}"),
            format!("{ARTICLES}?title[in]={encoded}"),
            format!("{ARTICLES}?{encoded}={encoded}"),
            format!("{ARTICLES}?sort={encoded}"),
            format!("{ARTICLES}?fields={encoded}"),
            format!("{ARTICLES}?_view={encoded}"),
            format!("{ARTICLES}?_view=new&title={encoded}"),
            format!("{ARTICLES}/{encoded}"),
            format!("{ARTICLES}/1?_next={encoded}"),
            format!("/api/v1/auth/login?_next={encoded}"),
            format!("/api/v1/{encoded}"),
        ] {
            browser.open(&place).await;
            let problems = browser.console_problems().await;
            let refused = |problem: &String| problem.contains("Failed to load resource");
            assert!(problems.iter().all(refused), "{problems:?} at {place}");
            assert_harmless(&browser, &place).await;
        }
    }
    browser
        .open(&format!(
            "/api/v1/auth/login?_next={}",
            "javascript:window.owned=1"
        ))
        .await;
    browser.step("login").await;
}
