from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q


class LowercaseCharField(models.CharField):
    pass


class User(models.Model):
    username = LowercaseCharField(
        max_length=32,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9._-]+\Z", "Use letters, digits and . _ - only.")],
        error_messages={"unique": "This user name is taken."},
    )
    is_authenticated = True


class Category(models.Model):
    name = models.CharField(
        max_length=200, unique=True, error_messages={"unique": "There is a category of this name already."}
    )
    slug = models.SlugField(max_length=200, unique=True, editable=False)


class Series(models.Model):
    title = models.CharField(max_length=200)
    slug = models.SlugField(max_length=200, unique=True, editable=False)


class Tag(models.Model):
    name = LowercaseCharField(
        max_length=200,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9-]+\Z")],
        error_messages={"unique": "This tag exists already."},
    )

    class Meta:
        ordering = ["name"]


class ArticleQuerySet(models.QuerySet):
    def visible_to(self, user):
        return self.filter(Q(published=True) | Q(author=user))


# An article, identified by the slug of its first title.
class Article(models.Model):
    title = models.CharField(max_length=200)
    slug = models.SlugField(max_length=200, unique=True, editable=False)
    body = models.TextField(db_column="body_text")
    published = models.BooleanField(default=False)
    author = models.ForeignKey(User, models.PROTECT, editable=False)
    category = models.ForeignKey(Category, models.PROTECT)
    series = models.ForeignKey(Series, models.SET_NULL, null=True, blank=True, related_name="articles")
    part = models.IntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    tags = models.ManyToManyField(Tag, through="ArticleTag", related_name="articles")

    objects = ArticleQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "part"],
                name="unique_part_of_series",
                violation_error_message="The series has such a part already.",
            )
        ]


class ArticleTag(models.Model):
    article = models.ForeignKey(Article, models.CASCADE, related_name="article_tags")
    tag = models.ForeignKey(Tag, models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["article", "tag"], name="unique_tag_of_article")]
