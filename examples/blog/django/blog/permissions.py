from rest_framework.permissions import SAFE_METHODS, BasePermission, IsAuthenticatedOrReadOnly


# Anyone registers, and users change themselves.
class RegisterOrSelf(BasePermission):
    def has_object_permission(self, request, view, user):
        return request.method in SAFE_METHODS or user == request.user


class AuthorOrReadOnly(IsAuthenticatedOrReadOnly):
    def has_object_permission(self, request, view, article):
        return request.method in SAFE_METHODS or article.author == request.user
