"""Take the measurements and print them as a table."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import antigravity, backlog, commands, digest, many, notes, parallel
from bench.table import Row, line, show

WORKS: dict[str, Callable[[Path, bool], Iterator[Row]]] = {
    "commands": commands.rows,
    "many": many.rows,
    "digest": digest.rows,
    "antigravity": antigravity.rows,
    "parallel": parallel.rows,
    "notes": notes.rows,
    "backlog": backlog.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less of everything, under a minute")
    parser.add_argument("--only", default=",".join(WORKS), help="works, separated by commas")
    arguments = parser.parse_args()
    found: list[Row] = []
    begun = time.monotonic()
    for name in arguments.only.split(","):
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as place:
            for row in WORKS[name](Path(place), arguments.quick):
                print(f"# {time.monotonic() - begun:4.0f} s  {line(row)}", flush=True)
                found.append(row)
    print(show(found))
    return 0


raise SystemExit(main())
