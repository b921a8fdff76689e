"""What the operator can choose: one frozen section per part, each field with meaning, default and range.

`config` fills these from a file, the environment and flags. A part receives its own section and nothing else.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all sections."""


class IdentitySettings(Section, frozen=True):
    """Who we say we are. Skitter never disguises itself."""

    robots_token: Annotated[
        str,
        Meta(
            description="The name that robots.txt, meta robots and X-Robots-Tag know us by: letters, `-` and `_` only.",
            pattern="^[A-Za-z_-]+$",
        ),
    ] = "skitter"  # noqa: S105 (a token, not a password)

    contact: Annotated[
        str,
        Meta(
            description="A page or an e-mail address where a site's owner can ask about us or turn us away: sent with "
            "every request, an address also as `From`. Needed for anything beyond this machine.",
            pattern=r"^(https?://\S+|[^\s@]+@[^\s@]+)?$",
        ),
    ] = ""
    user_agent: Annotated[
        str,
        Meta(
            description="What we call ourselves; empty: Mozilla/5.0 (compatible; Skitter/VERSION; +CONTACT). "
            "What your own lacks of robots_token and contact is appended: MyBot/1.0 (skitter; +CONTACT).",
            max_length=500,
        ),
    ] = ""
    operator: Annotated[str, Meta(description="Who runs the crawl, for `skitter page`.", max_length=500)] = ""
    purpose: Annotated[
        str, Meta(description="Why pages are fetched and what becomes of them, for `skitter page`.", max_length=5000)
    ] = ""
    addresses: Annotated[
        tuple[str, ...],
        Meta(description="Addresses or networks that requests come from, for `skitter page`: `192.0.2.0/28`."),
    ] = ()
    key_file: Annotated[
        str,
        Meta(
            description="An Ed25519 key in PEM: requests are signed with it (Web Bot Auth), so that a site can tell us "
            "from those who only take our name. `skitter page --make-key FILE` makes one. Empty: not signed.",
        ),
    ] = ""
    key_directory: Annotated[
        str,
        Meta(
            description="The https address whose /.well-known/http-message-signatures-directory has the public key; "
            "empty: that of the contact page.",
            pattern=r'^(https://[^/\s"\\]+)?$',
        ),
    ] = ""


class UrlSettings(Section, frozen=True):
    """Which URLs count as one. Every rule here changes the dedup key only, never the URL that is fetched."""

    max_length: Annotated[
        int,
        Meta(description="URLs longer than this are skipped; raising it lets more traps in.", ge=64, le=65536),
    ] = 2048
    drop_www: Annotated[bool, Meta(description="`www.example.org` is `example.org`.")] = True
    drop_trailing_slash: Annotated[bool, Meta(description="`/a/` is `/a`.")] = True
    drop_index: Annotated[
        bool, Meta(description="`/a/index.html` is `/a/`; also index.htm, index.php, default.asp …")
    ] = True
    collapse_slashes: Annotated[bool, Meta(description="`/a//b` is `/a/b`.")] = True
    sort_query: Annotated[bool, Meta(description="`?b=2&a=1` is `?a=1&b=2`; `?a` is `?a=`, and `+` is `%20`.")] = True
    drop_empty_query: Annotated[bool, Meta(description="`/a?` is `/a`.")] = True
    drop_tracking: Annotated[
        bool, Meta(description="Parameters that only tell where a visitor came from do not count.")
    ] = True
    drop_sessions: Annotated[bool, Meta(description="Session ids do not count, as a parameter or in the path.")] = True
    fold_escapes: Annotated[
        bool, Meta(description="A sign that RFC 3986 wants escaped is its escape: `|` is `%7C`.")
    ] = True
    merge_schemes: Annotated[bool, Meta(description="http and https are one. Off: the two may differ.")] = False
    tracking_parameters: Annotated[
        tuple[str, ...],
        Meta(description="More tracking parameters beside the known ones; a trailing `*` stands for any ending."),
    ] = ()
    session_parameters: Annotated[
        tuple[str, ...], Meta(description="More session parameters, beside the known ones.")
    ] = ()


