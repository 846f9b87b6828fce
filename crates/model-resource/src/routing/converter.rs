//! Converters of URL parameters: the text that a parameter accepts.

use uuid::Uuid;

/// Converter of a parameter. URLs that differ only in converters are tried in this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Converter {
    Any(Vec<String>),
    Int,
    Float,
    Uuid,
    Text,
    Path,
}

const KNOWN: &str = "int, float, uuid, string, path, any(a,b)";

impl Converter {
    /// Name of the converter, such as `int`.
    pub(crate) fn name(&self) -> String {
        match self {
            Converter::Any(choices) => format!("any({})", choices.join(",")),
            Converter::Int => "int".to_owned(),
            Converter::Float => "float".to_owned(),
            Converter::Uuid => "uuid".to_owned(),
            Converter::Text => "string".to_owned(),
            Converter::Path => "path".to_owned(),
        }
    }

    /// Parses the name of a converter, such as `int` or `any(a,b)`.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        match name {
            "int" => Ok(Converter::Int),
            "float" => Ok(Converter::Float),
            "uuid" => Ok(Converter::Uuid),
            "string" => Ok(Converter::Text),
            "path" => Ok(Converter::Path),
            _ => match name.strip_prefix("any(").and_then(|rest| rest.strip_suffix(')')) {
                Some(choices) => Ok(Converter::Any(
                    choices.split(',').map(|c| c.trim().to_owned()).collect(),
                )),
                None => Err(format!("unknown converter `{name}`: the converters are {KNOWN}")),
            },
        }
    }

    /// Whether the converter accepts this text.
    pub(crate) fn takes(&self, text: &str) -> bool {
        if text.is_empty() || text.contains('\0') {
            return false;
        }
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let plain = |text: &str| digits(text) && (text == "0" || !text.starts_with('0'));
        match self {
            Converter::Any(choices) => choices.iter().any(|choice| choice == text),
            Converter::Int => plain(text) && text.parse::<i64>().is_ok(),
            Converter::Float => text
                .split_once('.')
                .is_some_and(|(whole, part)| plain(whole) && digits(part)),
            Converter::Uuid => text.len() == 36 && Uuid::try_parse(text).is_ok(),
            Converter::Text | Converter::Path => true,
        }
    }
}
