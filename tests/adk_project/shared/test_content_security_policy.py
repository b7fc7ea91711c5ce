import re

import pytest


@pytest.mark.parametrize("path", ["/health/live", "/version", "/openapi.json", "/nowhere", "/apps/x/users/y/sessions"])
def test_nothing_may_load_from_an_answer_of_the_api(client, db, path):
    assert client.get(path)["Content-Security-Policy"].startswith("default-src 'none'; frame-ancestors 'none'")


@pytest.mark.parametrize("path", ["/admin/login/", "/docs", "/docs?script="])
def test_pages_load_only_from_this_server(client, db, path):
    response = client.get(path)
    assert response.status_code == 200
    policy = response["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "http" not in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("path", ["/admin/login/", "/docs"])
def test_pages_name_no_other_host(client, db, path):
    page = client.get(path).content.decode()
    assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', page) == []


@pytest.mark.parametrize("path", ["/admin/login/", "/docs"])
def test_pages_have_no_inline_script(client, db, path):
    page = client.get(path).content.decode()
    assert [body for body in re.findall(r"<script[^>]*>(.*?)</script>", page, re.S) if body.strip()] == []
