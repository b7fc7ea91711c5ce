# The production image: web, worker and beat run from it with different commands (docker-compose.yml).
FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

RUN useradd --system --uid 10001 --no-create-home --home-dir /app threefold
WORKDIR /app

COPY requirements/server.txt requirements/server.txt
RUN pip install --require-hashes -r requirements/server.txt

COPY manage.py LICENSE ./
COPY templates templates
COPY adk_project adk_project
COPY audit_app audit_app
COPY jobs_app jobs_app
COPY sessions_app sessions_app
COPY artifacts_app artifacts_app
COPY memory_app memory_app

# Collecting needs settings, not services: throw-away values that never reach a running container.
RUN THREEFOLD_MODE=production THREEFOLD_SECRET_KEY=only-for-collecting-static-files-in-the-build \
    THREEFOLD_DIGEST_KEY=only-for-collecting-static-files-in-the-build \
    THREEFOLD_ALLOWED_HOSTS=localhost DATABASE_URL=postgresql://nobody/none REDIS_URL=redis://nobody \
    python manage.py collectstatic --no-input

ENV THREEFOLD_MODE=production
USER threefold
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=8s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/ready', timeout=7)"]
CMD ["gunicorn", "-c", "python:adk_project.gunicorn_conf", "adk_project.wsgi:application"]
