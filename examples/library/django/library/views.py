from django.db.models import Count
from django.db.models.functions import TruncMonth
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.viewsets import ModelViewSet

from library.models import Author, Book, BookCopy, Branch, Invoice, Loan, Member
from library.permissions import DeletesDraftsOnly, DeskOrSelf, OpenLoan
from library.serializers import (
    AuthorSerializer,
    BookCopySerializer,
    BookSerializer,
    BranchSerializer,
    InvoiceSerializer,
    LoanSerializer,
    MemberSerializer,
    ReturnSerializer,
)


# Members see their own rows. A write locks the row, so that its state does not change meanwhile.
class OwnRowsMixin:
    def get_queryset(self):
        rows, caller = super().get_queryset(), self.request.user
        rows = rows if self.request.method in SAFE_METHODS else rows.select_for_update()
        return rows if caller.is_desk else rows.filter(member=caller.member)


class BranchViewSet(ModelViewSet):
    queryset = Branch.objects.order_by("id")
    serializer_class = BranchSerializer


class MemberViewSet(ModelViewSet):
    queryset = Member.objects.order_by("id")
    serializer_class = MemberSerializer
    permission_classes = [DeskOrSelf]

    def get_queryset(self):
        caller = self.request.user
        return self.queryset.all() if caller.is_desk else self.queryset.filter(id=caller.member)


class AuthorViewSet(ModelViewSet):
    queryset = Author.objects.all()
    serializer_class = AuthorSerializer


class BookViewSet(ModelViewSet):
    queryset = Book.objects.prefetch_related("authors").order_by("id")
    serializer_class = BookSerializer
    filterset_fields = ["authors__name"]

    def perform_destroy(self, book):
        book.deleted_at = timezone.now()
        book.save()

    @action(detail=True, methods=["post"])
    def restore(self, request, pk):
        book = get_object_or_404(Book.all_objects.exclude(deleted_at=None), pk=pk)
        book.deleted_at = None
        book.save()
        return Response(self.get_serializer(book).data)


class BookCopyViewSet(ModelViewSet):
    queryset = BookCopy.objects.order_by("id")
    serializer_class = BookCopySerializer

    def get_queryset(self):
        return self.queryset.filter(**self.kwargs) if "book" in self.kwargs else self.queryset.all()

    # Below a book, a new copy is one of that book.
    def create(self, request, *args, **kwargs):
        if "book" in kwargs:
            request.data["book_id"] = get_object_or_404(Book, pk=kwargs["book"]).pk
        return super().create(request, *args, **kwargs)


class LoanViewSet(OwnRowsMixin, ModelViewSet):
    queryset = Loan.objects.order_by("id")
    serializer_class = LoanSerializer
    permission_classes = [OpenLoan]
    http_method_names = ["get", "post", "put", "patch", "head", "options"]

    @action(detail=True, methods=["post"], url_path="return")
    def give_back(self, request, pk):
        loan = self.get_object()
        body = ReturnSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        loan.give_back(body.validated_data["on"])
        return Response(status=204)

    @action(detail=False)
    def counts(self, request):
        keys = {"branchId": "branch_id", "lentMonth": "lent_month"}
        try:
            group = [keys[name] for name in request.query_params["group"].split(",")]
        except KeyError:
            raise ValidationError({"group": f"Must be of: {', '.join(keys)}."})
        rows = self.get_queryset().annotate(lent_month=TruncMonth("lent")).values(*group)
        return Response(rows.annotate(count=Count("id")).order_by("-count", *group))


class InvoiceViewSet(OwnRowsMixin, ModelViewSet):
    queryset = Invoice.objects.prefetch_related("lines").order_by("id")
    serializer_class = InvoiceSerializer
    permission_classes = [DeletesDraftsOnly]

    def get_queryset(self):
        invoices = super().get_queryset()
        return invoices if self.request.user.is_desk else invoices.exclude(state=Invoice.State.DRAFT)
