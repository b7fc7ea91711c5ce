"""ADK's five memory methods through our class against a real server."""

import asyncio
import json
from datetime import datetime

import pytest
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types

from tests.client.events import call_event, text_event
from threefold import InvalidRequest, NotAuthorized, ProjectNotFound


def entry(text, **fields):
    return MemoryEntry(content=types.Content(role="user", parts=[types.Part(text=text)]), **fields)


def words(found):
    return [memory.content.parts[0].text for memory in found]


async def search(memories, app, query, user="ana"):
    return (await memories.search_memory(app_name=app, user_id=user, query=query)).memories


def stored(live, app, user="ana", **query):
    """What the server holds, by another way than the client's."""
    target = f"/apps/{app}/users/{user}/memories?" + "&".join(f"{name}={value}" for name, value in query.items())
    return json.loads(live.request("GET", target)[2])["memories"]


async def talk(sessions, app, *texts, user="ana", session_id="s1"):
    mine = await sessions.create_session(app_name=app, user_id=user, session_id=session_id)
    for text in texts:
        await sessions.append_event(mine, text_event(text))
    return mine


async def test_a_session_that_was_added_is_found_with_all_that_adk_knows_of_a_memory(sessions, memories, app):
    mine = await talk(sessions, app, "My cat is called Mochi.")
    await memories.add_session_to_memory(mine)
    [found] = await search(memories, app, "what is the cat called")
    assert found.id and found.author == "user" and words([found]) == ["My cat is called Mochi."]
    moment = datetime.fromisoformat(found.timestamp)
    assert moment.tzinfo is not None and moment.timestamp() == pytest.approx(mine.events[0].timestamp, abs=1e-5)
    metadata = found.custom_metadata
    assert metadata["session_id"] == "s1" and metadata["event_id"] == mine.events[0].id
    assert metadata["kind"] == "EXCERPT" and metadata["score"] > 0


async def test_i4_adding_again_adds_only_what_is_new(sessions, memories, live, app):
    mine = await talk(sessions, app, "The first fact is about Lisbon.")
    for _ in range(3):
        await memories.add_session_to_memory(mine)
    await sessions.append_event(mine, text_event("The second fact is about Porto."))
    await memories.add_session_to_memory(mine)
    await memories.add_events_to_memory(app_name=app, user_id="ana", events=mine.events, session_id="s1")
    assert len(stored(live, app)) == 2


async def test_a_filtered_session_loses_nothing(sessions, memories, live, app):
    mine = await talk(sessions, app, "The first fact is about Lisbon.", "The second fact is about Porto.")
    mine.events = mine.events[1:]
    await memories.add_session_to_memory(mine)
    mine.events = []
    await memories.add_session_to_memory(mine)
    assert len(stored(live, app)) == 2


async def test_a_session_of_another_service_is_ingested_from_the_events_at_hand(memories, live, app):
    foreign = InMemorySessionService()
    mine = await foreign.create_session(app_name=app, user_id="ana", session_id="elsewhere")
    await foreign.append_event(mine, text_event("My cat is called Mochi."))
    for _ in range(2):
        await memories.add_session_to_memory(mine)
    [found] = await search(memories, app, "cat")
    assert found.custom_metadata["session_id"] == "elsewhere" and len(stored(live, app)) == 1


async def test_a_session_of_threefolds_that_is_gone_is_not_brought_back_from_a_copy(sessions, memories, live, app):
    mine = await talk(sessions, app, "My cat is called Mochi.")
    await sessions.delete_session(app_name=app, user_id="ana", session_id="s1")
    with pytest.raises(SessionNotFoundError):
        await memories.add_session_to_memory(mine)
    assert stored(live, app) == []


async def test_events_carry_the_metadata_of_the_call_and_no_attachment(memories, live, app):
    image = types.Part(inline_data=types.Blob(mime_type="image/png", data=b"\x00\xff" * 50))
    event = text_event("This is Mochi, my cat.")
    event.content.parts.append(image)
    partial = text_event("This is Mo", partial=True)
    await memories.add_events_to_memory(
        app_name=app, user_id="ana", events=[partial, event], custom_metadata={"channel": "voice", "nested": {"a": [1]}}
    )
    [found] = await search(memories, app, "Mochi")
    assert found.custom_metadata["channel"] == "voice" and found.custom_metadata["nested"] == {"a": [1]}
    assert "session_id" not in found.custom_metadata and len(event.content.parts) == 2
    assert len(stored(live, app)) == 1


