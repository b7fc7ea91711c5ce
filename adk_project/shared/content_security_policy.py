"""The Content-Security-Policy of every answer: nothing may load, but for the admin and the docs, which load from here.

Stored text is hostile input; no page of ours needs another host.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_OWN_FILES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# Swagger UI writes style attributes.
_DOCS = _OWN_FILES.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
_POLICIES = (("/admin/", _OWN_FILES), ("/docs", _DOCS))


def policy_for(path: str) -> str:
    """The policy of the page at ``path``."""
    return next((policy for prefix, policy in _POLICIES if path.startswith(prefix)), _NOTHING)


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy_for(request.path))
        return response
