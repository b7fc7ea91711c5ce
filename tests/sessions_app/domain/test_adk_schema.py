"""The committed table of field names is that of the installed ADK."""

from sessions_app.domain.adk_schema import MODELS

from .generate_adk_schema import TARGET, make_schema, make_source


def test_the_table_is_what_the_installed_adk_says() -> None:
    """When this fails after an upgrade of google-adk, run the generator and read the difference."""
    assert make_schema() == MODELS
    assert TARGET.read_text(encoding="utf-8") == make_source()


def test_every_model_below_is_in_the_table() -> None:
    below = {model for fields in MODELS.values() for _, model, _ in fields.values() if model}
    assert below <= MODELS.keys()
    assert MODELS.keys() - below == {"Event"}


def test_no_name_means_two_fields() -> None:
    for fields in MODELS.values():
        spellings = [name for snake, (camel, _, _) in fields.items() for name in {snake, camel}]
        assert len(spellings) == len(set(spellings))


def test_free_values_have_no_model_below() -> None:
    free = {
        "EventActions": ["state_delta", "artifact_delta", "agent_state", "set_model_response"],
        "Event": ["custom_metadata"],
        "FunctionCall": ["args"],
        "FunctionResponse": ["response"],
        "UiWidget": ["payload"],
        "Part": ["part_metadata"],
    }
    for model, names in free.items():
        assert all(MODELS[model][name][1] is None for name in names)
    assert "output" not in MODELS["Event"]