class ScopeSettings(Section, frozen=True):
    """How far from the seeds to go."""

    reach: Annotated[
        Literal["host", "domain", "any"],
        Meta(description="`host`: the seeds' hosts; `domain`: their registrable domains; `any`: everywhere."),
    ] = "domain"
    allow: Annotated[
        tuple[str, ...],
        Meta(description="RE2 patterns; if there are any, a URL must match one of them. Searched in the whole URL."),
    ] = ()
    deny: Annotated[tuple[str, ...], Meta(description="RE2 patterns; a URL that matches one of them is skipped.")] = ()
    suffixes: Annotated[
        tuple[str, ...],
        Meta(
            description="Public suffixes beside those of the list: each name right under one is a domain of its own; "
            "fixed at a crawl's creation."
        ),
    ] = ()
    max_depth: Annotated[
        int,
        Meta(
            description="Links from a seed to a page, at the most. A row of pages of which each leads to the next is "
            "as deep as it is long, so that by default it is not this that ends a crawl.",
            ge=0,
            le=1_000_000,
        ),
    ] = 1_000_000
    max_repeats: Annotated[
        int,
        Meta(
            description="A path in which a piece comes more often is not followed: `/a/b/a/b/a/b …`. Far fewer already "
            "make us less patient with a corner.",
            ge=1,
            le=1000,
        ),
    ] = 10
    max_stale: Annotated[
        int,
        Meta(
            description="Pages of one corner of a host that say next to nothing new, and lead on: after so many it is "
            "sounded, and closed as a trap if it has no end. Eight are forgiven for each that says something new. "
            "0: never.",
            ge=0,
            le=1_000_000,
        ),
    ] = 20


class RobotsSettings(Section, frozen=True):
    """How robots.txt is read and kept."""

    max_bytes: Annotated[
        int,
        Meta(
            description="What is read of a robots.txt; RFC 9309 wants at least 500 KiB.", ge=500 * 1024, le=10 * 1024**2
        ),
    ] = 500 * 1024
    max_redirects: Annotated[
        int, Meta(description="Redirects followed to reach it; RFC 9309 wants at least 5.", ge=5, le=20)
    ] = 5
    max_crawl_delay: Annotated[
        float,
        Meta(
            description="A longer Crawl-delay is taken as this: the host is visited rarely, never dropped.",
            ge=1,
            le=DAY,
        ),
    ] = HOUR
    guess_sitemap: Annotated[
        bool,
        Meta(
            description="Where robots.txt names no sitemap, ask once for /sitemap.xml, where most sites have theirs: "
            "one request more for each origin. That there is none counts as nothing.",
        ),
    ] = True
    memory: Annotated[
        int,
        Meta(
            description="Bytes of robots.txt files, parsed, that a node holds; others are read and parsed again.",
            ge=1024**2,
            le=1024**4,
        ),
    ] = 32 * 1024**2


class PolitenessSettings(Section, frozen=True):
    """How often a host is visited."""

    delay: Annotated[
        float,
        Meta(description="Seconds between two requests to a host, if it asks for no more.", ge=0, le=DAY),
    ] = 1.0
    max_delay: Annotated[float, Meta(description="Back-off doubles a host's delay up to this.", ge=1, le=7 * DAY)] = (
        HOUR
    )
    max_retry_after: Annotated[
        float,
        Meta(description="A Retry-After beyond this is taken as this.", ge=MINUTE, le=30 * DAY),
    ] = DAY
    address_rate: Annotated[
        float,
        Meta(
            description="Requests a second to one address, for all hosts that share it, by one node.", gt=0, le=100_000
        ),
    ] = 20.0
    max_tries: Annotated[int, Meta(description="Tries before a URL is given up as dead.", ge=1, le=100)] = 5
    hours: Annotated[
        tuple[str, ...],
        Meta(
            description="Hours in which hosts are visited more slowly, or not at all: `de 08:00-20:00 Europe/Berlin 4` "
            "for every host that ends in .de, `example.org 22:00-06:00 UTC never`. Meanwhile their work piles up."
        ),
    ] = ()
    load_factor: Annotated[
        float,
        Meta(
            description="A slow host is a loaded host: it is asked again no sooner than so many times as long as its "
            "last answer took, counted from that request, whatever its delay. 0: off.",
            ge=0,
            le=100,
        ),
    ] = 2.0
    max_load_wait: Annotated[
        float,
        Meta(description="Seconds that load_factor makes a host wait, at most: a large file is no load.", ge=0, le=DAY),
    ] = MINUTE
    max_rate: Annotated[
        float,
        Meta(
            description="Requests a second, by all nodes together and of every kind. 0: no limit.", ge=0, le=1_000_000
        ),
    ] = 0.0


