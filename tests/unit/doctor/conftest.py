from __future__ import annotations

from unit.services.conftest import desk

__all__ = ["desk"]
