import os

import dj_database_url

SECRET_KEY = os.environ.get("SECRET_KEY", "only for development")
DESK_KEY = os.environ["DESK_KEY"]
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "library.urls"
INSTALLED_APPS = ["django_filters", "rest_framework", "library"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": dj_database_url.config(default="sqlite:///library.sqlite3") | {"ATOMIC_REQUESTS": True}}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["library.authentication.CardAuthentication"],
    "UNAUTHENTICATED_USER": "library.authentication.Caller",
    "DEFAULT_PERMISSION_CLASSES": ["library.permissions.DeskOrReadOnly"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_RENDERER_CLASSES": ["djangorestframework_camel_case.render.CamelCaseJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["djangorestframework_camel_case.parser.CamelCaseJSONParser"],
}
