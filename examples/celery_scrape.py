"""Like scrape.py, by workers of Celery: `pip install celery[redis]`, and a Redis.

celery -A celery_scrape worker --concurrency 2 --prefetch-multiplier 1
python celery_scrape.py 'https://…?page={}' 200
"""

import os
import sys

from celery import Celery, group
from scrape import heading

from patchright_mcp.errors import Error
from patchright_mcp.pool import chunks, map_here

BROKER = os.environ.get("BROKER", "redis://127.0.0.1:6379/0")
app = Celery("celery_scrape", broker=BROKER, backend=BROKER)


# What a worker had under way that was killed is done by another one.
@app.task(
    name="headings",
    autoretry_for=(Error,),
    max_retries=2,
    default_retry_delay=1,
    acks_late=True,
    reject_on_worker_lost=True,
)
def headings(addresses: list[str]) -> list[str]:
    """Those of some pages, in the browser of the worker."""
    return map_here(heading, addresses)


def main(pattern: str, count: int) -> None:
    """Prints the headings in the order of the pages."""
    tasks = group(headings.s(some) for some in chunks(map(pattern.format, range(count)), 10))
    for texts in tasks.apply_async().get():
        print(*texts, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
