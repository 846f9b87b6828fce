import unicodedata
from copy import copy

from django.db import models
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.validators import UniqueValidator

from library.models import Author, Book, BookCopy, Branch, Invoice, InvoiceLine, Loan, Member


class NfcCharField(serializers.CharField):
    def to_internal_value(self, data):
        return unicodedata.normalize("NFC", super().to_internal_value(data))


class LowercaseEmailField(serializers.EmailField):
    def to_internal_value(self, data):
        return super().to_internal_value(data).lower()


class NfcModelSerializer(serializers.ModelSerializer):
    serializer_field_mapping = {**serializers.ModelSerializer.serializer_field_mapping, models.CharField: NfcCharField}


class BranchSerializer(serializers.ModelSerializer):
    class Meta:
        model = Branch
        fields = ["id", "name"]


class MemberSerializer(NfcModelSerializer):
    email = LowercaseEmailField(validators=[UniqueValidator(Member.objects.all())])

    class Meta:
        model = Member
        fields = ["id", "name", "email"]


class AuthorSerializer(NfcModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name"]


class BookSerializer(NfcModelSerializer):
    authors = serializers.SlugRelatedField("name", many=True, required=False, queryset=Author.objects.all())

    class Meta:
        model = Book
        fields = ["id", "title", "year", "authors"]


class BookCopySerializer(serializers.ModelSerializer):
    class Meta:
        model = BookCopy
        fields = ["id", "book_id", "branch_id", "barcode"]
        extra_kwargs = {"book_id": {"source": "book"}, "branch_id": {"source": "branch"}}


class LoanSerializer(serializers.ModelSerializer):
    class Meta:
        model = Loan
        fields = ["id", "copy_id", "member_id", "branch_id", "lent", "due", "returned"]
        extra_kwargs = {
            "copy_id": {"source": "copy"},
            "member_id": {"source": "member"},
            "branch_id": {"source": "branch"},
        }

    # The constraints of the model, which a serializer does not check by itself.
    def validate(self, attrs):
        loan = copy(self.instance) if self.instance else Loan()
        for name, value in attrs.items():
            setattr(loan, name, value)
        loan.validate_constraints()
        return attrs


class ReturnSerializer(serializers.Serializer):
    on = serializers.DateField()


class InvoiceLineSerializer(serializers.ModelSerializer):
    id = serializers.IntegerField(required=False)

    class Meta:
        model = InvoiceLine
        fields = ["id", "text", "cents"]

    # In a PATCH of the invoice the fields of new lines would not be required.
    def validate(self, line):
        missing = [name for name in ("text", "cents") if "id" not in line and name not in line]
        if missing:
            raise serializers.ValidationError({name: "This field is required." for name in missing})
        return line


class InvoiceSerializer(serializers.ModelSerializer):
    lines = InvoiceLineSerializer(many=True, required=False)

    class Meta:
        model = Invoice
        fields = ["id", "member_id", "state", "created_at", "version", "lines"]
        extra_kwargs = {"member_id": {"source": "member"}}

    def validate_state(self, state):
        allowed = Invoice.TRANSITIONS[self.instance.state] if self.instance else [Invoice.State.DRAFT]
        if state not in allowed and not (self.instance and state == self.instance.state):
            raise serializers.ValidationError(f"Must be one of: {', '.join(allowed)}.")
        return state

    def validate_lines(self, lines):
        if self.instance and self.instance.state != Invoice.State.DRAFT:
            raise PermissionDenied()
        known = {None, *(line.id for line in self.instance.lines.all())} if self.instance else {None}
        missing = [index for index, line in enumerate(lines) if line.get("id") not in known]
        if missing:
            raise serializers.ValidationError({index: {"id": ["There is no such line."]} for index in missing})
        return lines

    def create(self, validated_data):
        lines = validated_data.pop("lines", [])
        invoice = super().create(validated_data)
        InvoiceLine.objects.bulk_create(InvoiceLine(invoice=invoice, **line) for line in lines)
        return invoice

    # Lines with a key are changed, those without one are new, and all others are removed.
    def update(self, invoice, validated_data):
        lines = validated_data.pop("lines", None)
        invoice.version += 1
        invoice = super().update(invoice, validated_data)
        if lines is not None:
            invoice.lines.exclude(id__in=[line["id"] for line in lines if "id" in line]).delete()
            for line in lines:
                InvoiceLine.objects.update_or_create(invoice=invoice, id=line.pop("id", None), defaults=line)
        return invoice