async def test_more_events_than_one_request_takes_are_all_ingested(memories, live, app):
    events = [text_event(f"note number {number} zebra{number}") for number in range(1201)]
    await memories.add_events_to_memory(app_name=app, user_id="ana", events=events, session_id="long")
    for number in (0, 600, 1200):
        assert words(await search(memories, app, f"zebra{number}"))[0] == f"note number {number} zebra{number}"


async def test_many_tasks_add_the_same_session_at_once_and_each_event_is_one_memory(sessions, memories, live, app):
    mine = await talk(sessions, app, *(f"note number {number} zebra{number}" for number in range(5)))
    calls = [memories.add_session_to_memory(mine) for _ in range(8)]
    calls += [
        memories.add_events_to_memory(app_name=app, user_id="ana", events=mine.events, session_id="s1")
        for _ in range(8)
    ]
    await asyncio.gather(*calls)
    assert len(stored(live, app)) == 5


async def test_no_events_and_no_memories_ask_nothing_of_the_server(memories, live, app):
    await memories.add_events_to_memory(app_name=app, user_id="ana", events=[])
    await memories.add_events_to_memory(app_name=app, user_id="ana", events=[text_event(partial=True)])
    await memories.add_memory(app_name=app, user_id="ana", memories=[])
    assert app not in json.loads(live.request("GET", "/list-apps")[2])


async def test_a_memory_that_was_added_directly_comes_back_as_it_was_given(memories, app):
    given = entry(
        "Ana is allergic to peanuts.",
        author="nurse",
        timestamp="2026-11-02T09:30:00+09:00",
        custom_metadata={"source": "form", "threefold": {"kind": "FACT", "key": "allergy", "confidence": 0.9}},
    )
    await memories.add_memory(app_name=app, user_id="ana", memories=[given], custom_metadata={"batch": 7})
    [found] = await search(memories, app, "peanuts")
    assert found.content == given.content and found.author == "nurse"
    assert datetime.fromisoformat(found.timestamp) == datetime.fromisoformat(given.timestamp)
    kept = {name: found.custom_metadata[name] for name in ("source", "batch", "kind")}
    assert kept == {"source": "form", "batch": 7, "kind": "FACT"}
    assert "event_id" not in found.custom_metadata and "threefold" not in found.custom_metadata
    assert given.custom_metadata["threefold"]["key"] == "allergy"


async def test_a_time_without_an_offset_is_local_as_adks_own_services_write_it(memories, app):
    moment = datetime.now().timestamp() - 3600
    given = entry("Ana moved to Gdansk.", timestamp=datetime.fromtimestamp(moment).isoformat())
    await memories.add_memory(app_name=app, user_id="ana", memories=[given])
    [found] = await search(memories, app, "Gdansk")
    assert datetime.fromisoformat(found.timestamp).timestamp() == pytest.approx(moment, abs=1e-5)


async def test_adding_the_same_memory_twice_keeps_one_and_a_later_value_supersedes(memories, live, app):
    def city(name, **fields):
        return entry(f"Ana lives in {name}.", custom_metadata={"threefold": {"key": "city"}}, **fields)

    scope = {"app_name": app, "user_id": "ana"}
    for _ in range(2):
        await memories.add_memory(**scope, memories=[entry("Ana has two brothers.")])
        await memories.add_memory(**scope, memories=[city("Porto", id="m-1")])
    await memories.add_memory(**scope, memories=[city("Gdansk")])
    # A repetition of what was said before is no news, whenever it arrives.
    await memories.add_memory(**scope, memories=[city("Porto", id="m-1")])
    texts = sorted(memory["content"]["parts"][0]["text"] for memory in stored(live, app))
    assert texts == ["Ana has two brothers.", "Ana lives in Gdansk."]
    assert len(stored(live, app, status="any")) == 3


