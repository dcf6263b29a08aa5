"""Like scrape.py, on a cluster of Dask (`pip install distributed`): `python dask_scrape.py ADDRESS 200`."""

import sys

from distributed import Client, LocalCluster
from scrape import heading

from patchright_mcp.pool import chunks, map_here


def headings(addresses: list[str]) -> list[str]:
    """Those of some pages, in the browser of the worker."""
    return map_here(heading, addresses)


def main(pattern: str, count: int) -> None:
    """Prints the headings in the order of the pages."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        some = chunks(map(pattern.format, range(count)), 10)
        for texts in client.gather(client.map(headings, some, retries=2)):
            print(*texts, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
