import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory_app.domain.views import SearchResult
from memory_app.selectors.search import SearchQuery, search
from sessions_app.domain.keys import UserKey


class Command(BaseCommand):
    help = "Search one user's memory and say why each hit came back, and why others did not. Prints stored content."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("user")
        parser.add_argument("query")
        parser.add_argument("--limit", type=int, default=10)
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: Any) -> None:
        key = UserKey(options["project"], options["user"])
        result = search(key, SearchQuery(options["query"], limit=options["limit"], explain=True))
        if options["format"] == "json":
            self.stdout.write(json.dumps(_as_json(result)))
            return
        for place, hit in enumerate(result.hits, start=1):
            self.stdout.write(f"{place}. {hit.score:.6f}  {hit.memory.kind}  {hit.memory.text}")
            for part in hit.parts:
                self.stdout.write(f"     {part.score:+.6f}  {part.kind}  {part.source}".rstrip())
        for miss in result.misses:
            self.stdout.write(f"-  {miss.score:.6f}  {miss.kind}  {miss.memory_id}: {miss.reason}")


def _as_json(result: SearchResult) -> dict[str, object]:
    hits = [
        {
            "id": hit.memory.memory_id,
            "kind": hit.memory.kind,
            "text": hit.memory.text,
            "score": hit.score,
            "explanation": {
                "parts": [{"kind": part.kind, "score": part.score, "source": part.source} for part in hit.parts],
                "collapsed": list(hit.collapsed),
            },
        }
        for hit in result.hits
    ]
    misses = [
        {"id": miss.memory_id, "kind": miss.kind, "reason": miss.reason, "score": miss.score} for miss in result.misses
    ]
    return {"memories": hits, "misses": misses, "ignoredWords": list(result.ignored_words)}
