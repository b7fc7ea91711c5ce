"""Django's settings. Every value that may differ between machines comes from ``environment.py``."""

import os
import sys
from pathlib import Path
from typing import Any

from adk_project.databases import database
from adk_project.environment import PRODUCTION, BadEnvironment, read_environment
from adk_project.shared.logs import logging_settings
from adk_project.shared.secret_key import load_or_create_secret_key
from adk_project.version import VERSION

BASE_DIR = Path(__file__).resolve().parent.parent

try:
    _env = read_environment(os.environ)
except BadEnvironment as refusal:
    sys.exit(f"threefold: {refusal}")

THREEFOLD_MODE: str = _env["THREEFOLD_MODE"]
THREEFOLD_DATA_DIR: Path = _env["THREEFOLD_DATA_DIR"]
THREEFOLD_PUBLIC_URL: str = _env["THREEFOLD_PUBLIC_URL"]
THREEFOLD_CREATE_PROJECTS: bool = _env["THREEFOLD_CREATE_PROJECTS"]
THREEFOLD_RATE_LIMIT_PER_MINUTE: int = _env["THREEFOLD_RATE_LIMIT_PER_MINUTE"]
THREEFOLD_MAX_BODY_BYTES: int = _env["THREEFOLD_MAX_BODY_BYTES"]
THREEFOLD_MAX_EVENT_BYTES: int = _env["THREEFOLD_MAX_EVENT_BYTES"]
THREEFOLD_MAX_STATE_BYTES: int = _env["THREEFOLD_MAX_STATE_BYTES"]
THREEFOLD_LLM_EXTRACTOR: str = _env["THREEFOLD_LLM_EXTRACTOR"]
THREEFOLD_LLM_URL: str = _env["THREEFOLD_LLM_URL"]
THREEFOLD_LLM_MODEL: str = _env["THREEFOLD_LLM_MODEL"]
THREEFOLD_LLM_API_KEY: str = _env["THREEFOLD_LLM_API_KEY"]
THREEFOLD_LLM_TIMEOUT_SECONDS: int = _env["THREEFOLD_LLM_TIMEOUT_SECONDS"]

_in_production = THREEFOLD_MODE == PRODUCTION
if not _in_production:
    try:
        THREEFOLD_DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, file in (("THREEFOLD_SECRET_KEY", "secret-key"), ("THREEFOLD_DIGEST_KEY", "digest-key")):
            _env[name] = _env[name] or load_or_create_secret_key(THREEFOLD_DATA_DIR / file)
    except OSError as refusal:
        sys.exit(f"threefold: THREEFOLD_DATA_DIR must be a directory this user can write to ({refusal.strerror}).")

SECRET_KEY: str = _env["THREEFOLD_SECRET_KEY"]
THREEFOLD_DIGEST_KEY: str = _env["THREEFOLD_DIGEST_KEY"]
THREEFOLD_OLD_DIGEST_KEYS: tuple[str, ...] = _env["THREEFOLD_OLD_DIGEST_KEYS"]
DEBUG = False
# The container's own health check asks at 127.0.0.1.
ALLOWED_HOSTS = [*_env["THREEFOLD_ALLOWED_HOSTS"], "localhost", "127.0.0.1", "[::1]"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "jobs_app",
    "sessions_app",
    "memory_app",
]

MIDDLEWARE = [
    "adk_project.shared.paths.UndecodedPathMiddleware",
    "adk_project.shared.request_id.RequestIdMiddleware",
    "adk_project.shared.request_log.RequestLogMiddleware",
    "adk_project.shared.content_security_policy.ContentSecurityPolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "adk_project.urls"
WSGI_APPLICATION = "adk_project.wsgi.application"
# A missing slash is another resource: an id may be anything, and a redirect could hit it.
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": database(_env)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_redis_url: str = _env["REDIS_URL"]
CACHES: dict[str, dict[str, Any]] = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
if _redis_url:
    CACHES["default"] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _redis_url,
        "KEY_PREFIX": "threefold",
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 1, "health_check_interval": 25},
    }

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
_is_https = THREEFOLD_PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _is_https
CSRF_TRUSTED_ORIGINS = [THREEFOLD_PUBLIC_URL.rstrip("/")] if THREEFOLD_PUBLIC_URL else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _env["THREEFOLD_TRUST_PROXY"] else None
X_FRAME_OPTIONS = "DENY"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
if not _in_production:
    # Served straight from the packages, so no collectstatic; WhiteNoise still wants the directory to exist.
    WHITENOISE_USE_FINDERS = True
    STATIC_ROOT = THREEFOLD_DATA_DIR / "static"
    STATIC_ROOT.mkdir(exist_ok=True)
_static_storage = (
    "whitenoise.storage.CompressedManifestStaticFilesStorage"
    if _in_production
    else "django.contrib.staticfiles.storage.StaticFilesStorage"
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _static_storage},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["sessions_app.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["sessions_app.api.throttling.ApiKeyThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "adk_project.shared.problems.problem_handler",
    "UNAUTHENTICATED_USER": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Threefold",
    "DESCRIPTION": "Sessions, memory and artifacts for agents built with Google's Agent Development Kit.",
    "VERSION": VERSION,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "ENFORCE_NON_BLANK_FIELDS": True,
    "SCHEMA_PATH_PREFIX": "/apps",
    "SCHEMA_PATH_PREFIX_INSERT": "",
    "PREPROCESSING_HOOKS": ["adk_project.shared.openapi.keep_one_mount"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "adk_project.shared.openapi.name_schemas",
    ],
    # Not the converter's own pattern: an id may hold a slash, which a path has percent-encoded.
    "PATH_CONVERTER_OVERRIDES": {"segment": {"type": "string", "minLength": 1, "maxLength": 255}},
}

DATA_UPLOAD_MAX_MEMORY_SIZE = THREEFOLD_MAX_BODY_BYTES

# The database's job rows are the truth, the broker only wakes the workers; embedded mode has none.
CELERY_BROKER_URL = _redis_url or "memory://"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Longer than the time limit, else Redis hands a running task to a second worker.
    "visibility_timeout": 600,
    "unacked_restore_interval": 10,
    "unacked_restore_throttle": 1,
    "global_keyprefix": "threefold:",
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
    "health_check_interval": 25,
}
CELERY_BEAT_SCHEDULE = {
    "sweep-jobs": {"task": "jobs_app.tasks.drain_jobs", "schedule": 5.0, "options": {"expires": 30}},
    "forget-finished-jobs": {
        "task": "jobs_app.tasks.forget_finished_jobs",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "sweep-expired-memories": {
        "task": "memory_app.tasks.sweep_expired_memories",
        "schedule": 60.0,
        "options": {"expires": 300},
    },
    "sweep-expired-sessions": {
        "task": "sessions_app.tasks.sweep_expired_sessions",
        "schedule": 60.0,
        "options": {"expires": 300},
    },
}

LOGGING = logging_settings(_env["THREEFOLD_LOG_LEVEL"])
