"""Like scrape.py, on a cluster of Ray: `pip install ray`, `python ray_scrape.py 'https://…?page={}' 200`."""

import sys

import ray
from scrape import heading

from patchright_mcp.errors import Error
from patchright_mcp.pool import chunks, map_here


@ray.remote(max_retries=2, retry_exceptions=[Error])
def headings(addresses: list[str]) -> list[str]:
    """Those of some pages, in the browser of the worker."""
    return map_here(heading, addresses)


def main(pattern: str, count: int) -> None:
    """Prints the headings in the order of the pages."""
    ray.init(log_to_driver=False)
    tasks = [headings.remote(some) for some in chunks(map(pattern.format, range(count)), 10)]
    for texts in ray.get(tasks):
        print(*texts, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