class ScheduleSettings(Section, frozen=True):
    """When a page is seen again."""

    recrawl: Annotated[bool, Meta(description="Come back to pages at all.")] = False
    host_class: Annotated[
        Literal["news", "generic", "dormant"],
        Meta(description="The floor and ceiling for hosts of which nothing is known yet."),
    ] = "generic"
    gone_tries: Annotated[
        int,
        Meta(
            description="How often a page that was there and is gone is asked for again, after an hour, a day and a "
            "week (once if the server says 410 or 451), before it is given up.",
            ge=0,
            le=3,
        ),
    ] = 3
    trim_after: Annotated[
        float,
        Meta(
            description="Seconds after which nothing is kept of a URL that was given up but that it was: some 20 bytes "
            "instead of 300. If a page links to it after that, it is fetched again.",
            ge=DAY,
            le=3660 * DAY,
        ),
    ] = 30 * DAY
    classes: Annotated[
        tuple[str, ...],
        Meta(description="Classes that are set, not learnt: `example.org news`, also for every host that ends so."),
    ] = ()
    policy: Annotated[
        Literal["optimal", "adaptive", "uniform"],
        Meta(
            description="When pages are seen again: so that most copies are fresh for the visits that there are; after "
            "half the interval if changed and one and a half times if not; or all equally often."
        ),
    ] = "optimal"
    every: Annotated[
        float,
        Meta(
            description="Seconds between two visits to a page, in the mean of all pages: what you can afford. Half of "
            "it is twice the requests.",
            ge=60,
            le=3660 * DAY,
        ),
    ] = 7 * DAY
    refresh_share: Annotated[
        float,
        Meta(
            description="The share of requests that goes to pages seen before, while there are new ones too. It moves "
            "with what both bring, between 0.2 and 0.8. With `politeness.max_rate` they are planned to need no more.",
            ge=0.05,
            le=0.95,
        ),
    ] = 0.5
    check_share: Annotated[
        float,
        Meta(
            description="Of all requests, those that visit a page drawn by lot, to measure how many copies are fresh.",
            ge=0,
            le=0.5,
        ),
    ] = 0.005
    rank_every: Annotated[
        float,
        Meta(
            description="Seconds between two looks at all links and captures, which find what domains and hosts are "
            "worth (`skitter rank`). Each takes a core for a second for a million links. 0: never.",
            ge=0,
            le=366 * DAY,
        ),
    ] = DAY


class JudgeSettings(Section, frozen=True):
    """What we think of pages, and what it may cost to find out."""

    dust: Annotated[
        bool,
        Meta(description="Learn for each host which parameters, suffixes and folders of its URLs make no difference."),
    ] = True
    soft404: Annotated[
        bool,
        Meta(
            description="Tell pages that only say that there is none: they are kept, marked `soft_404`, not followed, "
            "and seen again monthly."
        ),
    ] = True
    probe_share: Annotated[
        float,
        Meta(
            description="Of all requests, those that may ask a host for a name that can't be there, to learn how it "
            "says so. 0: none; then only repetition tells.",
            ge=0,
            le=1,
        ),
    ] = 0.005


