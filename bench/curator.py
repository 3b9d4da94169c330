"""A curator that keeps a record of what it is shown and changes next to nothing.

--record FOLDER   append to `sizes`, `markers` and `times` in there
--latency S       think for S seconds
"""

import os
import re
import sys
import time

ANSWER = (
    '{"summary": "bench", "state_body": "# System State\\n\\n## Ports\\n\\n- api: 9090, %d\\n",'
    ' "decisions_body": null, "todo_body": null, "mistakes_new_entries": [], "archive_entries": []}'
)
MARKER = re.compile(rb"(?:FACT|NOTE)-[0-9a-gx]+-\d+")


def append(folder: str, name: str, lines: list[bytes]) -> None:
    with open(os.path.join(folder, name), "ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))


def main() -> None:
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    folder = options["--record"]
    append(folder, "times", [b"%020d:+1" % time.time_ns()])
    prompt = sys.stdin.buffer.read()
    append(folder, "sizes", [b"%d" % len(prompt)])
    append(folder, "markers", MARKER.findall(prompt))
    time.sleep(float(options.get("--latency", 0)))
    append(folder, "times", [b"%020d:-1" % time.time_ns()])
    print(ANSWER % time.time_ns())


main()
