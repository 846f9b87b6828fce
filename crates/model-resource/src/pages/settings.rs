//! Settings of the pages of an api, and what is compiled from them at startup.

use std::collections::HashMap;
use std::thread::available_parallelism;

use bytes::Bytes;
use hmac_sha256::Hash;
use http::Method;
use tokio::sync::Semaphore;

use crate::pages::options::ResourcePage;
use crate::pages::templates::Templates;

/// Script of the pages, as one file: requests, and what uses them. The block keeps its names from other scripts.
const SCRIPT: &str = concat!(
    "{\n",
    include_str!("assets/requests.js"),
    include_str!("assets/pages.js"),
    "}\n"
);

/// Settings of an api's HTML pages; see `Api::pages`.
///
/// ```
/// use model_resource::Pages;
///
/// let pages = Pages::new().title("Library").login("/auth/login").logout("/auth/logout").diagnostics_role("admin");
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Pages {
    title: Option<String>,
    stylesheet: String,
    templates: Vec<(String, String)>,
    login: Option<String>,
    logout: Option<String>,
    account: Option<String>,
    password: Option<String>,
    diagnostics: Option<String>,
    page_size: Option<u64>,
}

impl Pages {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title of the application, which is the name of the api by default.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds CSS after that of the pages, such as other values of its variables: `:root { --accent: #7a1f5c }`.
    pub fn stylesheet(mut self, css: &str) -> Self {
        self.stylesheet.push_str(css);
        self.stylesheet.push('\n');
        self
    }

    /// Replaces the template of this name, such as `list.html`.
    pub fn template(mut self, name: impl Into<String>, source: impl Into<String>) -> Self {
        self.templates.push((name.into(), source.into()));
        self
    }

    /// Sets the view that logs in by POST, by default that of the account routes. The pages make its form from the request
    /// schema of the view.
    pub fn login(mut self, url: impl Into<String>) -> Self {
        self.login = Some(url.into());
        self
    }

    /// Sets the view that logs out by POST, by default that of the account routes.
    pub fn logout(mut self, url: impl Into<String>) -> Self {
        self.logout = Some(url.into());
        self
    }

    /// Sets the URL of an account, such as `/users/<int:id>`. The name of the caller links to their own.
    pub fn account(mut self, url: impl Into<String>) -> Self {
        self.account = Some(url.into());
        self
    }

    /// Sets the view that changes the caller's password by POST, by default that of the account routes. The page of their
    /// account links to it.
    pub fn password(mut self, url: impl Into<String>) -> Self {
        self.password = Some(url.into());
        self
    }

    /// Sets the role that sees the SQL of lists, missing indexes, the latest errors and slow requests. Without it
    /// nobody sees them.
    pub fn diagnostics_role(mut self, role: impl Into<String>) -> Self {
        self.diagnostics = Some(role.into());
        self
    }

    /// Sets the number of rows on a page of a list that has no `PAGE_SIZE`; 50 by default.
    pub fn page_size(mut self, rows: u64) -> Self {
        self.page_size = Some(rows);
        self
    }
}

/// Static file of the pages.
#[derive(Debug, Clone)]
pub(crate) struct Asset {
    /// Path below the prefix of the api. It contains a hash of the file, so that the file may be cached forever.
    pub(crate) path: String,
    /// Media type.
    pub(crate) media_type: &'static str,
    /// Bytes of the file.
    pub(crate) body: Bytes,
}

/// Settings, templates and static files of the pages, compiled at startup.
pub(crate) struct CompiledPages {
    /// Stylesheet and script.
    pub(crate) assets: Vec<Asset>,
    /// Role that sees diagnostics.
    pub(crate) diagnostics: Option<String>,
    /// Rows on a page of a list without a page size of its own.
    pub(crate) page_size: u64,
    /// Turns of large pages: half of the processors, so that other requests keep the rest.
    pub(crate) large_pages: Semaphore,
    /// Options of resources, by their endpoints.
    pub(super) resources: HashMap<&'static str, ResourcePage>,
    pub(super) templates: Templates,
    pub(super) title: String,
    pub(super) login: Option<String>,
    pub(super) logout: Option<String>,
    pub(super) account: Option<String>,
    pub(super) password: Option<String>,
    /// Path of the stylesheet below the prefix.
    pub(super) stylesheet: String,
    /// Path of the script below the prefix.
    pub(super) script: String,
}

impl CompiledPages {
    /// Default number of rows on a page.
    const PAGE_SIZE: u64 = 50;

    /// Sets the options of the resources, by their endpoints.
    pub(crate) fn with_resources(mut self, resources: HashMap<&'static str, ResourcePage>) -> Self {
        self.resources = resources;
        self
    }

    /// Sets the views of accounts that the application does not name.
    pub(crate) fn with_account_views(mut self, views: Pages) -> Self {
        self.login = self.login.or(views.login);
        self.logout = self.logout.or(views.logout);
        self.account = self.account.or(views.account);
        self.password = self.password.or(views.password);
        self
    }

    /// Settings that name a view, and its URL.
    pub(crate) fn views(&self) -> [(&'static str, Method, Option<&str>); 4] {
        [
            ("login", Method::POST, self.login.as_deref()),
            ("logout", Method::POST, self.logout.as_deref()),
            ("password", Method::POST, self.password.as_deref()),
            ("account", Method::GET, self.account.as_deref()),
        ]
    }

    /// Compiles the settings of the api with this name. Fails with the mistakes of replaced templates.
    pub(crate) fn compile(settings: Pages, name: &str) -> Result<Self, Vec<String>> {
        let css = format!("{}\n{}", include_str!("assets/pages.css"), settings.stylesheet);
        let stylesheet = Asset::new("css", "text/css; charset=utf-8", css.into());
        let script = Asset::new("js", "text/javascript; charset=utf-8", SCRIPT.into());
        Ok(Self {
            diagnostics: settings.diagnostics,
            page_size: settings.page_size.unwrap_or(Self::PAGE_SIZE),
            large_pages: Semaphore::new(available_parallelism().map_or(1, |count| count.get().div_ceil(2))),
            resources: HashMap::default(),
            templates: Templates::compile(settings.templates)?,
            title: settings.title.unwrap_or_else(|| name.to_owned()),
            login: settings.login,
            logout: settings.logout,
            account: settings.account,
            password: settings.password,
            stylesheet: stylesheet.path.clone(),
            script: script.path.clone(),
            assets: vec![stylesheet, script],
        })
    }
}

impl Asset {
    fn new(extension: &str, media_type: &'static str, body: Bytes) -> Self {
        let hash: String = Hash::hash(&body)[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            path: format!("/_pages/{hash}.{extension}"),
            media_type,
            body,
        }
    }
}
