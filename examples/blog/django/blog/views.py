from django.db.models import Count, Prefetch
from django.shortcuts import get_object_or_404
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.mixins import CreateModelMixin, ListModelMixin
from rest_framework.viewsets import GenericViewSet, ModelViewSet

from blog.models import Article, Category, Series, Tag, User
from blog.permissions import AuthorOrReadOnly, RegisterOrSelf
from blog.serializers import (
    ArticleSerializer,
    ArticleTagSerializer,
    CategorySerializer,
    SeriesSerializer,
    TagSerializer,
    UserSerializer,
)


class UserViewSet(ModelViewSet):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    permission_classes = [RegisterOrSelf]
    lookup_field = "username"
    lookup_value_regex = "[^/]+"


class CategoryViewSet(ModelViewSet):
    queryset = Category.objects.order_by("id")
    serializer_class = CategorySerializer
    lookup_field = "slug"


class SeriesViewSet(ModelViewSet):
    queryset = Series.objects.order_by("id")
    serializer_class = SeriesSerializer
    lookup_field = "slug"

    def get_queryset(self):
        articles = Article.objects.visible_to(self.request.user).order_by("part")
        return super().get_queryset().prefetch_related(Prefetch("articles", articles, to_attr="visible_articles"))


class TagViewSet(ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    lookup_field = "name"

    def get_queryset(self):
        articles = Article.objects.visible_to(self.request.user).order_by("id")
        return super().get_queryset().prefetch_related(Prefetch("articles", articles, to_attr="visible_articles"))


class ArticleViewSet(ModelViewSet):
    queryset = Article.objects.prefetch_related("tags").order_by("id")
    serializer_class = ArticleSerializer
    permission_classes = [AuthorOrReadOnly]
    lookup_field = "slug"
    filterset_fields = {"tags__name": ["exact"], "body": ["exact", "contains"]}
    ordering_fields = ["id", "title", "tag_count"]

    # The parent in the URL, by the name of the foreign key to it.
    def get_parent(self):
        if "category_slug" in self.kwargs:
            return {"category": get_object_or_404(Category, slug=self.kwargs["category_slug"])}
        if "series_slug" in self.kwargs:
            return {"series": get_object_or_404(Series, slug=self.kwargs["series_slug"])}
        if "username" in self.kwargs:
            return {"author": get_object_or_404(User, username=self.kwargs["username"])}
        return {}

    def get_queryset(self):
        articles = super().get_queryset().visible_to(self.request.user).filter(**self.get_parent())
        return articles.annotate(tag_count=Count("tags", distinct=True))

    # Below a parent, a new article belongs to it.
    def create(self, request, *args, **kwargs):
        for name, parent in self.get_parent().items():
            if name == "author" and parent != request.user:
                raise PermissionDenied()
            if request.data.setdefault(f"{name}_id", parent.pk) != parent.pk:
                raise ValidationError({f"{name}_id": "Does not match the URL."})
        return super().create(request, *args, **kwargs)

    def perform_create(self, serializer):
        serializer.save(author=self.request.user)


class ArticleTagViewSet(ListModelMixin, CreateModelMixin, GenericViewSet):
    serializer_class = ArticleTagSerializer

    def get_article(self):
        articles = Article.objects.visible_to(self.request.user)
        if "username" in self.kwargs:
            articles = articles.filter(author__username=self.kwargs["username"])
        return get_object_or_404(articles, slug=self.kwargs["article_slug"])

    def get_queryset(self):
        return self.get_article().article_tags.order_by("id")

    def create(self, request, *args, **kwargs):
        article = self.get_article()
        if article.author != request.user:
            raise PermissionDenied()
        request.data["article_id"] = article.pk
        return super().create(request, *args, **kwargs)
