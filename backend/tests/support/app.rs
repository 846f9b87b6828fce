//! The reference application in this process on a temporary database.

use std::ops::Deref;

use backend::app::Settings;
use model_resource::Server;
use test_support::{TestApp, TestDatabase};

use crate::support::accounts::admin_token;

/// The running reference application, whose client is an admin.
pub(crate) struct BackendApp(pub(crate) TestApp);

impl BackendApp {
    /// Starts the application.
    pub(crate) async fn start() -> Self {
        Self::start_on(Server::default()).await
    }

    /// Starts the application with custom server limits.
    pub(crate) async fn start_on(server: Server) -> Self {
        Self::start_with(server, Settings::unlimited()).await
    }

    /// Starts the application with these settings.
    pub(crate) async fn start_with(server: Server, settings: Settings) -> Self {
        let database = TestDatabase::create();
        let store = backend::app::APPLICATION.open(&database.url()).await.unwrap();
        let token = admin_token(&store).await;
        let app = backend::app::APPLICATION.service(store.clone(), &settings);
        let mut app = TestApp::serve(database, store, app, server).await;
        app.client = app.anonymous.with_token(&token);
        Self(app)
    }
}

impl Deref for BackendApp {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.0
    }
}
