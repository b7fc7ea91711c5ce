"""What English speakers say about themselves and ask for, as patterns at the start of a clause."""

from .entries import FACT, PREFERENCE
from .rule_shapes import (
    Rule,
    compile_rule,
    read_allergens,
    read_birthday,
    read_favorite,
    read_plain,
    read_setting,
)
from .rule_words import CLOCKS, DIETS, LANGUAGES, LENGTHS, MEASURES, TEMPERATURE_UNITS, any_of

LASTING_WORDS = (
    r"\b(?:from now on|from here on(?: out)?|from today(?: on)?|going forward|always|in (?:the )?future|by default"
    r"|every time|each time|at all times|as a rule|in general|whenever)\b"
)
ONE_TIME_WORDS = (
    r"\b(?:this time|this once|just once|just (?:for )?(?:this|now|today)|for now|only (?:this|today)|temporarily"
    r"|for (?:this|the next|that) \w+|for today|in this (?:one|case|answer|message|reply))\b"
)
HYPOTHETICAL = (
    r"\b(?:if|unless|suppos(?:e|ing)|imagine|imagining|pretend|assum(?:e|ing)|let's say|what if|might|maybe|perhaps"
    r"|probably|possibly|in case|hypothetically|whether|role-?play(?:ing)?|i wish|as though|would be)\b"
)
REPORTED = (
    r"(?<!\bi )(?<!\bi've )\b(?:said|says|saying|told me|tells me|asked|wrote|writes|claims|claimed|believes?|thinks?"
    r"|according to|quote|for example|e\.g|novel|story|lyrics|song goes|poem|character|sample|template|dialogue)\b"
)
TASKS_ON_TEXT = (
    r"(?:(?:please|can you|could you|help me|kindly|now)\s+)*"
    r"(?:translate|proofread|rewrite|paraphrase|correct|summari[sz]e|spell-?check|fix the grammar|complete the)\b"
)
TAG_QUESTIONS = r"(?:right|correct|isn't it|is it|am i(?: not)?|aren't i|don't i|do i|yes|no|huh|ok|okay)\s*\?+"

# Repetitions are bounded: their members overlap, and no text may make them try every division of itself.
_LEAD = (
    r"(?:(?:(?:just )?so you know|by the way|as i said|i (?:said|told you)(?: that)?|please note(?: that)?|note that"
    r"|(?:please )?remember(?: that)?|keep in mind(?: that)?|for the record|hi|hello|hey|well|so|ok|okay|oh|yes|yeah|no"
    r"|and|but|also|actually|btw|fyi|because|since|as)\b\s*){0,6}"
)
_END = r"(?=\s*(?:[.,;:!?()—\ue0ff]|$|\band\b|\bbut\b|\bso\b))"
_WORDS = r"(?: \w+){1,3}"
_TAIL = (
    rf"(?:\s+(?:please|from now on|going forward|always|again|only|instead(?: of{_WORDS})?|rather than{_WORDS}|now"
    r"|to me|with me|for me|by default|in (?:the )?future|every time|units?|degrees|system|clock|time|format|too"
    rf"|for (?:the )?(?:weather|temperatures?|forecasts?|everything|all{_WORDS})"
    r"|when(?:ever)?(?: [\w']+){1,6})){0,4}" + _END
)
_WANT = (
    r"(?:(?:(?:please|kindly|i(?:'d| would) like you to|i want you to|i need you to|make sure to|be sure to"
    r"|you should|you must|you can|let's)"
    rf"|{LASTING_WORDS}|just|also)\s*){{0,6}}"
)
_PREFER = (
    r"(?P<prefer>i(?:'d| would)?(?: really| much| still| always| usually)* (?:prefer|rather have|like|use)"
    r"|my (?:preferred|favou?rite|default|usual)(?: \w+){0,3} (?:is|are))"
)
_SWITCH = (
    r"(?P<switch>(?:switch|change|go|move)"
    r"(?: (?:it|that|this|the|my|temperature|units?|language|back|over|answers?))* (?:back )?to)"
)
# What may stand between a request and a unit; a number or a question between them makes it something else.
_MIDDLE = r"(?: (?!(?:about|what|how|why|whether|difference|not|from|than|instead|rather)\b)[a-z']+){0,7}?"
_USE = (
    r"(?:use|using|report|give|show|tell|display|state|quote|stick (?:to|with)|keep(?: using)?|set|answer|respond)"
    rf"{_MIDDLE}"
)
_SAY = (
    r"(?:answer|reply|respond|speak|talk|write|communicate|chat|use|explain)"
    r"(?: (?:back|only|to me|with me|me|all|everything|your|my|questions?|answers|replies|messages))*"
)
_LIKE_TO_SPEAK = (
    r"(?: (?:your|answers|replies|to (?:speak|talk|chat|be answered)|speaking|you to (?:answer|reply|speak)))+"
)
_LENGTHEN = (
    r"(?:(?P<switch>(?:keep|make) (?:(?:your|the|all) )*(?:answers|replies|responses))"
    r"|be|answer|reply|respond|write|give(?: me)?)(?: (?:more|me|in))*"
)
_CAPITALIZED = r"(?-i:[A-Z\u00c0-\u00de][\w'-]*)"
_PROPER = rf"(?P<value>{_CAPITALIZED}(?:[ -](?:{_CAPITALIZED}|(?:de|do|da|dos|of|la|le|el|the|del|di|upon)(?= )))*)"
_NO_NAME = (
    r"(?!(?:an?|the|my|your)\s+\w|(?:not|on|in|what|when|if|at|back|later|again|tomorrow|tonight|today|soon|after|before|by|to"
    r"|for|it|that|crazy|ready|sure)\b)"
)
_NAME = rf"{_NO_NAME}(?P<value>[^\W\d_][\w'-]*(?: {_CAPITALIZED}){{0,3}})(?: (?:from now on|please|instead|now))*{_END}"
_NO_ALLERGEN = (
    r"(?!(?:so|but|please|i|i'm|i've|my|what|which|because|that|can|could|is|are|do|we|you|it|he|she|they|and|or|since|when"
    r"|in|at|for|as|with|from|anymore|any|if|how|where|also|they're|it's)\b)"
)
_ALLERGEN = rf"(?:(?:all|any|some|most|the) )?{_NO_ALLERGEN}[a-z]+(?:[ -]{_NO_ALLERGEN}[a-z]+){{0,2}}"
_ALLERGENS = rf"(?P<list>{_ALLERGEN}(?:(?:,? (?:and|or) |, ?){_ALLERGEN})*)"

