"""The log file: private, bounded, and never a reason to fail."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from typing import Final

from memd import fsio
from memd.oneline import spelled_out
from memd.paths import Paths

NAME: Final = "memd"
MAX_BYTES: Final = 1_000_000
OLD_FILES: Final = 3

_setting_up = threading.Lock()


class _File(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", errors=self.errors, opener=_private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """A full disk or a read-only folder must not stop the work that is being logged."""


class _Line(logging.Formatter):
    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802 - logging's name
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return spelled_out(super().formatMessage(record))


def logger(paths: Paths) -> logging.Logger:
    """The one logger of memd, writing to `paths.log`. Repeated calls change nothing."""
    log = logging.getLogger(NAME)
    with _setting_up:
        if [handler.name for handler in log.handlers] != [paths.log]:
            _set_up(log, paths)
    return log


def _set_up(log: logging.Logger, paths: Paths) -> None:
    for handler in tuple(log.handlers):
        log.removeHandler(handler)
        handler.close()
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(_handler(paths))


def _handler(paths: Paths) -> logging.Handler:
    with contextlib.suppress(OSError):
        fsio.make_private_dir(paths.state)
    file = _File(
        paths.log, maxBytes=MAX_BYTES, backupCount=OLD_FILES, delay=True, errors="backslashreplace"
    )
    file.name = paths.log
    file.setFormatter(_Line("%(asctime)s %(levelname)s %(message)s"))
    return file


def _private(path: str, flags: int) -> int:
    fd = fsio.open_regular(path, flags=flags)
    os.fchmod(fd, 0o600)
    return fd
