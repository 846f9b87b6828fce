from django.urls import include, path
from rest_framework.routers import SimpleRouter

from blog import views

router = SimpleRouter(trailing_slash=False)
router.register("users", views.UserViewSet)
router.register("categories", views.CategoryViewSet)
router.register("series", views.SeriesViewSet)
router.register("tags", views.TagViewSet)
router.register("articles", views.ArticleViewSet)

COLLECTION = {"get": "list", "post": "create"}
ITEM = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}
articles = views.ArticleViewSet.as_view(COLLECTION)
article_tags = views.ArticleTagViewSet.as_view(COLLECTION)

urlpatterns = [
    path("", include(router.urls)),
    path("categories/<slug:category_slug>/articles", articles),
    path("series/<slug:series_slug>/articles", articles),
    path("users/<str:username>/articles", articles),
    path("users/<str:username>/articles/<slug:slug>", views.ArticleViewSet.as_view(ITEM)),
    path("articles/<slug:article_slug>/tags", article_tags),
    path("users/<str:username>/articles/<slug:article_slug>/tags", article_tags),
]
