"""The sliding log of core's limits as a sorted set in Redis for each name, charged by a script that runs whole."""

import logging
from collections.abc import Callable
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from billycan import Allowance

Take = Callable[[str, int, int, float], Allowance]

log = logging.getLogger("billycan.redis_limits")

_AWAY_SECONDS = 1.0
# A tick is the resolution of a float of Unix seconds from 2004 to 2038, so that reckoning in ticks rounds nothing.
_SECOND = 1 << 22
_MINUTE = 60 * _SECOND

# Times are ticks, whole numbers that a double holds exactly; as text they must not become 7.1e+15. They are of Redis'
# own clock: of two hosts whose clocks differ by a minute, each would forget what the other has counted.
_TAKE = """
local name, at, per_minute, per_second = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local minute, second = tonumber(ARGV[4]), tonumber(ARGV[5])
if not at then
    local time = redis.call('TIME')
    at = time[1] * second + math.floor(time[2] * second / 1000000)
end
local function text(tick) return string.format('%.0f', tick) end
local function ago(number) return tonumber(redis.call('ZREVRANGE', name, number - 1, number - 1, 'WITHSCORES')[2]) end
local function count(after) return redis.call('ZCOUNT', name, '(' .. text(after), '+inf') end

redis.call('ZREMRANGEBYSCORE', name, '(' .. text(at + minute), '+inf')
local clock = math.max(at, ago(1) or at)
redis.call('ZREMRANGEBYSCORE', name, '-inf', text(clock - minute))
local in_minute, in_second = count(clock - minute), count(clock - second)
if in_minute < per_minute and in_second < per_second then
    local same = redis.call('ZCOUNT', name, text(clock), text(clock))
    redis.call('ZADD', name, text(clock), text(clock) .. ':' .. same)
    redis.call('PEXPIRE', name, 60000)
    return {'', text(per_minute - in_minute - 1), text(ago(in_minute + 1) + minute), ''}
end
local window, limit, reset, last = '', 0, 0, -1
if in_minute >= per_minute then
    window, limit, reset, last = 'minute', per_minute, ago(in_minute) + minute, ago(per_minute) + minute
end
if in_second >= per_second and ago(per_second) + second > last then
    window, limit, reset, last = 'second', per_second, ago(in_second) + second, ago(per_second) + second
end
return {window, text(limit), text(reset), text(last - at)}
"""


class Store:
    """One Redis, asked at most once a second while it does not answer; `meanwhile` counts then.

    Requests are counted at the time by Redis; with `is_clock_given` at the `now` of each, as tests want it.
    """

    def __init__(self, url: str, timeout_seconds: float, meanwhile: Take, *, is_clock_given: bool = False) -> None:
        self._meanwhile, self._is_clock_given = meanwhile, is_clock_given
        once = Retry(NoBackoff(), 0)  # a second try would double what a request waits
        self._redis = redis.Redis.from_url(
            url, socket_timeout=timeout_seconds, socket_connect_timeout=timeout_seconds, retry=once
        )
        self._take: Any = self._redis.register_script(_TAKE)
        self._away_until = 0.0

    def take(self, name: str, per_minute: int, per_second: int, now: float) -> Allowance:
        """Count a request as `Limiter.take` does; `now` is the host's time, in Unix seconds."""
        if now < self._away_until <= now + _AWAY_SECONDS:
            return self._meanwhile(name, per_minute, per_second, now)
        at = round(now * _SECOND) if self._is_clock_given else ""
        try:
            answer = self._take(keys=[f"billycan:{name}"], args=[at, per_minute, per_second, _MINUTE, _SECOND])
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, so each host counts by itself: %s", type(error).__name__)
            self._away_until = now + _AWAY_SECONDS
            return self._meanwhile(name, per_minute, per_second, now)
        window, figure, reset, wait = (part.decode() for part in answer)
        if not window:
            return Allowance(
                allowed=True, limit=per_minute, remaining=int(figure), reset=_seconds(reset), window="minute"
            )
        return Allowance(
            allowed=False,
            limit=int(figure),
            remaining=0,
            reset=_seconds(reset),
            window=window,
            retry_after=_seconds(wait),
        )


def _seconds(ticks: str | int) -> int:
    return -(-int(ticks) // _SECOND)
