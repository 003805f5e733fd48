"""What the programs beside this file share: they check, say what is wrong, and end with 1 then."""

import sys

_failures = []


def check(holds, what):
    """Notes that something does not hold; gives whether it does."""
    if not holds:
        _failures.append(what)
        print(f"wrong: {what}", flush=True)
    return holds


def end(count):
    """Ends the program, whose last line says how much it has checked."""
    print(f"{count} checked, {len(_failures)} wrong", flush=True)
    sys.exit(1 if _failures else 0)
