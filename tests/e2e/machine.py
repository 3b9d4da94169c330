"""A machine of its own for the real command line: home, PATH, repositories, sessions."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from memd import onboard, runtime

ROOT = Path(__file__).parents[2]
FAKE = ROOT / "tests" / "fakes" / "curator.py"
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Machine:
    top: Path
    env: dict[str, str]

    @property
    def home(self) -> Path:
        return Path(self.env["HOME"])

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "memd"

    @property
    def config_file(self) -> Path:
        return self.home / ".config" / "memd" / "config.json"

    def memd(self, *args: str | Path, cwd: str | Path = "", stdin: str = "", **env: str) -> Done:
        """Run it as a person or a script would, with no terminal."""
        return subprocess.run(
            ["memd", *map(str, args)],
            cwd=cwd or self.top,
            input=stdin,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def ok(self, *args: str | Path, cwd: str | Path = "", stdin: str = "", **env: str) -> str:
        """The same, and it has to succeed and to say nothing on stderr; what it printed."""
        done = self.memd(*args, cwd=cwd, stdin=stdin, **env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def status(self) -> dict[str, object]:
        document: dict[str, object] = json.loads(self.memd("status", "--json").stdout)
        return document

    def configure(self, **settings: object) -> None:
        self.config_file.parent.mkdir(parents=True, exist_ok=True)
        self.config_file.write_text(json.dumps({"quiet_seconds": 0, **settings}))

    def git(self, directory: Path, *args: str) -> str:
        run = subprocess.run(
            ["git", "-C", directory, *args],
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout

    def repository(self, name: str) -> Path:
        path = self.top / name
        path.mkdir()
        self.git(path, "init", "-q")
        self.git(path, "commit", "-q", "--allow-empty", "-m", "x")
        return path

    def project(self, name: str) -> Path:
        """A repository with a memory."""
        path = self.repository(name)
        onboard.init(runtime.build(self.env), str(path))
        return path

    def session(self, cwd: Path, *texts: str) -> Path:
        """The log of a Claude Code session in which a person said this."""
        name = str(uuid.uuid4())
        path = self.home / ".claude" / "projects" / cwd.name / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        common = {"cwd": str(cwd), "sessionId": name, "timestamp": at, "type": "user"}
        records = [
            {**common, "uuid": str(uuid.uuid4()), "message": {"role": "user", "content": text}}
            for text in texts
        ]
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return path

    def hook(self, event: str, cwd: Path, log: Path | None = None, **env: str) -> str:
        """What the hook answers. It never fails and never complains."""
        log = log or self.top / f"{uuid.uuid4()}.jsonl"
        call = {"session_id": log.stem, "transcript_path": str(log), "cwd": str(cwd)}
        return self.ok("hook", event, cwd=cwd, stdin=json.dumps(call), **env)

    def brief_at_start(self, cwd: Path, **env: str) -> str:
        answer = self.hook("session-start", cwd, **env)
        return json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""

    def prompts(self) -> list[str]:
        """What the curator was sent so far."""
        return [path.read_text() for path in sorted((self.top / "prompts").glob("*.txt"))]


def program(path: Path, interpreter: str, text: str) -> None:
    """Write something that can be run."""
    path.write_text(f"#!{interpreter}\n{text}")
    path.chmod(0o755)


def make(top: Path) -> Machine:
    """With git, memd and a `claude` that answers at once, and keeps what it was asked."""
    for name in ("bin", "fake", "home", "prompts"):
        (top / name).mkdir()
    source = ROOT / "pkgs" / "memd" / "src"
    start = f"import sys; sys.path.insert(0, {str(source)!r}); from memd.__main__ import main; "
    program(top / "bin" / "memd", sys.executable, f"{start}sys.exit(main())\n")
    # The name it is called by tells the fake that it is to answer as that client does.
    (top / "fake" / "claude").symlink_to(FAKE)
    fake = shlex.join((sys.executable, "-IS", str(top / "fake" / "claude")))
    program(top / "bin" / "claude", "/bin/sh", f'exec {fake} "$@"\n')
    env = {
        "HOME": str(top / "home"),
        "PATH": f"{top / 'bin'}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "XDG_CONFIG_DIRS": str(top / "none"),
        "FAKE_RECORD": str(top / "prompts"),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "t@example.invalid"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    made = Machine(top, env)
    made.configure()
    return made
