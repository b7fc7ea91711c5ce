#!/usr/bin/env python3
"""One door to everything a developer does here: python3 dev.py up | demo | test | check | bench.

Needs nothing but a Python: any one from 3.8 on may start it, and a Python >= 3.11 is looked for to do the work.
"""

import os
import sys

from devtools import interpreters


def main():
    """Hand over to a suitable interpreter if this one is too old, else run the command."""
    python = interpreters.find_python()
    if python is None:
        sys.stderr.write(f"dev.py: {interpreters.NONE_FOUND}\n")
        return 2
    if python != sys.executable:
        os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
    from devtools import commands

    return commands.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
