"""What strict type checkers say of scripts that use every class, and that these scripts do what they say."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from patchright_mcp import async_api, sync_api
from tests_py.support.site import Site
from tests_py.typed import async_tour, sync_tour

pytestmark = pytest.mark.long


def named(module: ModuleType) -> set[str]:
    """Every name that a file uses, but for what it only imports."""
    tree = ast.parse(inspect.getsource(module))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(("face", "tour"), [(async_api, async_tour), (sync_api, sync_tour)])
def test_a_tour_uses_every_public_name(face: ModuleType, tour: ModuleType) -> None:
    assert set(face.__all__) - named(tour) == set()


async def test_the_asynchronous_tour_ends_well(site: Site, tmp_path: Path) -> None:
    await async_tour.main(site.origin, tmp_path)


def test_the_synchronous_tour_ends_well(site: Site, tmp_path: Path) -> None:
    sync_tour.main(site.origin, tmp_path)
