"""One client's connection, and the places of those at work: by a clock of the test's own."""

import socket
import threading
from io import BytesIO
from types import SimpleNamespace

import pytest

from billycan import apart as shares
from billycan.apart import LIVE, Share, Shares
from billycan.hosting import peers, workers
from billycan.hosting.peers import BODY_SECONDS, HEAD_SECONDS, RESPONSE_SECONDS, Peer, Places
from billycan.problems import Timeout, TooManyAtOnce

IDLE_SECONDS, SECONDS = 5, 60


class Clock:
    def __init__(self):
        self.time = 1_000.0

    def monotonic(self):
        return self.time


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(peers, "time", clock)
    return clock


class Ends:
    """A connection's two ends, and whether the client was told that it is late."""

    def __init__(self):
        self.client, accepted = socket.socketpair()
        self.told = []
        self.peer = Peer(accepted, "192.0.2.1", IDLE_SECONDS, self.told.append)


@pytest.fixture
def ends(clock):
    ends = Ends()
    yield ends
    ends.client.close()
    ends.peer.close()


def drip(ends, clock, seconds):
    """The bytes that are received of one each second."""
    received = 0
    for _ in range(seconds):
        ends.client.send(b"a")
        received += len(ends.peer.recv(8192))
        clock.time += 1
    return received


def test_a_head_has_its_seconds_in_all_however_it_drips(ends, clock):
    clock.time += 3  # idle
    assert drip(ends, clock, 60) == HEAD_SECONDS + 1
    assert ends.told == [ends.peer]


def test_a_body_has_its_seconds_in_all_however_it_drips(ends, clock):
    ends.client.send(b"head")
    ends.peer.recv(8192)
    ends.peer.begin(Places(1))
    with pytest.raises(Timeout):
        drip(ends, clock, 600)
    assert clock.time == 1_000 + BODY_SECONDS + 1
    ends.client.send(b"GET / HTTP/1.1\r\n\r\n")
    assert ends.peer.recv(8192) == b"", "what comes too late is no request"
    assert ends.told == [], "by the response, and not here"


def test_who_sends_nothing_is_hung_up_on_without_a_word(ends, clock):
    clock.time += IDLE_SECONDS
    assert ends.peer.recv(8192) == b""
    assert ends.told == []


def test_a_response_has_its_seconds_in_all(ends, clock):
    ends.peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    ends.peer.begin(Places(1))
    ends.peer.send(b"head")
    clock.time += RESPONSE_SECONDS
    with pytest.raises(ConnectionResetError):
        ends.peer.sendall(b"a" * 10_000_000)


@pytest.mark.parametrize("what", ["recv", "sendall"])
def test_who_waits_for_its_client_holds_no_place(ends, what):
    places, wait = Places(1), [8192] if what == "recv" else [b"a" * 10_000_000]
    ends.client.send(b"head")
    ends.peer.recv(8192)
    ends.peer.begin(places)
    thread = threading.Thread(target=getattr(ends.peer, what), args=wait)
    thread.start()
    places.take()  # only once the other one has given it up
    if what == "recv":
        ends.client.send(b"a")
    places.give()
    left = 0 if what == "recv" else len(wait[0])
    while left:
        left -= len(ends.client.recv(65536))
    thread.join()
    ends.peer.end(lambda size: b"")
    assert places._free == 1


@pytest.mark.parametrize("what", ["recv", "sendall"])
def test_who_waits_for_its_client_holds_nothing_of_its_business(ends, what):
    business, wait = Shares(4), [8192] if what == "recv" else [b"a" * 10_000_000]
    other = Share(business, "a", LIVE)
    ends.client.send(b"head")
    ends.peer.recv(8192)
    ends.peer.begin(Places(1))
    ends.peer.hold(Share(business, "a", LIVE))
    assert not other.begin()
    thread = threading.Thread(target=getattr(ends.peer, what), args=wait)
    thread.start()
    other.wait()  # only once the other one has given it up
    if what == "recv":
        ends.client.send(b"a")
    other.leave()
    left = 0 if what == "recv" else len(wait[0])
    while left:
        left -= len(ends.client.recv(65536))
    thread.join()
    assert business._queues["a"].held == 1
    ends.peer.end(lambda size: b"")
    assert business._queues == {}


@pytest.mark.parametrize("what", ["recv", "sendall"])
def test_so_many_of_a_business_wait_for_their_clients(ends, monkeypatch, what):
    monkeypatch.setattr(shares, "MOST_AWAY", 1)
    business, places = Shares(4), Places(1)
    other = Share(business, "a", LIVE)
    assert other.begin()
    other.pause()
    ends.client.send(b"head")
    ends.peer.recv(8192)
    ends.peer.begin(places)
    ends.peer.hold(Share(business, "a", LIVE))
    error = TooManyAtOnce if what == "recv" else ConnectionResetError
    with pytest.raises(error):
        getattr(ends.peer, what)(8192 if what == "recv" else b"a" * 10_000_000)
    assert ends.peer.has_place and places._free == 0, "to answer in"
    ends.peer.end(lambda size: b"")
    assert business._queues["a"].away == 1 and business._queues["a"].held == 0
    other.resume()
    other.pause()
    other.leave()
    assert business._queues == {} and places._free == 1


