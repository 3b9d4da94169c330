"""One of several writers of notes: with memd, or with the bare calls that this takes."""

from __future__ import annotations

import json
import os
import sys
import time

from memd import inbox


def bare(store: str, text: str) -> None:
    """A file that is whole and on disk under its name."""
    staged = os.path.join(store, f"staged-{os.urandom(8).hex()}")
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, text.encode())
    os.fsync(fd)
    os.close(fd)
    folder = os.path.join(store, "inbox")
    os.link(staged, os.path.join(folder, os.urandom(8).hex()))
    os.unlink(staged)
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def memd(store: str, text: str) -> None:
    inbox.publish(store, text, source="bench", now=time.time())


def main(how: str, store: str, each: str, number: str) -> None:
    write = {"bare": bare, "memd": memd}[how]
    print("ready", flush=True)
    sys.stdin.readline()
    begun = time.monotonic()
    for note in range(int(each)):
        write(store, f"NOTE-{number}-{note} " + "word " * 30)
    print(json.dumps([begun, time.monotonic()]))


main(*sys.argv[1:])