_VERY = r"(?: (?:really|also|severely|very|quite|highly|deathly|extremely|just|still))*"
_NOW = r"(?: (?:now|currently|just|recently|finally|already|still))*"
_NOT_PAST = r"(?![^.!?]*\b(?:anymore|any more|any longer|no longer)\b)"
_FREE = r"(?P<value>[^\s.,;:!?][^,;:!?]{0,60}?)\s*(?=[.,;!?—]|$)"


def _setting(key: str, words: dict[str, str], request: str, like: str, after: str = "") -> tuple[Rule, Rule]:
    """The two shapes of a setting: asking for it, and saying that one likes it."""
    value = rf"\s+(?:in )?(?:the |a |degrees )?(?P<value>{any_of(words)}){after}"
    asked = compile_rule(rf"{_LEAD}{_WANT}(?:{_SWITCH}|{request}){value}{_TAIL}")
    liked = compile_rule(rf"{_LEAD}{_PREFER}{like}{value}{_TAIL}")
    read = read_setting(key, words)
    return Rule(PREFERENCE, asked, read, request=True), Rule(PREFERENCE, liked, read, request=True)


def _fact(key: str, pattern: str, confidence: float = 0.9) -> Rule:
    return Rule(FACT, compile_rule(_LEAD + pattern), read_plain(key), confidence)