def test_who_waits_for_its_business_holds_no_place(ends):
    places, business = Places(1), Shares(4)
    other = Share(business, "a", LIVE)
    assert other.begin()
    ends.peer.begin(places)
    thread = threading.Thread(target=ends.peer.hold, args=[Share(business, "a", LIVE)])
    thread.start()
    places.take()  # only once the other one has given it up
    other.leave()
    assert thread.is_alive() and not ends.peer.has_place
    places.give()
    thread.join()
    assert ends.peer.has_place and places._free == 0 and business._queues["a"].held == 1
    ends.peer.end(lambda size: b"")
    assert places._free == 1 and business._queues == {}


@pytest.mark.parametrize("limit", ["MOST_WAITING", "WAIT_SECONDS"])
def test_who_is_refused_by_its_business_is_answered_in_a_place(ends, monkeypatch, limit):
    monkeypatch.setattr(shares, limit, 0)
    places, business = Places(1), Shares(4)
    other = Share(business, "a", LIVE)
    assert other.begin()
    ends.peer.begin(places)
    with pytest.raises(TooManyAtOnce):
        ends.peer.hold(Share(business, "a", LIVE))
    assert ends.peer.has_place and places._free == 0
    ends.peer.end(lambda size: b"")
    assert places._free == 1 and business._queues["a"].held == 1 and not any(business._queues["a"].waiting)
    other.leave()


def test_places_are_taken_in_order():
    places, took, waiting = Places(2), [], []
    places.take()
    places.take()

    def work(number):
        places.take()
        took.append(number)
        places.give()

    for number in range(20):
        waiting.append(threading.Thread(target=work, args=(number,)))
        waiting[-1].start()
        while len(places._waiting) <= number:
            pass
    assert took == []
    places.give()
    for thread in waiting:
        thread.join()
    assert took == list(range(20))


@pytest.fixture
def connect():
    """Connects a client of an address; both ends are closed after the test."""
    ends = []

    def connect(address):
        client, accepted = socket.socketpair()
        client.settimeout(SECONDS)
        ends.extend([client, Peer(accepted, address, 1, print)])
        return tuple(ends[-2:])

    yield connect
    for end in ends:
        end.close()


def test_an_address_has_room_for_so_many_connections_and_an_ipv6_network_is_one_address(connect):
    first, second, third = (connect(f"2001:db8:1:2::{i}")[1] for i in range(3))
    stranger = connect("2001:db8:1:3::1")[1]
    assert [peer.is_admitted(2, 100) for peer in (first, second, third, stranger)] == [True, True, False, True]
    first.close()
    assert third.is_admitted(2, 100)


def test_a_newcomer_takes_the_room_of_the_slowest_of_the_address_that_has_most(clock, connect):
    ends = []
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.2", "192.0.2.3"):
        clock.time += 1
        ends.append(connect(address))
    ends[1][1].begin(Places(1))
    assert all(peer.is_admitted(100, 5) for _, peer in ends)
    assert connect("192.0.2.4")[1].is_admitted(100, 5)
    client, thrown_out = ends.pop(2)
    assert client.recv(1) == thrown_out.recv(1) == b"", "the first of its address was older, but is at work"
    for client, peer in ends:
        client.send(b"a")
        assert peer.recv(1) == b"a"


def test_who_was_thrown_out_while_it_waited_for_a_place_is_not_handled(connect):
    places, (_, peer), refused = Places(1), connect("192.0.2.1"), []
    places.take()

    def work():
        try:
            peer.begin(places)
        except ConnectionResetError as error:
            refused.append(error)
        peer.end(lambda size: b"")

    thread = threading.Thread(target=work)
    thread.start()
    peer.throw_out()
    places.give()
    thread.join()
    assert refused and places._free == 1


@pytest.mark.parametrize(("rests", "status", "slept"), [(True, 429, [0.05]), (True, 200, []), (False, 429, [])])
def test_a_refused_connection_rests_in_no_place(connect, monkeypatch, rests, status, slept):
    hooks, places, found = {}, Places(1), []
    workers._watch_requests(SimpleNamespace(set=hooks.__setitem__), places, rests=rests)
    monkeypatch.setattr(workers.time, "sleep", lambda seconds: found.append((seconds, places._free)))
    monkeypatch.setattr(peers, "LINGER_SECONDS", 0.01)
    _, peer = connect("192.0.2.1")
    reader = SimpleNamespace(chunks_left=0)
    body = SimpleNamespace(reader=reader, failed=True, read=None)
    request = SimpleNamespace(
        unreader=SimpleNamespace(sock=peer, buf=BytesIO()), method="GET", path="/v1/contacts", body=body
    )
    hooks["pre_request"](None, request)
    assert places._free == 0
    hooks["post_request"](None, request, {}, SimpleNamespace(status_code=status))
    assert found == [(seconds, 1) for seconds in slept] and places._free == 1


def test_health_and_readiness_wait_for_nobody_and_not_for_each_other(connect):
    hooks, places = {}, Places(1)
    workers._watch_requests(SimpleNamespace(set=hooks.__setitem__), places, rests=False)
    places.take()
    peers_at_work = [connect(f"192.0.2.{i}")[1] for i in range(3)]

    def begin(peer, method, path):
        request = SimpleNamespace(unreader=SimpleNamespace(sock=peer), method=method, path=path)
        hooks["pre_request"](None, request)

    begin(peers_at_work[0], "GET", "/-/health")
    begin(peers_at_work[1], "HEAD", "/-/ready")
    thread = threading.Thread(target=begin, args=(peers_at_work[2], "GET", "/v1/contacts"))
    thread.start()
    while not places._waiting:
        pass
    assert [peer.has_place for peer in peers_at_work] == [True, True, False]
    places.give()
    thread.join()
    assert peers_at_work[2].has_place
