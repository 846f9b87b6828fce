//! The error type of handlers.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

pub(super) enum HandlerError {
    NotFound,
    Invalid,
    Database(sqlx::Error),
}

impl From<sqlx::Error> for HandlerError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::RowNotFound => Self::NotFound,
            error => Self::Database(error),
        }
    }
}

impl IntoResponse for HandlerError {
    fn into_response(self) -> Response {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND.into_response(),
            Self::Invalid => StatusCode::BAD_REQUEST.into_response(),
            Self::Database(error) => {
                eprintln!("{error}");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
