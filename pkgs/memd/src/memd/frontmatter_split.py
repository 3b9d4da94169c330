"""Where the frontmatter of a Markdown file ends.

On the session-start path: imports nothing.
"""

from __future__ import annotations

FENCE = "---"


def split(text: str) -> tuple[str, str]:
    """The raw YAML between the fences ("" without any), and the body below.

    A byte order mark, carriage returns at line ends and blank lines above the body are
    dropped; all else is kept as it stands.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() == FENCE:
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() == FENCE:
                return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]).lstrip("\n")
    return "", text
