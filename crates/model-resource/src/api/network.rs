//! Proxies and origins of an api.

use std::fmt::Display;

use crate::api::builder::Api;
use crate::http::{Cors, ForwardedHeader, IpNetwork};

impl Api {
    /// Sets the trusted proxies, by addresses and networks; see
    /// [`Context::client_address`](crate::Context::client_address). Any client that can connect from one of them can
    /// forge its address.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").trusted_proxies(["10.0.0.0/8", "fd00::7"]);
    /// ```
    pub fn trusted_proxies(
        mut self,
        proxies: impl IntoIterator<Item: TryInto<IpNetwork, Error: Display>>,
    ) -> Self {
        for proxy in proxies {
            match proxy.try_into() {
                Ok(network) => self.proxies.trusted.push(network),
                Err(mistake) => self.mistakes.push(format!("trusted_proxies: {mistake}")),
            }
        }
        self
    }

    /// Sets the header that the trusted proxies write; `X-Forwarded-For` by default.
    pub fn forwarded_header(mut self, header: ForwardedHeader) -> Self {
        self.proxies.header = header;
        self
    }

    /// Allows pages of other origins to use the api. Without it browsers keep them from reading its responses.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.mistakes.extend(cors.mistakes().map(str::to_owned));
        self.cors = Some(cors);
        self
    }
}
