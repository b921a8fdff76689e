"""A prefix of a bucket is one crawl's. Whoever comes second is told so, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skitter.errors import OperatorError
from skitter.store.shipping.claim import MARK, claim, read_claim
from tests.store.shipping.conftest import Bucket

pytestmark = pytest.mark.slow
Run = Callable[[Any], Any]


def test_the_first_crawl_has_it_and_comes_back_to_it(bucket: Bucket, run: Run, tmp_path: Path) -> None:
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    mine = read_claim(bucket.folder)
    assert mine is not None
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    assert read_claim(bucket.folder) == mine
    with pytest.raises(OperatorError, match=r"holds another crawl.*--state"):
        run(claim(tmp_path / "other", bucket.blobs(), bucket.address))
    assert read_claim(tmp_path / "other") is None


def test_a_kill_between_the_two_marks_does_not_lock_us_out(bucket: Bucket, run: Run) -> None:
    blobs = bucket.blobs()

    class Dying:
        """Blobs in the hands of a process that is killed once it has made its mark."""

        get, list = blobs.get, blobs.list

        async def create(self, key: str, content: bytes) -> bool:
            await blobs.create(key, content)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(claim(bucket.folder, Dying(), bucket.address))  # type: ignore[arg-type]
    run(claim(bucket.folder, blobs, bucket.address))


def test_a_first_try_that_failed_may_be_followed_by_one_elsewhere(bucket: Bucket, run: Run) -> None:
    bucket.proxy.fault = -1
    with pytest.raises(OperatorError, match="reached"):
        run(claim(bucket.folder, bucket.blobs(), f"{bucket.address}/typo"))
    bucket.proxy.fault = 0
    run(claim(bucket.folder, bucket.blobs(), bucket.address))


@pytest.mark.parametrize(
    ("mark", "words"),
    [(b"not json", "not Skitter's"), (b'{"format":9,"crawl":"x"}', "another version")],
)
def test_a_mark_that_is_not_ours_is_left_alone(bucket: Bucket, run: Run, mark: bytes, words: str) -> None:
    run(bucket.blobs().put(MARK, mark))
    with pytest.raises(OperatorError, match=words):
        run(claim(bucket.folder, bucket.blobs(), bucket.address))
    assert run(bucket.content(MARK)) == mark


def test_files_that_nobody_claimed_are_left_alone(bucket: Bucket, run: Run) -> None:
    run(bucket.blobs().put("warc/2020/theirs.warc.gz", b"theirs"))
    with pytest.raises(OperatorError, match=r"did not write \(warc/2020/theirs.warc.gz\)"):
        run(claim(bucket.folder, bucket.blobs(), bucket.address))
    assert list(run(bucket.there())) == ["warc/2020/theirs.warc.gz"]


def test_the_bucket_of_a_crawl_does_not_change(bucket: Bucket, run: Run) -> None:
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    with pytest.raises(OperatorError, match="can't be changed"):
        run(claim(bucket.folder, bucket.blobs(), f"{bucket.address}/other"))


def test_a_crawl_that_has_it_starts_though_it_is_away_and_another_does_not(
    bucket: Bucket, run: Run, tmp_path: Path
) -> None:
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    bucket.proxy.fault = 503
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    with pytest.raises(OperatorError, match="slow down"):
        run(claim(tmp_path / "other", bucket.blobs(), bucket.address))


def test_wrong_keys_are_said_even_to_a_crawl_that_has_it(bucket: Bucket, run: Run) -> None:
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    with pytest.raises(OperatorError, match="secret key") as caught:
        run(claim(bucket.folder, bucket.blobs(AWS_SECRET_ACCESS_KEY="topsecret"), bucket.address))
    assert "topsecret" not in str(caught.value)


def test_a_mark_that_somebody_removed_is_made_again(bucket: Bucket, run: Run) -> None:
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    run(bucket.blobs().put("warc/2026/ours.warc.gz", b"ours"))
    run(bucket.blobs().delete(MARK))
    run(claim(bucket.folder, bucket.blobs(), bucket.address))
    assert run(bucket.content(MARK)) is not None
