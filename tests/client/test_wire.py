"""What needs no server: reading events of other ADK versions, options, addresses."""

import datetime
import logging
import time

import pytest
from google.adk.events.event import Event

from threefold.options import create_options
from threefold.tolerant import read_event
from threefold.uri import parse_uri
from threefold.wire import encode, event_to_wire

BASE = {"id": "e", "author": "agent", "timestamp": 1.5, "invocationId": "i", "branch": "b"}


def test_a_readable_event_is_read_without_a_word(caplog):
    event = Event(author="agent", id="e", timestamp=1.5, custom_metadata={"m": None})
    with caplog.at_level(logging.WARNING, logger="threefold"):
        assert read_event(event_to_wire(event)) == event
    assert caplog.records == []


@pytest.mark.parametrize(
    ("stray", "kept"),
    [
        ({"actions": {"stateDelta": {"k": 1}, "new": 1}}, lambda event: event.actions.state_delta == {"k": 1}),
        ({"actions": {"stateDelta": {"k": 1}, "route": {"new": "shape"}}}, lambda e: e.actions.state_delta == {"k": 1}),
        ({"content": {"role": "user", "parts": [{"text": "t", "new": {}}]}}, lambda e: e.content.parts[0].text == "t"),
        ({"content": {"role": "user", "parts": [{"text": 5}]}}, lambda event: event.content.role == "user"),
        ({"usageMetadata": {"promptTokenCount": "many", "totalTokenCount": 2}}, lambda e: e.usage_metadata is not None),
        ({"longRunningToolIds": "new shape"}, lambda event: event.long_running_tool_ids is None),
        ({"content": "new shape", "errorCode": "E"}, lambda event: event.error_code == "E" and event.content is None),
        (
            {"actions": {"compaction": {"startTimestamp": 1.0}, "stateDelta": {"k": 1}}},
            lambda event: event.actions.compaction is None and event.actions.state_delta == {"k": 1},
        ),
        ({"state": {"k": 1}, "message": "x", "route": 1}, lambda e: e.actions.state_delta == {} and e.content is None),
        ({"finishReason": "INVENTED_LATER"}, lambda event: event.id == "e"),
    ],
)
def test_what_this_adk_does_not_know_is_left_out_and_the_rest_kept(stray, kept):
    event = read_event({**BASE, **stray})
    assert kept(event)
    assert (event.id, event.author, event.timestamp, event.invocation_id, event.branch) == ("e", "agent", 1.5, "i", "b")


def test_an_event_that_cannot_be_read_keeps_its_place_and_its_effect_on_state():
    event = read_event({**BASE, "actions": {"stateDelta": {"k": 1}, "artifactDelta": []}, "nodeInfo": 5})
    assert event.id == "e" and event.actions.state_delta == {"k": 1}


def test_reading_does_not_change_what_was_read():
    raw = {**BASE, "actions": {"new": 1}, "content": {"parts": [{"new": 1}]}}
    read_event(raw)
    assert raw["actions"] == {"new": 1} and raw["content"] == {"parts": [{"new": 1}]}


def test_serialising_does_not_change_the_event():
    event = Event(author="a", actions={"state_delta": {"temp:t": print, "k": {1, 2}}})
    wire = event_to_wire(event)
    assert wire["actions"]["stateDelta"] == {"k": [1, 2]}
    assert event.actions.state_delta == {"temp:t": print, "k": {1, 2}}


def test_a_set_is_the_same_text_every_time():
    for given in ({"b", "a", "c", "d"}, frozenset("dcba")):
        assert event_to_wire(Event(actions={"state_delta": {"k": given}}))["actions"]["stateDelta"]["k"] == [*"abcd"]


def test_the_encoder_refuses_what_is_not_json_without_quoting_it():
    for bad in ({"k": float("nan")}, {"k": object()}):
        with pytest.raises(ValueError) as caught:
            encode(bad)
        assert "object at" not in str(caught.value) and caught.value.__context__ is None


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"title": None, "ttl": None}, {}),
        ({"display_name": "d"}, {"title": "d"}),
        ({"title": "t", "labels": {"a": "b"}}, {"title": "t", "labels": {"a": "b"}}),
        ({"expire_time": 5.5}, {"expiresAt": 5.5}),
        ({"expire_time": "1970-01-01T00:01:00Z"}, {"expiresAt": 60.0}),
        ({"expire_time": "1970-01-01T01:00:00+01:00"}, {"expiresAt": 0.0}),
        ({"expire_time": datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)}, {"expiresAt": 0.0}),
    ],
)
def test_options_become_members_of_the_create_request(options, expected):
    assert create_options(options) == expected


@pytest.mark.parametrize("ttl", [3600, 3600.0, "3600s", "3600.0s"])
def test_a_ttl_counts_from_now(ttl):
    assert abs(create_options({"ttl": ttl})["expiresAt"] - time.time() - 3600) < 5


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"colour": 1}, TypeError, "colour"),
        ({"ttl": "1h"}, ValueError, "ttl"),
        ({"ttl": -1}, ValueError, "ttl"),
        ({"ttl": float("nan")}, ValueError, "ttl"),
        ({"ttl": True}, ValueError, "ttl"),
        ({"ttl": 1, "expire_time": 1}, ValueError, "not both"),
        ({"expire_time": "2026-01-01T00:00:00"}, ValueError, "offset"),
        ({"expire_time": datetime.datetime(2026, 1, 1)}, ValueError, "offset"),
        ({"expire_time": "soon"}, ValueError, "expire_time"),
        ({"title": 5}, ValueError, "title"),
        ({"title": "a", "display_name": "b"}, ValueError, "title"),
        ({"labels": {"a": 1}}, ValueError, "labels"),
        ({"labels": ["a"]}, ValueError, "labels"),
    ],
)
def test_a_wrong_option_is_a_clear_error(options, error, named):
    with pytest.raises(error, match=named):
        create_options(options)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("threefold://h", ("http", "h", None, "", None)),
        ("threefold://h:81/", ("http", "h", 81, "", None)),
        ("threefold+https://h/a/b/", ("https", "h", None, "/a/b", None)),
        ("https://:k%2F1@h", ("https", "h", None, "", "k/1")),
        ("THREEFOLD+HTTP://H", ("http", "h", None, "", None)),
        (" http://[::1]:80 ", ("http", "::1", 80, "", None)),
    ],
)
def test_addresses(uri, expected):
    found = parse_uri(uri)
    assert (found.scheme, found.host, found.port, found.prefix, found.api_key) == expected
    assert repr(found) == f"Endpoint({found.scheme}, <redacted>)"


@pytest.mark.parametrize(
    "uri",
    ["", "h:80", "threefold://", "ftp://h", "threefold://h:x", "threefold://h:99999", "threefold://h?key=SECRET"]
    + ["threefold://SECRET@h", "threefold://SECRET:x@h", "postgresql://h", None, "threefold://[::1"],
)
def test_a_wrong_address_is_refused_without_showing_it(uri):
    with pytest.raises(ValueError) as caught:
        parse_uri(uri)
    assert "SECRET" not in str(caught.value) and caught.value.__cause__ is None
