"""Text like that of sessions, cheap to make: slices of pools made once."""

from __future__ import annotations

import base64
import functools
import random
from typing import NamedTuple

WORDS = """
    the service build cache index parser token stream worker queue config
    schema migration handler retry timeout socket buffer thread lock session
    module import export test fixture assert deploy rollback commit branch
    because therefore port 8080 9090 sqlite postgres redis nginx systemd nix
    update remove ensure before after unless never always only first last""".split()  # noqa: SIM905 - 50 lines otherwise
_FOREIGN = [*WORDS[:20], "naïve", "café", "größe", "設定", "キャッシュ", "конфиг", "→", "🚀", "…"]
_CODE = (
    "def load(path: str) -> dict:\n    with open(path) as fh:\n        return json.load(fh)\n",
    'const port = Number(process.env.PORT ?? "8080");\nserver.listen(port, () => log("up"));\n',
    "  File \"/srv/app/core.py\", line 212, in handle\n    raise ValueError(f'bad state {s!r}')\n",
    "\x1b[32m✓\x1b[0m tests/test_api.py::test_roundtrip[v2] \x1b[33m(0.41s)\x1b[0m\n",
    "drwxr-xr-x 12 user user 4096 Jan 03 11:02 node_modules\n-rw-r--r-- 1 user user 812 a.json\n",
    '{"level":"info","ts":1767225600.12,"msg":"request","path":"/v1/items?page=2","ms":12}\n',
    "impl<T: Clone> Pool<T> {\n\tpub fn get(&self) -> Option<T> { self.inner.lock().pop() }\n}\n",
)


class _Pools(NamedTuple):
    prose: str
    foreign: str
    code: str
    base64: str


@functools.cache
def _pools() -> _Pools:
    rnd = random.Random("pools")
    return _Pools(
        " ".join(rnd.choices(WORDS, k=60_000)),
        " ".join(rnd.choices(_FOREIGN, k=20_000)),
        "".join(f"{n:6}\t{rnd.choice(_CODE)}" for n in range(1, 12_000)),
        base64.b64encode(rnd.randbytes(600_000)).decode(),
    )


class Texts:
    """The same for the same seed."""

    def __init__(self, seed: str) -> None:
        self.rnd = random.Random(seed)
        self._pools = _pools()

    def say(self, least: int, most: int) -> str:
        """What a person or a model says; one time in ten not in plain ASCII."""
        pool = self._pools.foreign if self.rnd.random() < 0.1 else self._pools.prose
        return self._slice(pool, self.rnd.randrange(least, most)).strip()

    def code(self, size: int) -> str:
        return self._slice(self._pools.code, size)

    def output(self, most: int) -> str:
        """What a tool gives back: 70 % are small, the others hold nearly all of the bytes."""
        if self.rnd.random() < 0.7:
            size = int(min(8_000, self.rnd.lognormvariate(6.3, 1.1))) + 20
        else:
            size = int(10_000 * 20 ** self.rnd.random())
        return self.code(min(most, size))

    def signature(self) -> str:
        return self._slice(self._pools.base64, self.rnd.randrange(400, 16_000))

    def hex(self, digits: int) -> str:
        return f"{self.rnd.getrandbits(4 * digits):0{digits}x}"

    def _slice(self, pool: str, size: int) -> str:
        start = self.rnd.randrange(len(pool))
        return (pool[start : start + size] + pool)[:size]