class ParseSettings(Section, frozen=True):
    """How much is read out of a page. Raising a limit costs memory and time per page."""

    max_html: Annotated[
        int,
        Meta(description="Bytes of a page that are read for its links; all of it is stored.", ge=1024, le=1024**3),
    ] = 4 * 1024**2
    max_links: Annotated[int, Meta(description="Links kept of a page: the first ones.", ge=0, le=100_000)] = 1000
    max_anchor: Annotated[int, Meta(description="Characters kept of an anchor text.", ge=0, le=10_000)] = 200
    max_text: Annotated[int, Meta(description="Characters kept of a page's visible text.", ge=0, le=100_000_000)] = (
        1_000_000
    )
    max_sitemap_urls: Annotated[int, Meta(description="Entries kept of a sitemap.", ge=1, le=1_000_000)] = 50_000
    max_sitemap_bytes: Annotated[int, Meta(description="What is read of a sitemap, unpacked.", ge=1024, le=1024**3)] = (
        50 * 1024**2
    )


class FrontierSettings(Section, frozen=True):
    """What is kept in memory, and for how long a URL may be out."""

    shards: Annotated[int, Meta(description="Slices of the domains; fixed at a crawl's creation.", ge=1, le=4096)] = 64
    window_hosts: Annotated[
        int, Meta(description="Hosts a node holds in memory; each costs 1 to 18 KB.", ge=1, le=10_000_000)
    ] = 20_000
    window_urls: Annotated[
        int, Meta(description="URLs of each of these hosts in memory; each costs 80 bytes.", ge=1, le=1000)
    ] = 16
    seen_cache: Annotated[
        int,
        Meta(description="URLs a node remembers to have seen without asking the store; 8 bytes each.", ge=0, le=10**9),
    ] = 8_388_608
    store_memory: Annotated[
        int, Meta(description="Bytes a node's store may hold in memory.", ge=1024**2, le=1024**4)
    ] = 64 * 1024**2
    lease_seconds: Annotated[float, Meta(description="A lease that is not settled by then ends.", ge=10, le=DAY)] = (
        300.0
    )
    daily_quota: Annotated[int, Meta(description="Requests to a host in a day.", ge=1, le=10**9)] = 100_000
    purge_below: Annotated[
        int,
        Meta(
            description="With fewer bytes free on the disk, queued URLs are purged, those of lowest priority first. "
            "0: never; a disk that is full stops the crawl then.",
            ge=0,
            le=1024**5,
        ),
    ] = 256 * 1024**2


class NodeSettings(Section, frozen=True):
    """How much one process does at a time."""

    in_flight: Annotated[
        int, Meta(description="Requests out at the same time, by one node; each costs about 100 KB.", ge=1, le=100_000)
    ] = 500
    domain_share: Annotated[
        float,
        Meta(
            description="The part of `in_flight` that one domain may have at a time, however many hosts it has: a slow "
            "one with thousands of them must not leave the others without. 1: all of it.",
            gt=0,
            le=1,
        ),
    ] = 1.0
    stop_seconds: Annotated[
        float, Meta(description="What is under way at a stop is given up after this.", ge=0, le=600)
    ] = 30.0
    silence: Annotated[
        float,
        Meta(
            description="A node that says nothing for so long hangs: it is killed and started again. At its start it "
            "has ten times as long. Raise it for disks that stall.",
            ge=1,
            le=HOUR,
        ),
    ] = 60.0
    linger: Annotated[
        float, Meta(description="With nothing else to do, a retry is waited for this long.", ge=0, le=7 * DAY)
    ] = 60.0


