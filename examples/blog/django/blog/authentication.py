from rest_framework.authentication import BaseAuthentication

from blog.models import User


# Identifies users by the header `User: 1`.
class UserHeaderAuthentication(BaseAuthentication):
    def authenticate(self, request):
        number = request.headers.get("User", "")
        user = User.objects.filter(pk=number).first() if number.isdecimal() else None
        return (user, None) if user else None

    def authenticate_header(self, request):
        return "User"
