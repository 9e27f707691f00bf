"""A connection to a server far away: bytes arrive later, and no faster than a rate for each connection.

    delay_proxy.py PORT --latency-ms 30 --mb-per-s 100      prints its own port and serves until it is ended

Latency is of a round trip, half of it each way; a new connection takes one more, as the handshake of
TCP does, unless --no-handshake. What is on its way is bounded, as the window of a connection is.
"""

import argparse
import asyncio
import collections

WINDOW = 4 << 20


class Pipe(asyncio.Protocol):
    """One direction: takes bytes, and hands them to the other side when they would be there."""

    def __init__(self, delay, rate):
        self.delay, self.rate = delay, rate
        self.transport = self.peer = None
        self.free_at = 0.0
        self.queue = collections.deque()
        self.queued = 0
        self.paused = self.ended = False

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(6, 1, 1)  # TCP_NODELAY

    def data_received(self, data):
        loop = asyncio.get_running_loop()
        begin = max(self.free_at, loop.time())
        self.free_at = begin + (len(data) / self.rate if self.rate else 0)
        # As it would trickle in, not as one block at the end.
        pieces = [data[i:i + 16384] for i in range(0, len(data), 16384)] if self.rate else [data]
        sent = 0
        for piece in pieces:
            sent += len(piece)
            at = begin + (sent / self.rate if self.rate else 0) + self.delay
            self.queue.append((at, piece))
            loop.call_at(at, self.deliver)
        self.queued += len(data)
        if self.queued > WINDOW and not self.paused:
            self.paused = True
            self.transport.pause_reading()

    def deliver(self):
        now = asyncio.get_running_loop().time() + 0.0005
        while self.queue and self.queue[0][0] <= now:
            piece = self.queue.popleft()[1]
            self.queued -= len(piece)
            if self.peer.transport is not None:
                self.peer.transport.write(piece)
        if self.paused and self.queued <= WINDOW:
            self.paused = False
            if not self.transport.is_closing():
                self.transport.resume_reading()
        self.close_if_done()

    def close_if_done(self):
        if self.ended and not self.queue and self.peer.transport is not None:
            self.peer.transport.close()

    def connection_lost(self, _):
        self.ended = True
        asyncio.get_running_loop().call_later(self.delay, self.close_if_done)


class Arriving(Pipe):
    """The side of the client, which opens the way to the server."""

    def __init__(self, port, delay, rate, has_handshake):
        super().__init__(delay, 0)
        self.port, self.has_handshake = port, has_handshake
        self.peer = Pipe(delay, rate)
        self.peer.peer = self

    def connection_made(self, transport):
        super().connection_made(transport)
        if self.has_handshake:
            self.free_at = asyncio.get_running_loop().time() + 2 * self.delay
        asyncio.ensure_future(self.connect())

    async def connect(self):
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self.peer, "127.0.0.1", self.port)
        except OSError:
            self.transport.close()


async def serve(arguments):
    delay = arguments.latency_ms / 2000
    server = await asyncio.get_running_loop().create_server(
        lambda: Arriving(arguments.port, delay, arguments.mb_per_s * 1e6,
                         not arguments.no_handshake), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--latency-ms", type=float, default=30)
    parser.add_argument("--mb-per-s", type=float, default=0, help="of each connection; 0: no bound")
    parser.add_argument("--no-handshake", action="store_true", help="connections cost nothing")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
