"""Prints "passed failed skipped" of a JUnit report that ctest or pytest has written."""

import sys
import xml.etree.ElementTree as ElementTree


def main() -> int:
    suite = ElementTree.parse(sys.argv[1]).getroot()
    if suite.tag != "testsuite":
        suite = suite.find("testsuite")
    total = int(suite.get("tests", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
    if total == 0:
        print("the report names no test", file=sys.stderr)
        return 1
    print(total - failed - skipped, failed, skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
