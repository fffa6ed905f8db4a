# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the documents' tests share: documents with one mistake each, and what has to come of them."""

import sys


def run_planted(documents, run):
    """documents: (text, exit code, words of standard error). run: the process that has looked at a text. The exit code of all."""
    failed = 0
    for text, code, words in documents:
        result = run(text)
        if result.returncode != code or words not in result.stderr or "Traceback" in result.stderr:
            failed += 1
            print(f"FAILED: exit code {result.returncode}, allowed is {code} with '{words}':\n{text}{result.stderr}", file=sys.stderr)
    print(f"cases passed: {len(documents) - failed}")
    return 1 if failed else 0
