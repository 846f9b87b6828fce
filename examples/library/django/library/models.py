from functools import partial

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models, transaction
from django.db.models import F, Q

from library.messages import send_message

CENTS_PER_DAY = 20


class Branch(models.Model):
    name = models.CharField(max_length=200, unique=True)


class Member(models.Model):
    name = models.CharField(max_length=200)
    email = models.EmailField(unique=True)


class Author(models.Model):
    name = models.CharField(max_length=200, unique=True)

    class Meta:
        ordering = ["id"]


class ActiveManager(models.Manager):
    def get_queryset(self):
        return super().get_queryset().filter(deleted_at=None)


class Book(models.Model):
    title = models.CharField(max_length=300)
    year = models.IntegerField(null=True, blank=True)
    authors = models.ManyToManyField(Author, blank=True)
    deleted_at = models.DateTimeField(null=True, editable=False)

    objects = ActiveManager()
    all_objects = models.Manager()


class BookCopy(models.Model):
    book = models.ForeignKey(Book, models.PROTECT)
    branch = models.ForeignKey(Branch, models.PROTECT)
    barcode = models.CharField(max_length=6, validators=[RegexValidator(r"^[0-9]{6}\Z")])

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "barcode"], name="unique_barcode_in_branch")]


class Loan(models.Model):
    copy = models.ForeignKey(BookCopy, models.PROTECT)
    member = models.ForeignKey(Member, models.PROTECT)
    branch = models.ForeignKey(Branch, models.PROTECT)
    lent = models.DateField()
    due = models.DateField()
    returned = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["copy"],
                condition=Q(returned=None),
                name="one_loan_at_a_time",
                violation_error_message="This copy is on loan.",
            ),
            models.CheckConstraint(
                condition=Q(due__gt=F("lent")),
                name="due_after_lent",
                violation_error_message="Must be due after it is lent.",
            ),
        ]
        indexes = [models.Index(fields=["member", "-lent"])]

    # Takes the loan back. If it is late, the fee is an invoice.
    def give_back(self, on):
        self.returned = on
        self.save()
        late = (on - self.due).days
        if late > 0:
            invoice = Invoice.objects.create(member=self.member)
            invoice.lines.create(text=f"{late} days late", cents=late * CENTS_PER_DAY)
        transaction.on_commit(partial(send_message, self.member_id, f"Loan {self.pk} is back. Thank you!"))


class Invoice(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft"
        SENT = "sent"
        PAID = "paid"
        VOID = "void"

    TRANSITIONS = {
        State.DRAFT: [State.SENT, State.VOID],
        State.SENT: [State.PAID, State.VOID],
        State.PAID: [],
        State.VOID: [],
    }

    member = models.ForeignKey(Member, models.PROTECT)
    state = models.CharField(max_length=5, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.BigIntegerField(default=1, editable=False)


class InvoiceLine(models.Model):
    invoice = models.ForeignKey(Invoice, models.CASCADE, related_name="lines")
    text = models.TextField()
    cents = models.BigIntegerField(validators=[MinValueValidator(1)])

    class Meta:
        ordering = ["id"]