class DnsSettings(Section, frozen=True):
    """How names become addresses, and which addresses are refused."""

    servers: Annotated[
        tuple[str, ...],
        Meta(
            description="Name servers, asked in turn: 192.0.2.1 or https://dns.example/dns-query; none: the system's."
        ),
    ] = ()
    timeout: Annotated[float, Meta(description="Seconds until a question counts as unanswered.", ge=0.1, le=60)] = 5.0
    min_ttl: Annotated[float, Meta(description="An answer is kept at least this long.", ge=0, le=HOUR)] = 60.0
    max_ttl: Annotated[float, Meta(description="An answer is kept at most this long.", ge=1, le=7 * DAY)] = DAY
    negative_ttl: Annotated[float, Meta(description="That a name is unknown is kept this long.", ge=0, le=DAY)] = 300.0
    stale: Annotated[
        float, Meta(description="While no server can say, an answer is used this long after its end.", ge=0, le=7 * DAY)
    ] = DAY
    cache_size: Annotated[int, Meta(description="Names kept; each costs about 300 bytes.", ge=1, le=10_000_000)] = (
        100_000
    )
    share: Annotated[
        bool, Meta(description="Share answers with the other nodes of this machine, and with the next run.")
    ] = True
    hosts_file: Annotated[str, Meta(description="A file as /etc/hosts, asked before any server; empty: none.")] = ""
    allow_private: Annotated[
        bool, Meta(description="Connect to private, loopback and other reserved addresses too.")
    ] = False
    allow_nets: Annotated[
        tuple[str, ...], Meta(description="Networks that are allowed though reserved, as 127.2.0.0/16.")
    ] = ()


class FetchSettings(Section, frozen=True):
    """How one request is made and how much of the answer is taken."""

    connect_timeout: Annotated[float, Meta(description="Seconds to connect, TLS included.", ge=0.1, le=300)] = 10.0
    first_byte_timeout: Annotated[
        float, Meta(description="Seconds from the request to the first byte.", ge=0.1, le=600)
    ] = 20.0
    total_timeout: Annotated[float, Meta(description="Seconds for the whole request.", ge=0.1, le=3600)] = 60.0
    min_speed: Annotated[
        int, Meta(description="Bytes a second; slower over 10 s is given up. 0: never.", ge=0, le=1024**3)
    ] = 100
    max_head: Annotated[
        int, Meta(description="Bytes of status line and headers, at most.", ge=1024, le=16 * 1024**2)
    ] = 64 * 1024
    max_headers: Annotated[int, Meta(description="Header lines, at most.", ge=10, le=100_000)] = 200
    max_body: Annotated[
        int, Meta(description="Bytes of a body, as sent and decoded; the rest is cut off.", ge=1024, le=1024**3)
    ] = 10 * 1024**2
    max_ratio: Annotated[
        int, Meta(description="A body that decodes to more times its size is a bomb.", ge=10, le=100_000)
    ] = 1000
    max_connections: Annotated[
        int, Meta(description="Idle connections kept for the next request.", ge=0, le=100_000)
    ] = 1000
    max_idle: Annotated[float, Meta(description="Seconds an idle connection is kept.", ge=0, le=HOUR)] = 15.0
    insecure: Annotated[bool, Meta(description="Accept bad certificates; the page is marked.")] = False


class StoreSettings(Section, frozen=True):
    """How the archive is written."""

    roll_bytes: Annotated[
        int, Meta(description="A WARC file is sealed when it reaches this.", ge=4096, le=64 * 1024**3)
    ] = 1024**3
    roll_seconds: Annotated[
        float,
        Meta(
            description="A WARC file is sealed when it was begun so long ago: then its captures are in the indexes. "
            "Less makes more and smaller files.",
            ge=1,
            le=DAY,
        ),
    ] = HOUR
    gzip_level: Annotated[int, Meta(description="1 is fast, 9 is small.", ge=1, le=9)] = 4
    sync_seconds: Annotated[
        float, Meta(description="Written files reach the disk this often: what a power cut can lose.", ge=0.1, le=HOUR)
    ] = 5.0
    probe_seconds: Annotated[
        float, Meta(description="A disk that is full or failing is tried again this often.", ge=0.01, le=HOUR)
    ] = 5.0


