"""Events as google-adk really makes them, for the tests of what is stored."""

from collections.abc import Callable
from typing import Any

from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes, OAuth2Auth
from google.adk.auth.auth_tool import AuthConfig
from google.adk.events.event import Event, NodeInfo
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.events.ui_widget import UiWidget
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types
from hypothesis import strategies as st
from pydantic import BaseModel

from .generate_adk_schema import annotation_of, describe


def made(model: Callable[..., Any], **fields: st.SearchStrategy) -> st.SearchStrategy:
    """Not ``builds``: it takes pydantic's aliases for further required arguments and makes values for them."""
    return st.fixed_dictionaries(fields).map(lambda values: model(**values))


# Pydantic cannot write a lone surrogate, so ADK never sends one; keys look like ADK's own names on purpose.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = (
    st.sampled_from(["a", "state_delta", "stateDelta", "invocation_id", "mime_type", "mimeType", "x_y", "", "type_"])
    | words
)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | words
)
free = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=3), max_leaves=6
)
maps = st.dictionaries(names, free, max_size=3)
labels = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=10)

parts = st.one_of(
    made(
        types.Part, text=words, thought=st.none() | st.booleans(), thought_signature=st.none() | st.binary(max_size=4)
    ),
    made(types.Part, function_call=made(types.FunctionCall, id=words, name=words, args=maps), part_metadata=maps),
    made(types.Part, function_response=made(types.FunctionResponse, id=words, name=words, response=maps)),
    made(types.Part, inline_data=made(types.Blob, data=st.binary(max_size=6), mime_type=st.just("image/png"))),
    made(types.Part, file_data=made(types.FileData, file_uri=words, mime_type=words, display_name=words)),
    made(types.Part, executable_code=made(types.ExecutableCode, code=words, language=st.just("PYTHON"))),
)
contents = made(types.Content, role=st.sampled_from(["user", "model"]), parts=st.lists(parts, max_size=3))
auth_configs = made(
    AuthConfig,
    auth_scheme=st.sampled_from(
        [{"type": "apiKey", "in": "header", "name": "X-Key"}, {"type": "http", "scheme": "basic"}]
    ),
    raw_auth_credential=made(
        AuthCredential,
        auth_type=st.just(AuthCredentialTypes.OAUTH2),
        oauth2=made(OAuth2Auth, client_id=words, redirect_uri=words, expires_at=st.none() | st.integers(0, 9)),
    ),
    credential_key=words,
)
actions = made(
    EventActions,
    skip_summarization=st.none() | st.booleans(),
    state_delta=st.dictionaries(
        st.sampled_from(["temp:a", "app:x", "user:x_y", "state_delta"]) | words, free, max_size=4
    ),
    artifact_delta=st.dictionaries(names, st.integers(0, 9), max_size=2),
    transfer_to_agent=st.none() | words,
    requested_auth_configs=st.dictionaries(names, auth_configs, max_size=1),
    requested_tool_confirmations=st.dictionaries(names, made(ToolConfirmation, hint=words, payload=maps), max_size=1),
    compaction=st.none()
    | made(EventCompaction, start_timestamp=st.just(1.5), end_timestamp=st.just(2.5), compacted_content=contents),
    agent_state=st.none() | maps,
    rewind_before_invocation_id=st.none() | labels,
    route=st.none() | st.booleans() | st.lists(words, max_size=2),
    render_ui_widgets=st.none() | st.lists(made(UiWidget, id=words, provider=words, payload=maps), max_size=1),
    set_model_response=free,
)
events = made(
    Event,
    id=st.uuids().map(str),
    timestamp=st.floats(0, 4e9),
    invocation_id=labels,
    author=labels,
    branch=st.none() | labels,
    content=st.none() | contents,
    actions=actions,
    node_info=made(NodeInfo, path=words, output_for=st.none() | st.lists(words, max_size=2)),
    long_running_tool_ids=st.none() | st.sets(words, max_size=2),
    custom_metadata=st.none() | maps,
    output=free,
    partial=st.sampled_from([None, False]),
    usage_metadata=st.none()
    | made(
        types.GenerateContentResponseUsageMetadata,
        prompt_token_count=st.integers(0, 9),
        prompt_tokens_details=st.lists(made(types.ModalityTokenCount, token_count=st.integers(0, 9)), max_size=2),
    ),
    grounding_metadata=st.none()
    | made(
        types.GroundingMetadata,
        grounding_chunks=st.lists(made(types.GroundingChunk, web=made(types.GroundingChunkWeb, uri=words)), max_size=2),
        search_entry_point=st.none() | made(types.SearchEntryPoint, sdk_blob=st.binary(max_size=3)),
    ),
)


def fill(model: type[BaseModel], *, by_alias: bool, extra: str | None = None) -> dict[str, Any]:
    """A JSON object with every field that ADK's schema has, at every depth, and one that it has not."""
    filled: dict[str, Any] = {} if extra is None else {extra: {"a": [1], "snake_key": None}}
    for name, info in model.model_fields.items():
        below, container = describe(annotation_of(model, name))
        key = (info.alias or name) if by_alias else name
        filled[key] = fill_field(name, below, (container or "").rstrip("?"), by_alias, extra)
    return filled


def fill_field(name: str, below: tuple[type[BaseModel], ...], container: str, by_alias: bool, extra: str | None) -> Any:
    member: Any = fill(below[0], by_alias=by_alias, extra=extra) if below else {"snake_key": {"mime_type": 1.50}}
    if container == "object":
        return member
    if container == "list":
        return [member] if below else ["x"]
    if container == "map":
        return {"some_key": member}
    return {"timestamp": 1700000000.25, "partial": False}.get(name, f"the {name}")
