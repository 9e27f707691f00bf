"""Compares tables in JSON Lines value by value: whole numbers exactly, others by their bits."""

import json
import struct


def normal(value):
    """Drops what a row cannot tell from nothing: null members, and objects left empty."""
    if not isinstance(value, dict):
        return value
    kept = {name: normal(member) for name, member in value.items() if member is not None}
    return {name: member for name, member in kept.items() if member != {}}


def difference(expected, found, where=""):
    """None where both are the same value, else a sentence that says where they part."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected.keys() != found.keys():
            return f"{where or 'row'}: features {sorted(expected.keys() ^ found.keys())[:5]} differ"
        for name in expected:
            found_at = difference(expected[name], found[name], f"{where}.{name}")
            if found_at:
                return found_at
        return None
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return f"{where}: {len(expected)} entries became {len(found)}"
        for i, (a, b) in enumerate(zip(expected, found)):
            found_at = difference(a, b, f"{where}[{i}]")
            if found_at:
                return found_at
        return None
    if isinstance(expected, bool) or isinstance(found, bool):
        same = expected is found
    elif isinstance(expected, float) or isinstance(found, float):
        # A column of numbers of which some are whole is a column of floats.
        numbers = isinstance(expected, (int, float)) and isinstance(found, (int, float))
        same = numbers and struct.pack("<d", expected) == struct.pack("<d", found)
    else:
        same = type(expected) is type(found) and expected == found
    return None if same else f"{where}: {expected!r} became {found!r}"


def first_difference(expected_lines, found_lines):
    """Compares two iterables of lines; None, or a sentence about the first row that differs."""
    expected_lines, found_lines = iter(expected_lines), iter(found_lines)
    row = 0
    while True:
        expected, found = next(expected_lines, None), next(found_lines, None)
        if expected is None or found is None:
            return None if expected is found else f"row {row}: one table ends here"
        if expected != found:
            text = difference(normal(json.loads(expected)), normal(json.loads(found)))
            if text:
                return f"row {row}: {text}"
        row += 1