class BucketSettings(Section, frozen=True):
    """A bucket that the archive goes to. Credentials are never settings: they come from the environment or files."""

    address: Annotated[
        str,
        Meta(description="s3://BUCKET/PREFIX (or gs://, az://, file:///): WARC files and indexes are moved there."),
    ] = ""
    roll_bytes: Annotated[
        int, Meta(description="A WARC file for a bucket is sealed when it reaches this.", ge=4096, le=64 * 1024**3)
    ] = 128 * 1024**2
    roll_seconds: Annotated[
        float,
        Meta(
            description="A WARC file for a bucket is sealed when it was begun so long ago: what the loss of this "
            "machine's disk can lose. Less makes more and smaller files.",
            ge=1,
            le=DAY,
        ),
    ] = MINUTE
    buffer_bytes: Annotated[
        int,
        Meta(
            description="So much may wait on the disk for a bucket that is slow or away; then nothing more is fetched.",
            ge=1024**2,
            le=64 * 1024**4,
        ),
    ] = 8 * 1024**3
    buffer_seconds: Annotated[
        float, Meta(description="So long a sealed file may wait for it; then nothing more is fetched.", ge=1, le=DAY)
    ] = 15 * MINUTE
    closing_seconds: Annotated[
        float,
        Meta(
            description="So long the end of a crawl waits for the last files; the next start sends the rest.",
            ge=0.1,
            le=50,
        ),
    ] = 40.0
    archive_after: Annotated[
        int,
        Meta(
            description="WARC files are tagged `skitter-archive-after=DAYS`, for a rule of the bucket that moves them "
            "to a colder class; 0: no tag.",
            ge=0,
            le=36500,
        ),
    ] = 0


class ContentSettings(Section, frozen=True):
    """What is made of documents: their text, and which bodies are kept."""

    text: Annotated[
        Literal["best", "quick", "off"],
        Meta(
            description="The tables `text` and `images`: with the main text of pages, with all their visible text, or "
            "none. They are made beside the crawl, file by file, when a WARC file is sealed; `skitter reparse` makes "
            "them anew."
        ),
    ] = "best"
    types: Annotated[
        tuple[str, ...],
        Meta(
            description="What is kept of bodies, by media type: `video/* drop`, `application/zip keep`. keep: all, "
            "head: the first 64 KB, drop: nothing, refuse: not even fetched. The first rule that fits counts, then "
            "ours: audio, video and fonts head, all else keep."
        ),
    ] = ()
    pdf_links: Annotated[
        bool,
        Meta(description="Follow the links in PDFs. Each is read for them, in a process apart, before it is settled."),
    ] = True
    pdf_seconds: Annotated[
        float, Meta(description="CPU seconds for one PDF; then it is left with what was read.", ge=0.1, le=600)
    ] = 20.0
    pdf_memory: Annotated[
        int, Meta(description="Bytes that reading one PDF may take.", ge=64 * 1024**2, le=64 * 1024**3)
    ] = 1024**3


class SinksSettings(Section, frozen=True):
    """Where rows about what was fetched go, beside the archive. Passwords are never settings."""

    urls: Annotated[
        tuple[str, ...],
        Meta(
            description="postgres://USER@HOST/DATABASE, jsonl:FILE, jsonl:-, kafka://BROKER/TOPIC, https://HOST/PATH, "
            "plugin:NAME (one of plugins.use); "
            "`?tables=captures,links` says which rows. Each is fed in a process of its own (some 60 MB)."
        ),
    ] = ()
    closing_seconds: Annotated[
        float,
        Meta(
            description="So long the end of a crawl waits for sinks that are behind; the next start goes on.",
            ge=0,
            le=HOUR,
        ),
    ] = 30.0
    secret_file: Annotated[
        str, Meta(description="A file with the secret that webhooks are signed with; empty: SKITTER_WEBHOOK_SECRET.")
    ] = ""
    kafka_file: Annotated[
        str, Meta(description="A file of lines name=value for Kafka's client: TLS, user, password; empty: none.")
    ] = ""


