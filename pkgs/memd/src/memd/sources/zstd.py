"""Unpacking Zstandard files with what the interpreter offers."""

from __future__ import annotations

import errno
from importlib import import_module
from typing import Any, BinaryIO, Final

_CHUNK: Final = 1 << 20


def unpack(packed: BinaryIO, plain: BinaryIO, limit: int) -> None:
    """Write what a packed file holds into another, `limit` bytes at most.

    Raises OSError, also where no module can unpack.
    """
    stream, failures = _stream(packed)
    try:
        while limit > 0 and (chunk := stream.read(min(limit, _CHUNK))):
            plain.write(chunk)
            limit -= len(chunk)
    except failures as error:
        raise OSError(errno.EINVAL, "is no valid Zstandard file") from error


def _stream(packed: BinaryIO) -> tuple[Any, tuple[type[Exception], ...]]:
    """A reader of the content, and what it raises for content it cannot read.

    Python 3.14 has a module of its own; the package `zstandard` serves the older ones.
    """
    try:
        module = import_module("compression.zstd")
        return module.open(packed), (module.ZstdError, EOFError)
    except ImportError:
        pass
    try:
        module = import_module("zstandard")
    except ImportError:
        raise OSError(errno.ENOTSUP, "is packed: Python 3.14 or `zstandard` reads it") from None
    stream = module.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return stream, (module.ZstdError,)
