//! Screens and color schemes.

use serde_json::{Value, json};

/// A screen and a color scheme in which pages are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// 1200 pixels, light.
    Desktop,
    /// 380 pixels with touch, light.
    Phone,
    /// 1200 pixels, dark.
    Dark,
    /// 380 pixels with touch, dark.
    DarkPhone,
}

impl Look {
    /// Every look that a step is checked in, ending with the one that scenarios use.
    pub(crate) const CHECKED: [Self; 3] = [Self::Phone, Self::Dark, Self::Desktop];

    /// Returns the width of the screen in pixels.
    pub(crate) fn width(self) -> u64 {
        match self {
            Self::Desktop | Self::Dark => 1200,
            Self::Phone | Self::DarkPhone => 380,
        }
    }

    /// Returns the end of a screenshot's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Phone => "phone",
            Self::Dark => "dark",
            Self::DarkPhone => "dark-phone",
        }
    }

    /// Returns the parameters of `Emulation.setDeviceMetricsOverride`.
    pub(crate) fn metrics(self) -> Value {
        let mobile = self.width() < 500;
        json!({"width": self.width(), "height": 800, "deviceScaleFactor": 1, "mobile": mobile})
    }

    /// Returns the parameters of `Emulation.setEmulatedMedia`.
    pub(crate) fn media(self) -> Value {
        let scheme = match self {
            Self::Desktop | Self::Phone => "light",
            Self::Dark | Self::DarkPhone => "dark",
        };
        json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]})
    }
}
