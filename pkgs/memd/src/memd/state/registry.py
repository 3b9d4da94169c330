"""Which directories memd manages: declared in the configuration or registered by a command.

On the session-start path: imports nothing but `functools` and `os` beside light memd modules.
"""

from __future__ import annotations

import os
from functools import lru_cache

from memd.projects import Owners
from memd.state import statefile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memd.paths import Paths
    from memd.state.statefile import Document, T

_TEXTS = ("name", "store_id", "how", "gone_since")


class Entry:
    """One registered project."""

    __slots__ = ("former", "gone_since", "greet", "how", "name", "root", "store_id")

    def __init__(
        self,
        root: str,
        name: str,
        store_id: str = "",
        how: str = "init",
        greet: bool = False,
        former: tuple[str, ...] = (),
        gone_since: str = "",
    ) -> None:
        self.root = root
        self.name = name
        self.store_id = store_id
        """Random id of the store that belongs here; any other store is not trusted."""
        self.how = how
        """`init` (a person's word), `auto` (a session worked there) or `declared`."""
        self.greet = greet
        """The first brief still has to say that memd remembers this project."""
        self.former = former
        """Roots the project had before it moved."""
        self.gone_since = gone_since
        """ISO date on which the root was first found missing, "" while it is there."""

    def with_(self, **changes: object) -> Entry:
        fields = {name: getattr(self, name) for name in self.__slots__}
        return Entry(**{**fields, **changes})


class Registry:
    """A view of what is managed and what never is. Not to be changed: it is shared."""

    __slots__ = ("entries", "excluded", "global_store_id")

    def __init__(
        self,
        entries: dict[str, Entry],
        excluded: tuple[str, ...] = (),
        global_store_id: str = "",
    ) -> None:
        self.entries = entries
        """By root."""
        self.excluded = excluded
        self.global_store_id = global_store_id

    def name(self, root: str, declared: str | None) -> str:
        """What a project is called: as `declared`, as registered, or like its directory."""
        entry = self.entries.get(root)
        return declared or (entry.name if entry else "") or os.path.basename(root)

    def store_id(self, root: str) -> str:
        """Id of the store of a project, "" for one that is not registered."""
        entry = self.entries.get(root)
        return entry.store_id if entry else ""

    def owners(self, declared: Iterable[str], excluded: Iterable[str], private: str) -> Owners:
        """Who owns which directory, the configuration's own entries included.

        A declared entry wins over a registered one for the same path. `private` is
        memd's own state directory, which no project owns.
        """
        declared = frozenset(declared)
        shut = (frozenset(self.excluded) - declared) | frozenset(excluded) | {private}
        roots = (frozenset(self.entries) | declared) - shut
        former = {old: e.root for e in self.entries.values() for old in e.former}
        return Owners(roots, former, shut)


def read(paths: Paths) -> Registry:
    """The registry as it stands; empty when there is none. Raises StateError."""
    return _read(paths.registry, statefile.identity(paths.registry))


@lru_cache(maxsize=4)
def _read(path: str, _identity: tuple[int, ...]) -> Registry:
    # A sweep asks several times for each project, and decoding takes longer the more there are.
    try:
        return statefile.read(path, from_document)
    except (statefile.Missing, statefile.Damaged):
        return Registry({})


def is_doubtful(paths: Paths) -> bool:
    """Whether a registry was damaged and nobody has looked at what that cost.

    Exclusions may be missing from the one in use. It is over once a person has removed the
    damaged file, which `status` names.
    """
    is_gone = not os.path.lexists(paths.registry)
    if is_gone and os.path.lexists(paths.registry + statefile.BACKUP):
        return True
    if statefile.is_damaged(paths.registry, from_document):
        return True
    name = os.path.basename(paths.registry)
    return any(aside.startswith(name) for aside in statefile.corrupt_files(paths.state))


def edit(paths: Paths, change: Callable[[Registry], Registry | None]) -> None:
    """Change the registry under its lock; None from `change` leaves it as it is."""

    def changed(old: Registry) -> Document | None:
        new = change(old)
        return None if new is None else _to_document(new)

    statefile.edit(paths.registry, from_document, changed)


def put(paths: Paths, entry: Entry) -> None:
    edit(paths, lambda r: _with_entries(r, {**r.entries, entry.root: entry}))


def update(paths: Paths, root: str, **changes: object) -> None:
    """Change fields of one entry; nothing happens when it is not registered."""

    def change(registry: Registry) -> Registry | None:
        entry = registry.entries.get(root)
        if entry is None:
            return None
        return _with_entries(registry, {**registry.entries, root: entry.with_(**changes)})

    edit(paths, change)


def move(paths: Paths, old: str, new: str) -> None:
    """The project at `old` lives at `new` now."""

    def change(registry: Registry) -> Registry | None:
        entry = registry.entries.get(old)
        if entry is None:
            return None
        moved = entry.with_(root=new, former=(*entry.former, old), gone_since="")
        rest = {root: e for root, e in registry.entries.items() if root != old}
        return _with_entries(registry, {**rest, new: moved})

    edit(paths, change)


def drop(paths: Paths, root: str) -> None:
    edit(
        paths,
        lambda r: _with_entries(r, {k: e for k, e in r.entries.items() if k != root}),
    )


def exclude(paths: Paths, path: str, *, undo: bool) -> None:
    def change(registry: Registry) -> Registry | None:
        kept = tuple(p for p in registry.excluded if p != path)
        excluded = kept if undo else (*kept, path)
        if excluded == registry.excluded:
            return None
        return Registry(registry.entries, excluded, registry.global_store_id)

    edit(paths, change)
    # The version before takes the place of a damaged one: it has to know this too.
    edit(paths, lambda registry: registry)


def set_global_store(paths: Paths, store_id: str) -> None:
    edit(paths, lambda r: Registry(r.entries, r.excluded, store_id))


def _with_entries(registry: Registry, entries: dict[str, Entry]) -> Registry:
    return Registry(entries, registry.excluded, registry.global_store_id)


def from_document(document: Document) -> Registry:
    """Raises ValueError for what is none."""
    entries = {
        root: _entry(root, _as(dict, fields))
        for root, fields in _as(dict, document.get("projects", {})).items()
    }
    excluded = _strings(document.get("excluded", []))
    return Registry(entries, excluded, _as(str, document.get("global_store_id", "")))


def _entry(root: str, fields: dict[str, object]) -> Entry:
    texts = {name: _as(str, fields[name]) for name in _TEXTS if name in fields}
    return Entry(
        root,
        texts.pop("name", "") or os.path.basename(root),
        greet=_as(bool, fields.get("greet", False)),
        former=_strings(fields.get("former", [])),
        **texts,
    )


def _to_document(registry: Registry) -> Document:
    fields = [name for name in Entry.__slots__ if name != "root"]
    return {
        "projects": {
            root: {name: getattr(entry, name) for name in fields}
            for root, entry in sorted(registry.entries.items())
        },
        "excluded": list(registry.excluded),
        "global_store_id": registry.global_store_id,
    }


def _strings(value: object) -> tuple[str, ...]:
    return tuple(_as(str, item) for item in _as(list, value))


def _as(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        raise ValueError(f"{type(value).__name__} instead of {kind.__name__}")
    return value
