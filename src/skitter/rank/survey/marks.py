"""What is told of a link and of a capture by a number. Pure. The kernel has the same numbers (`native/src/rank/`)."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class LinkMark(IntEnum):
    """What a link is to the graph."""

    NONE = 0  # an image, a form: it says nothing of what it leads to
    NOFOLLOW = 1  # it is there, and its page does not vouch for it
    VOUCHES = 2


class CaptureMark(IntFlag):
    """What became of a URL at one visit. Without any it is a redirect, or not a page: it counts as nothing."""

    PAGE = 1
    ERROR = 2
    DUPLICATE = 4
    SOFT_404 = 8
    THIN = 16
    SAME = 32  # the server said that it is as it was
