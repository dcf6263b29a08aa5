"""Processes many pages concurrently, with retries, streamed results, and result files that can be continued.

Example:
    async with PagePool(browser, size=8) as pool:
        titles = await pool.map(read_title, urls)  # async def read_title(page, url): ...

In workers of Ray, Dask or Celery, `map_here(read_title, urls)` does the same with one browser per worker process.
"""

from __future__ import annotations

from ._here import map_here
from ._pool import PagePool, chunks
from ._progress import Progress
from ._results import PoolError, Result

__all__ = ["PagePool", "PoolError", "Progress", "Result", "chunks", "map_here"]
