"""What reads cost: two models, and this machine's disk."""
import os
import statistics
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Storage:
    name: str
    latency: float  # Seconds until the first byte of a read.
    bandwidth: float  # Bytes a second; of each connection.
    connections: int
    seeks: bool  # A read that starts where the last one ended does not wait.

    @property
    def bytes_of_latency(self):
        """What may be read along rather than wait once more, where every read has its latency to itself."""
        return round(self.latency * self.bandwidth)

    def seconds(self, reads):
        """Of [(offset, size)], with all connections busy all the time, as in a job over many such files."""
        waits = sum(1 for i, (offset, _) in enumerate(reads) if not (self.seeks and i and sum(reads[i - 1]) == offset))
        return (waits * self.latency + sum(size for _, size in reads) / self.bandwidth) / self.connections


STORAGES = {s.name: s for s in (Storage("disk", 8e-3, 2e8, 1, True), Storage("store", 30e-3, 1e8, 16, False))}


def replay(path, reads, repeat):
    """The same with pread on this machine, nothing of the file in memory before; the median."""
    seconds, memory = [], memoryview(bytearray(max(size for _, size in reads)))
    file = os.open(path, os.O_RDONLY)
    try:
        for _ in range(repeat):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            start = time.perf_counter()
            for offset, size in reads:
                os.preadv(file, [memory[:size]], offset)
            seconds.append(time.perf_counter() - start)
    finally:
        os.close(file)
    return statistics.median(seconds)
