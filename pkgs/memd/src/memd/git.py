"""Calls of git, and taking a memory out of the repository around it.

No code that a repository or its owner's configuration names is ever run: git gets an
environment of its own, an explicit repository, and plumbing that knows no filters,
signatures or hooks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from typing import Final

from memd import fsio
from memd.errors import StoreError
from memd.oneline import one_line
from memd.projects import common_git_dir, git_dir

TIMEOUT: Final = 120
"""Seconds for one call of git."""

_SAFE: Final = (
    *("-c", "core.hooksPath=/dev/null"),
    # From git 2.55 on; the version before it has such hooks and no switch for an event.
    *("-c", "hook.reference-transaction.enabled=false"),
    *("-c", "hook.post-index-change.enabled=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "gc.autoDetach=false"),
    *("-c", "init.defaultBranch=main"),
    *("-c", "fastimport.unpackLimit=1"),
    "--literal-pathspecs",
)
_ENVIRONMENT: Final = {
    # Older versions of git have no GIT_CONFIG_GLOBAL and look below these two.
    "HOME": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone fetches what it lacks, by any command its configuration names.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_DEFAULT_REF_FORMAT": "files",
    "GIT_AUTHOR_NAME": "memd",
    "GIT_AUTHOR_EMAIL": "memd@localhost",
    "GIT_COMMITTER_NAME": "memd",
    "GIT_COMMITTER_EMAIL": "memd@localhost",
    "LC_ALL": "C",
}


def is_tracked(root: str, path: str) -> bool:
    """Whether the repository whose working tree is `root` tracks `path` or files below it."""
    return bool(_around(root, "ls-files", "-z", "--", path).stdout)


def untrack(root: str, path: str) -> None:
    """Take `path` out of the index of the repository at `root`; the files stay."""
    _around(root, "rm", "-r", "-f", "--cached", "--quiet", "--ignore-unmatch", "--", path)


def exclude_line(root: str, line: str) -> None:
    """Add a line to `info/exclude` of the repository at `root`, once; runs no git.

    Does nothing where there is no repository. Raises StoreError when it cannot be written.
    """
    if not _has_repository(root):
        return
    path = os.path.join(common_git_dir(root), "info", "exclude")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        fd = fsio.open_regular(path, flags=flags, mode=0o666, follow=True)
        with open(fd, "r+b") as file:
            text = file.read()
            if os.fsencode(line) not in text.splitlines():
                start = b"" if not text or text.endswith(b"\n") else b"\n"
                file.write(start + os.fsencode(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
                fsio.sync_directory(os.path.dirname(path))
    except OSError as error:
        said = f"{path}: cannot be written: {error.strerror}"
        raise StoreError(f"{said}; add the line {line} to it yourself") from error


def run_readonly(root: str, *arguments: str) -> str:
    """What git prints about the repository whose working tree is `root`."""
    return _around(root, *arguments).stdout.decode("utf-8", "replace")


def _around(root: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # With the repository named, git does not ask who owns it.
    return run({"GIT_DIR": git_dir(root), "GIT_WORK_TREE": root}, *arguments)


def _has_repository(root: str) -> bool:
    return os.path.isfile(os.path.join(git_dir(root), "HEAD"))


def run(
    where: Mapping[str, str],
    *arguments: str,
    stdin: bytes = b"",
    check: bool = True,
    umask: int = -1,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in the repository that the variables `where` name, under memd's own or a `umask`.

    Raises StoreError when that is impossible, or, with `check`, when git fails.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *_SAFE, "-C", where.get("GIT_WORK_TREE", "/"), *arguments],
            input=stdin,
            capture_output=True,
            cwd="/",
            env={**inherited, **_ENVIRONMENT, **where},
            timeout=TIMEOUT,
            umask=umask,
            check=False,
        )
    except OSError as error:
        raise StoreError(
            f"git not found ({error.strerror}): install git, or set git_commit to false"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise StoreError(
            f"git {arguments[0]} did not end within {TIMEOUT} seconds: run memd sync again"
        ) from error
    if check and done.returncode:
        raise StoreError(f"git {arguments[0]} failed: {reason(done)}")
    return done


def reason(failed: subprocess.CompletedProcess[bytes]) -> str:
    """What git says of its failure, on one line."""
    return one_line(failed.stderr.decode("utf-8", "replace"), 300) or "no reason given"
