from django.urls import include, path
from rest_framework.routers import SimpleRouter

from library import views

router = SimpleRouter(trailing_slash=False)
router.register("branches", views.BranchViewSet)
router.register("members", views.MemberViewSet)
router.register("authors", views.AuthorViewSet)
router.register("books", views.BookViewSet)
router.register("copies", views.BookCopyViewSet)
router.register("loans", views.LoanViewSet)
router.register("invoices", views.InvoiceViewSet)

urlpatterns = [
    path("", include(router.urls)),
    path("books/<int:book>/copies", views.BookCopyViewSet.as_view({"get": "list", "post": "create"})),
]
