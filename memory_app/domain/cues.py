"""Two facts about a text and one about a query that ranking looks at. The first two are stored with the memory."""

import re

from .text_forms import fold_text

_TRAILING = re.compile(r"[\s\"'”’»」』)\]}]+$")

_TIME_WORDS = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|week(?:end)?s?|months?|years?|days?|hours?|minutes?|morning|afternoon"
    r"|evening|night|last|next|since|recently|earlier|later|soon|daily|weekly|monthly|summer|winter|spring|autumn|fall"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:19|20)\d\d\b|\b\d{1,2}(?::\d\d)?\s?[ap]m\b"
    r"|[昨今明前后]天|[上下这本][周个]|[去今明前后]年|[年月日号點点]|星期|礼拜|周末|刚才|刚刚|最近|以前|之前|早上|晚上|下午|上午|小时|分钟"
    r"|昨日|今日|明日|先週|来週|時|어제|오늘|내일|지난|다음"
)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:time|date|day|month|year|week|season)\b|\bhow\s+(?:long|recently|often)\b"
    r"|什么时候|甚麼時候|什么时间|何时|何時|几号|几月|几点|哪[一]?[天年日]|哪个月|多久|多长时间|日期|星期几|周几|いつ|何月|何日|언제|며칠"
)


def is_question(text: str) -> bool:
    """Whether a text ends in a question mark; what only asks is seldom what answers."""
    return _TRAILING.sub("", fold_text(text)).endswith("?")


def names_time(text: str) -> bool:
    """Whether a text holds a word of time."""
    return _TIME_WORDS.search(fold_text(text)) is not None


def asks_when(query: str) -> bool:
    """Whether a query asks for a time."""
    return _WHEN.search(fold_text(query)) is not None
