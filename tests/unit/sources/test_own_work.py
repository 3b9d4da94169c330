from pathlib import Path

import pytest

from memd.sources.own_work import OwnWork


@pytest.mark.parametrize("below", ["", "/curator", "/curator/one"])
def test_the_curators_own_directory_is_known_through_links_and_without(
    tmp_path: Path, below: str
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    own = OwnWork(str(tmp_path / "link"))
    assert own.holds(f"{tmp_path}/link{below}")
    assert own.holds(f"{tmp_path}/real{below}")


@pytest.mark.parametrize("cwd", [None, "", "/", "/state", "/state/memd2", "/elsewhere/state/memd"])
def test_a_directory_beside_it_is_not_taken_for_it(cwd: str | None) -> None:
    assert not OwnWork("/state/memd").holds(cwd)
