"""The pages a person opens, in a real browser: they work under the Content-Security-Policy and ask no other host."""

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.conftest import missing
from tests.live import LiveServer

pytestmark = pytest.mark.e2e

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


class Visit:
    """A browser page that notes every complaint of the console and every address it asks."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self._base = page, base
        self.complaints: list[str] = []
        self.addresses: list[str] = []
        page.on(
            "console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text)
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))

    def open(self, path: str) -> None:
        self.page.goto(self._base + path, wait_until="networkidle")

    def check(self) -> None:
        assert self.complaints == []
        assert [url for url in self.addresses if not url.startswith((self._base, "data:"))] == []


@pytest.fixture
def visit(live: LiveServer) -> Iterator[Visit]:
    chromium = shutil.which("chromium")
    if chromium is None:
        missing("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield Visit(browser.new_page(), live.url)
        browser.close()


def test_the_docs_show_every_operation(visit: Visit) -> None:
    visit.open("/docs")
    visit.page.wait_for_selector(".opblock")
    assert visit.page.locator(".opblock").count() >= 10
    visit.check()


def test_a_member_of_staff_logs_in_and_finds_a_session(visit: Visit, live: LiveServer, app: str) -> None:
    hostile = f"<script>alert(1)</script>-{app}"
    assert live.request("POST", f"/apps/{app}/users/ana/sessions", {"sessionId": hostile})[0] == 200
    password = _reset_password(live)
    visit.open("/admin/")
    visit.page.fill("[name=username]", "admin")
    visit.page.fill("[name=password]", password)
    visit.page.click("[type=submit]")
    visit.page.wait_for_selector("#user-tools")
    visit.open(f"/admin/sessions_app/session/?q={hostile.replace('<', '%3C').replace('>', '%3E')}")
    visit.page.get_by_role("link", name=hostile).click()
    visit.page.wait_for_load_state("networkidle")
    assert re.search(re.escape(hostile), visit.page.inner_text("#content"))
    visit.check()


def _reset_password(live: LiveServer) -> str:
    password = "for-this-test-only-1"
    find = "from django.contrib.auth.models import User; admin = User.objects.get(username='admin')"
    live.manage("shell", "--command", f"{find}; admin.set_password({password!r}); admin.save()")
    return password