async def test_what_memory_refuses_to_keep_is_logged_without_its_words(memories, live, app, caplog):
    unsure = entry("Ana may like jazz.", custom_metadata={"threefold": {"confidence": 0.1}})
    await memories.add_memory(app_name=app, user_id="ana", memories=[unsure])
    assert stored(live, app) == []
    assert "confidence is too low" in caplog.text and "jazz" not in caplog.text


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"custom_metadata": {"blob": b"private"}}, "memories[1].custom_metadata.blob"),
        ({"custom_metadata": {"a": {"b": [float("nan")]}}}, "memories[1].custom_metadata.a.b[0]"),
        ({"custom_metadata": {"f": print}}, "memories[1].custom_metadata.f"),
        ({"custom_metadata": {"threefold": {"colour": "private"}}}, "memories[1].custom_metadata.threefold"),
        ({"custom_metadata": {"threefold": "private"}}, "memories[1].custom_metadata.threefold"),
        ({"custom_metadata": {"threefold": {"kind": "private"}}}, "memories[1].kind"),
        ({"custom_metadata": {"threefold": {"confidence": 2}}}, "memories[1].confidence"),
        ({"timestamp": "private, last year"}, "memories[1].timestamp"),
        ({"content": types.Content(parts=[])}, "memories[1].content.parts"),
        ({"content": types.Content(parts=[types.Part(text=" ")])}, "memories[1].content.parts"),
    ],
)
async def test_an_entry_that_does_not_fit_is_refused_by_its_place_and_nothing_is_stored(
    memories, live, app, change, named
):
    given = [entry("This one is good."), entry("private").model_copy(update=change)]
    with pytest.raises(ValueError) as refused:
        await memories.add_memory(app_name=app, user_id="ana", memories=given)
    assert named in str(refused.value) and "private" not in str(refused.value)
    assert stored(live, app) == []


@pytest.mark.parametrize("value", [b"private", float("inf"), print, {"deep": b"private"}])
async def test_metadata_of_a_call_that_is_not_json_is_refused_by_its_key(memories, app, value):
    call = {"app_name": app, "user_id": "ana", "custom_metadata": {"key": value}}
    for refused in (
        memories.add_memory(**call, memories=[entry("x")]),
        memories.add_events_to_memory(**call, events=[text_event()]),
    ):
        with pytest.raises(ValueError, match=r"custom_metadata\.key") as error:
            await refused
        assert "private" not in str(error.value)


async def test_an_event_that_is_not_json_is_refused_by_its_place(memories, app):
    with pytest.raises(ValueError, match=r"event\.content"):
        await memories.add_events_to_memory(
            app_name=app, user_id="ana", events=[call_event({"secret": float("nan")})], session_id="s"
        )


async def test_forgetting_takes_effect_in_the_next_search_and_lasts(sessions, memories, live, app):
    mine = await talk(sessions, app, "My cat is called Mochi.", "My dog is called Rex.")
    await memories.add_session_to_memory(mine)
    [cat] = [memory for memory in await search(memories, app, "cat") if "Mochi" in memory.content.parts[0].text]
    await memories.delete_memory(app_name=app, user_id="ana", memory_id=f" {cat.id} ")
    assert words(await search(memories, app, "cat Mochi")) in ([], ["My dog is called Rex."])
    await memories.add_session_to_memory(mine)
    await memories.add_events_to_memory(app_name=app, user_id="ana", events=mine.events, session_id="s1")
    await memories.add_memory(app_name=app, user_id="ana", memories=[cat])
    assert [memory["content"]["parts"][0]["text"] for memory in stored(live, app)] == ["My dog is called Rex."]
    # Gone is gone, also the second time.
    await memories.delete_memory(app_name=app, user_id="ana", memory_id=cat.id)


@pytest.mark.parametrize("memory_id", [None, "", "  ", "\n"])
async def test_e13_delete_without_an_id_is_refused_and_deletes_nothing(memories, live, app, memory_id):
    await memories.add_memory(app_name=app, user_id="ana", memories=[entry("Ana has two brothers.")])
    with pytest.raises(ValueError, match="memory_id"):
        await memories.delete_memory(app_name=app, user_id="ana", memory_id=memory_id)
    assert len(stored(live, app)) == 1


