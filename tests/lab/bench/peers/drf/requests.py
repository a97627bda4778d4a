"""Authentication, throttling and error answers; in a file of its own because DRF imports them before any view."""

import hashlib

from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.throttling import SimpleRateThrottle
from service import encode, now

from .models import Key


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request):
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        try:
            found = Key.objects.select_related("tenant").get(digest=hashlib.sha256(key.encode()).digest())
        except Key.DoesNotExist:
            raise exceptions.AuthenticationFailed from None
        if found.revoked_at or (found.expires_at and found.expires_at <= now()):
            raise exceptions.AuthenticationFailed
        return None, found

    def authenticate_header(self, request):
        return "Bearer"


class HoldsScope(BasePermission):
    def has_permission(self, request, view):
        if request.auth is None:
            raise exceptions.NotAuthenticated
        return ("read" if request.method == "GET" else "write") in request.auth.scopes


class PerMinute(SimpleRateThrottle):
    rate, column = "100/min", "per_minute"

    def get_cache_key(self, request, view):
        self.num_requests = getattr(request.auth, self.column) or self.num_requests
        return f"{self.column}:{request.auth.id}"


class PerSecond(PerMinute):
    rate, column = "20/s", "per_second"


class Renderer(BaseRenderer):
    media_type, format, charset = "application/json", "json", None

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return encode(data)