class WorkSettings(Section, frozen=True):
    """Workers elsewhere, that fetch for nodes."""

    regions: Annotated[
        tuple[str, ...],
        Meta(
            description="Where hosts are: `eu 193.0.0.0/8` for addresses, `eu .de` for names. Workers of that region "
            "(`skitter worker --region eu`) are asked first, then the others in this order, then the node itself."
        ),
    ] = ()
    here: Annotated[str, Meta(description="The region that the nodes are in: its hosts they fetch themselves.")] = ""


class RenderSettings(Section, frozen=True):
    """Pages in a browser, and what one of them may cost."""

    mode: Annotated[
        Literal["auto", "never", "always"],
        Meta(
            description="Which pages are run in a browser: those that are empty without their scripts (auto), none, "
            "or all."
        ),
    ] = "auto"
    budget: Annotated[
        float,
        Meta(
            description="Pages that are rendered, as a share of all that are fetched; a node's first twenty are free. "
            "A rendering costs some fifty times as much as a page.",
            ge=0,
            le=1,
        ),
    ] = 0.05
    cpu_share: Annotated[
        float,
        Meta(
            description="Seconds of CPU time that the browsers of a node may take in a second, by and by.", gt=0, le=64
        ),
    ] = 0.5
    page_seconds: Annotated[
        float,
        Meta(
            description="Seconds after which a page in a browser is given nothing more: its own host is asked one "
            "delay apart, and held all the while.",
            ge=1,
            le=HOUR,
        ),
    ] = 120.0
    script_cache: Annotated[
        int,
        Meta(description="Bytes of scripts that a node keeps for the pages to come.", ge=0, le=16 * 1024**3),
    ] = 64 * 1024**2
    browser: Annotated[
        str,
        Meta(
            description="The browser to run pages in, a path or a name; empty: chromium-headless-shell or another "
            "Chromium that is found on the PATH."
        ),
    ] = ""
    namespace: Annotated[
        bool,
        Meta(description="Run browsers in a namespace without network, where the machine allows it. Leave it on."),
    ] = True
    sandbox: Annotated[
        bool,
        Meta(description="Run browsers with Chromium's own sandbox. Off: only where a container is wall enough."),
    ] = True
    browsers: Annotated[
        int,
        Meta(
            description="Pages in browsers at the same time, by one node, each in a browser of its own; each costs "
            "some 100 MB while there is work for it.",
            ge=1,
            le=256,
        ),
    ] = 4
    settle_seconds: Annotated[
        float,
        Meta(
            description="Seconds of a page's own clock after it has loaded, which mostly pass in no time, and stand "
            "still while it waits for an answer.",
            ge=0,
            le=120,
        ),
    ] = 5.0
    total_timeout: Annotated[
        float,
        Meta(
            description="Seconds for a page, not counting those in which it waits for an answer; then it is taken "
            "as far as it came.",
            ge=1,
            le=600,
        ),
    ] = 30.0
    max_cpu: Annotated[
        float, Meta(description="Seconds of CPU time for a page; then it is taken as far as it came.", ge=1, le=600)
    ] = 20.0
    max_requests: Annotated[
        int, Meta(description="Requests that a page may make; more are refused.", ge=1, le=10_000)
    ] = 100
    max_bytes: Annotated[
        int, Meta(description="Bytes that a page is given in all; then its requests are refused.", ge=1024, le=1024**3)
    ] = 20 * 1024**2
    max_dom: Annotated[
        int, Meta(description="Characters kept of a rendered page; the rest is cut off.", ge=1024, le=256 * 1024**2)
    ] = 8 * 1024**2
    max_memory: Annotated[
        int,
        Meta(
            description="Bytes of memory that a browser may have; with more it is killed, and its page has failed.",
            ge=256 * 1024**2,
            le=64 * 1024**3,
        ),
    ] = 768 * 1024**2
    recycle_pages: Annotated[int, Meta(description="A browser is replaced after so many pages.", ge=1, le=100_000)] = (
        200
    )
    recycle_memory: Annotated[
        int,
        Meta(
            description="Or when it holds so many bytes after a page.",
            ge=64 * 1024**2,
            le=64 * 1024**3,
        ),
    ] = 384 * 1024**2
    idle_seconds: Annotated[
        float, Meta(description="A browser that has had nothing to do for so long is ended.", ge=0, le=DAY)
    ] = 60.0