async def test_an_id_that_cannot_be_a_memorys_is_refused(memories, app):
    for wrong in ("*", "../memories:forget", "all", "x" * 300):
        with pytest.raises(InvalidRequest):
            await memories.delete_memory(app_name=app, user_id="ana", memory_id=wrong)


async def test_e4_nothing_of_another_user_or_app_is_found_or_deleted(memories, live, app):
    await memories.add_memory(app_name=app, user_id="ana", memories=[entry("Ana has two brothers.")])
    [mine] = await search(memories, app, "brothers")
    for name, user in ((app, "ben"), (app, "an"), (app, "ana/"), (app, "%"), (f"{app}-2", "ana")):
        assert await search(memories, name, "Ana brothers", user) == []
        await memories.delete_memory(app_name=name, user_id=user, memory_id=mine.id)
    assert len(stored(live, app)) == 1


@pytest.mark.parametrize("blank", ["", "  "])
async def test_e15_a_blank_user_finds_nothing_and_can_store_nothing(memories, live, app, blank):
    scope = {"app_name": app, "user_id": blank}
    assert await search(memories, app, "anything", blank) == []
    for refused in (
        memories.add_memory(**scope, memories=[entry("x")]),
        memories.add_events_to_memory(**scope, events=[text_event()]),
        memories.add_session_to_memory(Session(id="s", **scope)),
        memories.delete_memory(**scope, memory_id="7b0f4b5e-0000-7000-8000-000000000000"),
    ):
        with pytest.raises(ValueError, match="user_id"):
            await refused


@pytest.mark.parametrize("query", ["", "  ", "?!", "。？", '"', "a" * 30_000, "\x00", "\ud800", "(*&|<>:", "_"])
async def test_i2_any_query_is_answered(memories, app, query):
    await memories.add_memory(app_name=app, user_id="ana", memories=[entry("Ana has two brothers.")])
    assert await search(memories, app, query) == []


async def test_a_long_message_is_looked_for_by_its_beginning_and_its_end(memories, app):
    await memories.add_memory(app_name=app, user_id="ana", memories=[entry("Ana has two brothers.")])
    filler = "lorem " * 5000
    assert words(await search(memories, app, f"brothers {filler}")) == ["Ana has two brothers."]
    assert words(await search(memories, app, f"{filler} brothers")) == ["Ana has two brothers."]


async def test_a_search_brings_as_many_as_the_policy_puts_into_a_prompt(memories, app):
    given = [entry(f"Trip number {number} went to Lisbon.") for number in range(12)]
    await memories.add_memory(app_name=app, user_id="ana", memories=given)
    assert len(await search(memories, app, "trip to Lisbon")) == 8


async def test_a_key_without_the_scope_and_a_project_that_is_not_there_are_errors_and_not_an_empty_memory(live, app):
    live.manage("create_project", app)
    key = live.make_key("--project", app, "--scope", "memory:read")
    async with live.memory(api_key=key) as reader:
        assert await search(reader, app, "anything") == []
        for refused in (
            reader.add_memory(app_name=app, user_id="ana", memories=[entry("x")]),
            reader.add_events_to_memory(app_name=app, user_id="ana", events=[text_event()]),
            reader.delete_memory(app_name=app, user_id="ana", memory_id="7b0f4b5e-0000-7000-8000-000000000000"),
        ):
            with pytest.raises(NotAuthorized):
                await refused
        with pytest.raises(ProjectNotFound):
            await search(reader, f"{app}-2", "anything")


async def test_a_key_of_one_user_finds_nothing_of_another(live, memories, app):
    await memories.add_memory(app_name=app, user_id="ana", memories=[entry("Ana has two brothers.")])
    key = live.make_key("--project", app, "--user", "ben", "--scope", "memory:read", "--scope", "memory:forget")
    async with live.memory(api_key=key) as bens:
        assert await search(bens, app, "brothers") == []
        [mine] = await search(memories, app, "brothers")
        await bens.delete_memory(app_name=app, user_id="ana", memory_id=mine.id)
    assert len(stored(live, app)) == 1
