"""API keys, sent as ``Authorization: Bearer tf_…`` or ``X-API-Key: tf_…``."""

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from sessions_app.domain.access import Caller
from sessions_app.selectors import find_caller
from sessions_app.services.api_keys import note_use, use_is_due


class ApiKeyAuthentication(BaseAuthentication):
    """Turns a key into a Caller. A missing, unknown, expired and revoked key are all answered with the same 401."""

    def authenticate(self, request: Request) -> tuple[object, Caller] | None:
        key = _presented_key(request)
        if not key:
            return None
        found = find_caller(key, timezone.now())
        if found is None:
            raise AuthenticationFailed("This API key is not valid.")
        caller, last_used_at = found
        if use_is_due(last_used_at):
            note_use(caller.prefix)
        return caller, caller

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="threefold"'


class HasApiKey(BasePermission):
    """Every route needs a key; what the key may do there is the view's own question."""

    def has_permission(self, request: Request, view: object) -> bool:
        if not isinstance(request.auth, Caller):
            raise NotAuthenticated("Send an API key: Authorization: Bearer tf_…")
        return True


def _presented_key(request: Request) -> str:
    scheme, _, credential = get_authorization_header(request).decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        return credential.strip()
    return request.headers.get("X-API-Key", "").strip()


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = ApiKeyAuthentication
    name = ["bearer", "apiKey"]

    def get_security_definition(self, auto_schema: object) -> list[dict[str, str]]:
        return [
            {"type": "http", "scheme": "bearer", "bearerFormat": "tf_<prefix>_<secret>"},
            {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        ]

    def get_security_requirement(self, auto_schema: object) -> list[dict[str, list]]:
        return [{"bearer": []}, {"apiKey": []}]
