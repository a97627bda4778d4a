"""The sliding log of core's limits: a sorted set in Redis for each name, updated by an atomic script."""

import logging
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from billycan import Limit

log = logging.getLogger("billycan.redis_limits")

_AWAY_SECONDS = 1.0
# A tick is the resolution of a float of Unix seconds from 2004 to 2038, so calculating in ticks rounds nothing.
_SECOND = 1 << 22
_MINUTE = 60 * _SECOND

# Times are ticks, whole numbers that a double holds exactly; as text they must not become 7.1e+15. They come from the
# clock of Redis: if the clocks of two hosts differed by a minute, each would drop the other's requests.
_TAKE = """
local at, minute, second = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not at then
    local time = redis.call('TIME')
    at = time[1] * second + math.floor(time[2] * second / 1000000)
end
local function text(tick) return string.format('%.0f', tick) end
local function ago(name, number)
    return tonumber(redis.call('ZREVRANGE', name, number - 1, number - 1, 'WITHSCORES')[2])
end
local function count(name, after) return redis.call('ZCOUNT', name, '(' .. text(after), '+inf') end

-- Each limit is looked at before any is charged, so that a refusal costs none of them anything.
local tightest, clocks = nil, {}
for i, name in ipairs(KEYS) do
    local per_minute, per_second = tonumber(ARGV[1 + 3 * i]), tonumber(ARGV[2 + 3 * i])
    local more = tonumber(ARGV[3 + 3 * i])
    redis.call('ZREMRANGEBYSCORE', name, '(' .. text(at + minute), '+inf')
    local clock = math.max(at, ago(name, 1) or at)
    redis.call('ZREMRANGEBYSCORE', name, '-inf', text(clock - minute))
    local in_minute, in_second = count(name, clock - minute), count(name, clock - second)
    local window, limit, reset, last = '', 0, 0, -1
    if in_minute + more > per_minute then
        window, limit = 'minute', per_minute
        reset, last = ago(name, in_minute) + minute, ago(name, per_minute - more + 1) + minute
    end
    if more == 1 and in_second >= per_second and ago(name, per_second) + second > last then
        window, limit = 'second', per_second
        reset, last = ago(name, in_second) + second, ago(name, per_second) + second
    end
    if window ~= '' then return {window, text(limit), '0', text(reset), text(last - at)} end
    clocks[i] = clock
    local remaining = per_minute - in_minute - more
    if not tightest or remaining < tightest.remaining then
        local oldest = in_minute > 0 and ago(name, in_minute) or clock
        tightest = {remaining = remaining, limit = per_minute, reset = oldest + minute}
    end
end
for i, name in ipairs(KEYS) do
    local same = redis.call('ZCOUNT', name, text(clocks[i]), text(clocks[i]))
    for n = same, same + tonumber(ARGV[3 + 3 * i]) - 1 do
        redis.call('ZADD', name, text(clocks[i]), text(clocks[i]) .. ':' .. n)
    end
    redis.call('PEXPIRE', name, 60000)
end
return {'', text(tightest.limit), text(tightest.remaining), text(tightest.reset), '0'}
"""


class Store:
    """A connection to Redis. While Redis does not answer, it is tried at most once a second.

    Requests are counted by the clock of Redis; with `is_clock_given`, by the `now` of each call, for tests.
    """

    def __init__(self, url: str, timeout_seconds: float, *, is_clock_given: bool = False) -> None:
        self._is_clock_given = is_clock_given
        once = Retry(NoBackoff(), 0)  # a second try would double the wait of a request
        self._redis = redis.Redis.from_url(
            url, socket_timeout=timeout_seconds, socket_connect_timeout=timeout_seconds, retry=once
        )
        self._take: Any = self._redis.register_script(_TAKE)
        self._away_until = 0.0

    def is_away(self) -> bool:
        """Ask Redis now; True if it does not answer."""
        try:
            self._redis.ping()
        except redis.RedisError:
            return True
        return False

    def take_each(self, now: float, *limits: Limit) -> Limit.Allowance | None:
        """Count a request under each limit, or under none if one is reached; None while Redis does not answer.

        `now` is the host's time, in Unix seconds.
        """
        if now < self._away_until <= now + _AWAY_SECONDS:
            return None
        figures = [f for limit in limits for f in (limit.per_minute, limit.per_second, limit.requests)]
        at = round(now * _SECOND) if self._is_clock_given else ""
        try:
            keys = [f"billycan:{limit.name}" for limit in limits]
            answer = self._take(keys=keys, args=[at, _MINUTE, _SECOND, *figures])
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, so each host counts by itself: %s", type(error).__name__)
            self._away_until = now + _AWAY_SECONDS
            return None
        window, most, remaining, reset, wait = (part.decode() for part in answer)
        return Limit.Allowance(
            allowed=not window,
            limit=int(most),
            remaining=int(remaining),
            reset=_whole_seconds(reset),
            window=window or "minute",
            retry_after=_whole_seconds(wait) if window else None,
        )


def _whole_seconds(ticks: str | int) -> int:
    return -(-int(ticks) // _SECOND)
