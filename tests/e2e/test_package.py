"""What is built from this directory is whole."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pkgs" / "memd" / "src" / "memd"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory with a wheel and a source distribution of this tree."""
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not here")
    path = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "hatchling", "build", "--directory", str(path))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return path


def shipped() -> set[str]:
    """Every file of the package, relative to it."""
    files = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file())
    return {
        str(path)
        for path in files
        if "__pycache__" not in path.parts and ".mypy_cache" not in path.parts
    }


def test_the_wheel_holds_the_package_with_its_data(dist: Path) -> None:
    [wheel] = dist.glob("memd-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [entry_points] = (name for name in names if name.endswith("entry_points.txt"))
        assert "memd = memd.__main__:main" in archive.read(entry_points).decode()
    assert {name.removeprefix("memd/") for name in names if name.startswith("memd/")} == shipped()
    assert {"charter.md", "contract.md", "demo/session.jsonl", "py.typed"} <= shipped()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"memd"}


def test_the_source_distribution_holds_what_it_takes_to_test_it(dist: Path) -> None:
    [sdist] = dist.glob("memd-*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    package = {f"pkgs/memd/src/memd/{name}" for name in shipped()}
    others = {"pyproject.toml", "README.md", "LICENSE", "Makefile", "bin/memd", "scripts/venv"}
    tests = {"tests/e2e/test_package.py", "tests/fakes/curator.py"}
    assert package | others | tests <= names
