//! Proxies and origins of an api.

use std::fmt::Display;

use crate::api::builder::Api;
use crate::http::{Cors, CorsPolicy, ForwardedHeader, IpNetwork};

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
        self.responses.cors = Some(CorsPolicy::new(cors));
        self
    }

    /// Sets whether responses are compressed for clients that accept it, with Zstandard, Brotli or gzip; they are by default.
    /// Turn it off if a proxy in front of the api compresses.
    ///
    /// Responses below 1 KiB are not compressed, nor are pages, responses that set cookies, and those whose handlers
    /// send `Cache-Control` with `no-store` or `no-transform`. Request bodies may be compressed in any case.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").compression(false);
    /// ```
    #[cfg(feature = "compression")]
    pub fn compression(mut self, compress: bool) -> Self {
        self.responses.compression = compress;
        self
    }
}
