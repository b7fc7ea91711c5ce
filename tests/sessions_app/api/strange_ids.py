"""Ids that have met each other in other stores, and path segments that are no ids."""

from urllib.parse import quote

IDS = [
    # Case, wildcards, separators and shared prefixes (E5).
    *("u", "u1", "u_1", "u-1", "u%", "u\\1", "u:1", "u.1", "U", "u ~", "u*", "u|1", "u,1", "u;1", "u=1", "u&1", "u@1"),
    # Slashes, encoded and literal, and texts that look like parts of a path (E10).
    *("a", "a/b", "a%2Fb", "a%252Fb", "a/", "/a", "/", "//", "b", "a//b", "ana", "ana/sessions/s2", "s2", "sessions"),
    *("events", "events:batch", "state", "users", "ana/sessions/s2/events", "users/ana", "list-apps"),
    # Texts that a file system or a careless decoder would follow (E9).
    *("..x", "x..", "...", "../x", "..\\x", "..%2F..%2Fetc", "%2e%2e", "%2E%2E/", "/abs", "C:\\x", "a/../../b", "./a"),
    *("%", "%%", "%25", "%00", "%zz", "%2F", "%20"),
    # Unicode: composed and decomposed, look-alikes, what folds to something else.
    *("\u00e9", "e\u0301", "e", "\U0001f600", "\U0001f469\u200d\U0001f680", "\u0130", "i\u0307", "\u0131", "i", "I"),
    *(
        "\u00df",
        "ss",
        "SS",
        "K",
        "\u212a",
        "\ufb01",
        "fi",
        "\uff21",
        "A",
        "\u202ea",
        "\u200ba",
        "\ufeffa",
        "\u7528\u6237",
    ),
    # Characters with a meaning in targets, queries, SQL, JSON and HTML.
    *("?", "a?b", "#", "a#b", "a b", "a+b", "+", "O'Brien", '"', "' OR 1=1 --", "<b>", "{}", "[]", "$ne", "a\u00a0b"),
    # Words that code takes for nothing, and the longest ones.
    *("0", "null", "None", "undefined", "false", "-1", "x" * 255, "x" * 254, "\u00e9" * 255, "\U0001f600" * 255),
]

# As sent in a path. The decoded text is blank, too long, or no text of whole characters.
NO_IDS = [
    *("", "%20", "%09", "%C2%A0%20", ".", "..", "%2e", "%2E%2e", "%20..%20"),
    *("x" * 256, "x" * 300, quote("\u00e9" * 256), quote("\U0001f600" * 300)),
    *("a%00b", "%00", "a%0Ab", "a%0D%0Ab", "a%1Fb", "a%7Fb", "a%C2%85b", "a%C2%9Fb"),
    *("%ED%A0%80", "a%ED%BF%BFb", "%FF", "a%C3", "%C0%80", "%F8%88%80%80%80"),
]

# As sent in a path, and the id that it is.
SPELLINGS = [
    *(("%20ana", "ana"), ("ana%20%20", "ana"), ("%C2%A0ana%E3%80%80", "ana"), ("%61na", "ana"), ("an%61", "ana")),
    *(("a%2fb", "a/b"), ("a%2Fb", "a/b"), ("u:1", "u:1"), ("u%3A1", "u:1"), ("a+b", "a+b"), ("a%2Bb", "a+b")),
    *(
        ("%c3%a9", "\u00e9"),
        ("a%20b", "a b"),
        ("u@1", "u@1"),
        ("u;1", "u;1"),
        ("u=1", "u=1"),
        ("%", "%"),
        ("%zz", "%zz"),
    ),
]
