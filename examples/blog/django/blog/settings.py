import os

import dj_database_url

SECRET_KEY = os.environ.get("SECRET_KEY", "only for development")
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "blog.urls"
INSTALLED_APPS = ["django_filters", "rest_framework", "blog"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": dj_database_url.config(default="sqlite:///blog.sqlite3") | {"ATOMIC_REQUESTS": True}}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["blog.authentication.UserHeaderAuthentication"],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_FILTER_BACKENDS": [
        "django_filters.rest_framework.DjangoFilterBackend",
        "rest_framework.filters.OrderingFilter",
    ],
    "DEFAULT_RENDERER_CLASSES": ["djangorestframework_camel_case.render.CamelCaseJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["djangorestframework_camel_case.parser.CamelCaseJSONParser"],
}