RULES = (
    *_setting("preference/temperature_unit", TEMPERATURE_UNITS, _USE, _MIDDLE),
    *_setting("preference/measurement_system", MEASURES, _USE, _MIDDLE, r"(?: (?:units?|system|measurements?))?"),
    *_setting("preference/time_format", CLOCKS, _USE, _MIDDLE),
    *_setting("preference/language", LANGUAGES, _SAY, _LIKE_TO_SPEAK),
    Rule(
        PREFERENCE,
        compile_rule(
            rf"{_LEAD}{_WANT}{_LENGTHEN} (?P<value>{any_of(LENGTHS)})(?: (?:answers|replies|responses))?{_TAIL}"
        ),
        read_setting("preference/answer_length", LENGTHS),
        request=True,
    ),
    Rule(
        PREFERENCE,
        compile_rule(rf"{_LEAD}{_PREFER} (?P<value>{any_of(LENGTHS)}) (?:answers|replies|responses){_TAIL}"),
        read_setting("preference/answer_length", LENGTHS),
        request=True,
    ),
    Rule(
        PREFERENCE,
        compile_rule(rf"{_LEAD}(?:(?:{LASTING_WORDS}|please|you can)\s+){{0,3}}(?:just )?call me {_NAME}"),
        read_plain("preference/form_of_address"),
    ),
    Rule(
        PREFERENCE,
        compile_rule(rf"{_LEAD}my (?:all-time )?favou?rite (?P<thing>[a-z]+(?: [a-z]+)?) (?:is|are) {_FREE}"),
        read_favorite,
    ),
    _fact("fact/name", rf"(?:my (?:full )?name is|my name's|i(?:'m| am) called|i go by) {_NAME}", 0.95),
    _fact("fact/residence", rf"{_NOT_PAST}i(?:'m| am)?{_NOW} (?:live|living|based|reside|residing) in {_PROPER}"),
    _fact("fact/residence", rf"{_NOT_PAST}i(?:'ve| have)?{_NOW} (?:moved|relocated)(?: back)? to {_PROPER}"),
    _fact("fact/workplace", rf"{_NOT_PAST}i{_NOW} work (?:at|for) {_PROPER}"),
    _fact("fact/occupation", rf"{_NOT_PAST}i(?:'m| am)?{_NOW} (?:work|working) as (?:an? |the )?{_FREE}"),
    _fact("fact/occupation", rf"my (?:job|occupation|profession) is (?:an? |being an? ){_FREE}"),
    _fact("fact/occupation", rf"i(?:'m| am) an? (?P<value>[a-z -]{{3,40}}?) by (?:profession|trade|training){_END}"),
    Rule(
        FACT,
        compile_rule(rf"{_LEAD}(?:i|we)(?:'m| am| are|'re)(?:{_VERY} | )(?P<over>no longer )?allergic to {_ALLERGENS}"),
        read_allergens,
        0.95,
    ),
    Rule(FACT, compile_rule(rf"{_LEAD}i have an?(?: [a-z]+)? allergy to {_ALLERGENS}"), read_allergens, 0.95),
    Rule(
        FACT,
        compile_rule(rf"{_LEAD}i have an? (?:(?:severe|bad|mild|serious) )?(?P<list>{_ALLERGEN}) allergy{_END}"),
        read_allergens,
    ),
    Rule(
        FACT,
        compile_rule(
            _LEAD
            + r"(?:my (?:birthday|birthdate|date of birth)(?: is|'s)(?: on)?|i was born on) (?P<value>[^.!?]{3,40})"
        ),
        read_birthday,
        0.95,
    ),
    Rule(
        FACT,
        compile_rule(
            rf"{_LEAD}{_NOT_PAST}(?:i(?:'m| am){_VERY}{_NOW} (?:an? )?(?:strict |lifelong )?|i{_NOW} (?:only )?eat )"
            rf"(?P<value>{any_of(DIETS)})(?: (?:food|meat|person|diet|now))*{_END}"
        ),
        read_setting("fact/diet", DIETS),
    ),
)
"""The first rule that matches a clause speaks for it, save that allergies, names and places may stand side by side."""

_ORDER = (
    r"(?:answer|reply|respond|use|write|include|start|end|begin|ask|check|confirm|keep|show|give|add|cite|format|explain"
    r"|put|avoid|mention|tell|call|address|speak|provide|list|round|sign|greet|convert|remind|assume|send|make|stop|wait"
    r"|summarize|skip|leave|return|suggest|recommend|refer|quote|double-check|prefer|set|do not|don't|always)\b"
)
_FROM_NOW_ON = r"(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|by default|every time)"

STANDING_REQUESTS = (
    compile_rule(rf"{_LEAD}please\s+(?:{_FROM_NOW_ON},?\s+)?(?:always|never)\s+[a-z]"),
    compile_rule(rf"{_LEAD}always\s+{_ORDER}"),
    compile_rule(
        rf"{_LEAD}never\s+(?:use|call|answer|reply|respond|include|mention|ask|send|share|recommend|suggest)\b"
    ),
    compile_rule(rf"{_LEAD}{_FROM_NOW_ON}\s*,?\s*(?:please\s+[a-z]|never\s|{_ORDER}|you (?:should|must|can)\b)"),
    compile_rule(rf"{_LEAD}please\s+(?:{_ORDER})[^.!?]*\b(?:{_FROM_NOW_ON}|always)\b"),
)
"""A request that is to hold from now on, whatever it asks for."""

REMEMBER = compile_rule(
    r"(?:(?:hi|hey|ok|please|also|and)\s+)*(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that|\s*:)\s*[^\s].{2,300}"
)
"""A request to remember, whatever it is."""
