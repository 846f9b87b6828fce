from rest_framework.permissions import SAFE_METHODS, BasePermission


class DeskOrReadOnly(BasePermission):
    def has_permission(self, request, view):
        return request.method in SAFE_METHODS or request.user.is_desk


# Members change themselves.
class DeskOrSelf(BasePermission):
    def has_permission(self, request, view):
        return request.user.is_desk or request.method in (*SAFE_METHODS, "PUT", "PATCH")


# Loans are not written once they are over.
class OpenLoan(DeskOrReadOnly):
    def has_object_permission(self, request, view, loan):
        return request.method in SAFE_METHODS or loan.returned is None


class DeletesDraftsOnly(DeskOrReadOnly):
    def has_object_permission(self, request, view, invoice):
        return request.method != "DELETE" or invoice.state == invoice.State.DRAFT
