# Callers: members by the number of their card, and the desk by its key.

from dataclasses import dataclass

from django.conf import settings
from django.utils.crypto import constant_time_compare
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed


@dataclass
class Caller:
    member: int | None = None
    is_desk: bool = False

    @property
    def is_authenticated(self):
        return self.is_desk or self.member is not None


class CardAuthentication(BaseAuthentication):
    def authenticate(self, request):
        if key := request.headers.get("Desk-Key"):
            if not constant_time_compare(key, settings.DESK_KEY):
                raise AuthenticationFailed()
            return Caller(is_desk=True), None
        card = request.headers.get("Library-Card", "")
        return (Caller(member=int(card)), None) if card.isdecimal() else None

    def authenticate_header(self, request):
        return "Library-Card"