Option: TypeAlias = bool | int | float | str | list[bool | int | float | str]
"""What an option of a plug-in may be."""


class PluginSettings(Section, frozen=True):
    """Code of your own on the path of a page (docs/plugins.md)."""

    use: Annotated[
        tuple[str, ...],
        Meta(
            description="Plug-ins, in the order in which they are asked: names of installed ones, or `module:Class`, "
            "also of a file `module.py` in `plugins.folder`."
        ),
    ] = ()
    options: Annotated[
        dict[str, dict[str, Option]],
        Meta(
            description='Options of plug-ins, each under its name in `plugins.use`: { "language" = { "only" = "en" } }.'
        ),
    ] = {}
    folder: Annotated[
        str,
        Meta(description="Where files of `module:Class` lie; empty: beside the settings file that names them."),
    ] = ""
    deadline: Annotated[
        float,
        Meta(
            description="Seconds that a plug-in has for one page; then its process is ended and the page goes on "
            "without it. Plug-ins that call themselves quick are not timed out: they run in the node.",
            ge=0.01,
            le=600,
        ),
    ] = 5.0
    memory: Annotated[
        int,
        Meta(
            description="Bytes of memory, as the system counts addresses, that the process of a plug-in may have.",
            ge=64 * 1024**2,
            le=1024**4,
        ),
    ] = 1024**3
    patience: Annotated[
        int, Meta(description="Errors in a row after which a plug-in is switched off for a while.", ge=1, le=10**6)
    ] = 5
    rest: Annotated[
        float, Meta(description="Seconds for which it is; then one page tries whether it works again.", ge=0.1, le=DAY)
    ] = MINUTE


class ModeSettings(Section, frozen=True):
    """When a crawl does less by itself, because something is short: `docs/operate.md` has the modes."""

    by_rule: Annotated[
        bool, Meta(description="Raise the mode when something is short, and take it back by and by.")
    ] = True
    room: Annotated[
        int,
        Meta(
            description="Bytes free on the disk below which mode 1 begins; below half of that 2, below a quarter 3.",
            ge=0,
            le=1024**5,
        ),
    ] = 256 * 1024**2
    memory: Annotated[
        float,
        Meta(
            description="Part of the machine's memory that is available, below which mode 1 begins; below a third 3.",
            ge=0,
            le=1,
        ),
    ] = 0.02
    refused: Annotated[
        float,
        Meta(
            description="Part of the answers of the last ten minutes that are 429 or 503, from which on mode 1 begins; "
            "from 1.7 times as much 3.",
            gt=0,
            le=1,
        ),
    ] = 0.5


class Settings(Section, frozen=True):
    """All of it."""

    identity: IdentitySettings = IdentitySettings()
    url: UrlSettings = UrlSettings()
    scope: ScopeSettings = ScopeSettings()
    robots: RobotsSettings = RobotsSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    judge: JudgeSettings = JudgeSettings()
    parse: ParseSettings = ParseSettings()
    frontier: FrontierSettings = FrontierSettings()
    node: NodeSettings = NodeSettings()
    dns: DnsSettings = DnsSettings()
    fetch: FetchSettings = FetchSettings()
    store: StoreSettings = StoreSettings()
    bucket: BucketSettings = BucketSettings()
    sinks: SinksSettings = SinksSettings()
    work: WorkSettings = WorkSettings()
    content: ContentSettings = ContentSettings()
    render: RenderSettings = RenderSettings()
    plugins: PluginSettings = PluginSettings()
    modes: ModeSettings = ModeSettings()
