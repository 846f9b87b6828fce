from django.utils.text import slugify
from rest_framework import serializers

from blog.models import Article, ArticleTag, Category, LowercaseCharField, Series, Tag, User


class LowercaseField(serializers.CharField):
    def to_internal_value(self, data):
        return super().to_internal_value(data).lower()


class LowercaseSerializer(serializers.ModelSerializer):
    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        LowercaseCharField: LowercaseField,
    }


# Makes the slug from another field, of which a slug that is taken is an error.
class SlugSerializer(serializers.ModelSerializer):
    slug_from = "title"
    slug_is_stable = False
    slug_message = None

    def validate(self, attrs):
        attrs = super().validate(attrs)
        if self.slug_from in attrs and not (self.instance and self.slug_is_stable):
            attrs["slug"] = slugify(attrs[self.slug_from])
            others = self.Meta.model.objects.exclude(pk=self.instance and self.instance.pk)
            if others.filter(slug=attrs["slug"]).exists():
                raise serializers.ValidationError({self.slug_from: self.slug_message})
        return attrs


class UserSerializer(LowercaseSerializer):
    class Meta:
        model = User
        fields = ["id", "username"]


class CategorySerializer(SlugSerializer):
    slug_from = "name"
    slug_message = "There is a category of this name already."

    class Meta:
        model = Category
        fields = ["id", "name", "slug"]


# The view prefetches the articles that the caller sees. A new series has none.
class SeriesSerializer(SlugSerializer):
    articles = serializers.SerializerMethodField()
    slug_message = "There is a series of this title already."

    class Meta:
        model = Series
        fields = ["id", "title", "slug", "articles"]

    def get_articles(self, series):
        return [article.slug for article in getattr(series, "visible_articles", [])]


class TagSerializer(LowercaseSerializer):
    articles = serializers.SerializerMethodField()

    class Meta:
        model = Tag
        fields = ["id", "name", "articles"]

    def get_articles(self, tag):
        return [article.id for article in getattr(tag, "visible_articles", [])]


class ArticleSerializer(SlugSerializer):
    tags = serializers.SlugRelatedField("name", many=True, required=False, queryset=Tag.objects.all())
    slug_is_stable = True
    slug_message = "There is an article of this title already."

    class Meta:
        model = Article
        fields = [
            "id",
            "title",
            "slug",
            "content",
            "published",
            "author_id",
            "category_id",
            "series_id",
            "part",
            "tags",
        ]
        extra_kwargs = {
            "content": {"source": "body"},
            "category_id": {"source": "category"},
            "series_id": {"source": "series", "default": None},
        }


class ArticleTagSerializer(serializers.ModelSerializer):
    class Meta:
        model = ArticleTag
        fields = ["id", "article_id", "tag_id"]
        extra_kwargs = {
            "article_id": {"source": "article"},
            "tag_id": {"source": "tag", "error_messages": {"does_not_exist": "There is no such tag."}},
        }
