from __future__ import annotations

import io
import sys
from types import ModuleType
from typing import BinaryIO

import pytest

from memd.sources.zstd import unpack


class BrokenError(Exception):
    pass


class Reader(io.BytesIO):
    """What the modules give to read from: content, or a failure where it begins with `!`."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.getvalue().startswith(b"!"):
            raise BrokenError
        return super().read(size)


def new_module() -> ModuleType:
    module = ModuleType("compression.zstd")
    module.__dict__.update(open=lambda file: Reader(file.read()), ZstdError=BrokenError)
    return module


def old_module() -> ModuleType:
    class Decompressor:
        def stream_reader(self, file: BinaryIO, *, read_across_frames: bool) -> Reader:
            assert read_across_frames
            return Reader(file.read())

    module = ModuleType("zstandard")
    module.__dict__.update(ZstdDecompressor=Decompressor, ZstdError=BrokenError)
    return module


@pytest.fixture(params=["compression.zstd", "zstandard"])
def available(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    new = request.param == "compression.zstd"
    if new:
        monkeypatch.setitem(sys.modules, "compression", ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", new_module() if new else None)
    monkeypatch.setitem(sys.modules, "zstandard", None if new else old_module())


def unpacked(data: bytes, limit: int = 1 << 30) -> bytes:
    plain = io.BytesIO()
    unpack(io.BytesIO(data), plain, limit)
    return plain.getvalue()


@pytest.mark.usefixtures("available")
def test_content_is_written_up_to_the_limit() -> None:
    data = b"x" * (3 << 20)
    assert unpacked(data) == data
    assert unpacked(data, 5) == b"x" * 5
    assert unpacked(data, 0) == b""


@pytest.mark.usefixtures("available")
def test_a_file_that_is_not_valid_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="no valid Zstandard file"):
        unpacked(b"!")


def test_where_nothing_can_unpack_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(OSError, match="`zstandard`"):
        unpacked(b"x")
