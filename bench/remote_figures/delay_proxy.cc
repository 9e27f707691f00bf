// A connection to a server far away: bytes arrive later, and no faster than a rate for each
// connection.
//
//   delay_proxy PORT LATENCY_MS MB_PER_S HANDSHAKE
//
// Prints its own port and serves 127.0.0.1 until it is ended. Latency is of a round trip, half of
// it each way. The rate is of what comes from the server; 0: no bound. With HANDSHAKE 1 a new
// connection takes a round trip more, as that of TCP does. What is on its way is bounded, as the
// window of a connection is.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <string>
#include <vector>

namespace {

constexpr size_t kWindow = 4 << 20;
constexpr size_t kPiece = 64 << 10;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Piece {
  double at = 0;  // When its last byte is there.
  std::string bytes;
  size_t done = 0;
};

// One direction of a connection.
struct Way {
  int from = -1;
  int to = -1;
  double delay = 0;
  double rate = 0;
  double free_at = 0;
  std::deque<Piece> pieces = {};
  size_t queued = 0;
  bool has_ended = false;
  bool is_shut = false;

  bool wants_more() const { return !has_ended && queued < kWindow; }
  bool is_due(double now) const { return !pieces.empty() && pieces.front().at <= now; }

  void Take() {
    std::string bytes(kPiece, '\0');
    const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      has_ended = true;
      return;
    }
    bytes.resize(static_cast<size_t>(got));
    const double sent = std::max(free_at, Now());
    free_at = sent + (rate > 0 ? static_cast<double>(got) / rate : 0);
    queued += bytes.size();
    pieces.push_back({.at = free_at + delay, .bytes = std::move(bytes)});
  }

  void Hand(double now) {
    while (is_due(now)) {
      Piece& piece = pieces.front();
      const ssize_t put = ::send(to, piece.bytes.data() + piece.done,
                                 piece.bytes.size() - piece.done, MSG_NOSIGNAL);
      if (put < 0 && errno == EAGAIN) return;
      if (put < 0) {
        has_ended = true;
        pieces.clear();
        queued = 0;
        return;
      }
      piece.done += static_cast<size_t>(put);
      queued -= static_cast<size_t>(put);
      if (piece.done == piece.bytes.size()) pieces.pop_front();
    }
    if (has_ended && pieces.empty() && !is_shut) {
      is_shut = true;
      (void)::shutdown(to, SHUT_WR);
    }
  }
};

struct Connection {
  Way there;
  Way back;
  bool is_over() const { return there.is_shut && back.is_shut; }
};

sockaddr_in Address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int Prepared(int fd) {
  const int on = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  (void)::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

int Listen(int* port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Address(0);
  socklen_t size = sizeof(address);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, 512) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("delay_proxy");
    std::exit(1);
  }
  *port = ntohs(address.sin_port);
  return Prepared(fd);
}

// Connecting to a server on this machine takes no time worth counting.
int Connect(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Address(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(fd);
    return -1;
  }
  return Prepared(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return std::fprintf(stderr, "usage: delay_proxy PORT LATENCY_MS MB_PER_S HANDSHAKE\n"), 2;
  const int server = std::atoi(argv[1]);
  const double delay = std::atof(argv[2]) / 2000;
  const double rate = std::atof(argv[3]) * 1e6;
  const double handshake = std::atoi(argv[4]) != 0 ? 2 * delay : 0;
  std::signal(SIGPIPE, SIG_IGN);
  int port = 0;
  const int listener = Listen(&port);
  std::printf("%d\n", port);
  std::fflush(stdout);
  std::list<Connection> connections;
  while (true) {
    std::vector<pollfd> waits{{listener, POLLIN, 0}};
    double next = Now() + 3600;
    for (Connection& connection : connections) {
      for (Way* const way : {&connection.there, &connection.back}) {
        const bool is_due = way->is_due(Now());
        if (!is_due && !way->pieces.empty()) next = std::min(next, way->pieces.front().at);
        waits.push_back({way->from, static_cast<short>(way->wants_more() ? POLLIN : 0), 0});
        waits.push_back({way->to, static_cast<short>(is_due ? POLLOUT : 0), 0});
        if (waits.end()[-2].events == 0) waits.end()[-2].fd = -1;
        if (waits.end()[-1].events == 0) waits.end()[-1].fd = -1;
      }
    }
    const double left = std::max(0.0, next - Now());
    timespec timeout{static_cast<time_t>(left), 0};
    timeout.tv_nsec = static_cast<long>((left - static_cast<double>(timeout.tv_sec)) * 1e9);
    (void)::ppoll(waits.data(), waits.size(), &timeout, nullptr);
    size_t at = 1;
    for (Connection& connection : connections) {
      for (Way* const way : {&connection.there, &connection.back}) {
        if (waits[at].revents != 0) way->Take();
        at += 2;
        way->Hand(Now());
      }
    }
    connections.remove_if([](const Connection& connection) {
      if (connection.is_over()) {
        ::close(connection.there.from);
        ::close(connection.there.to);
      }
      return connection.is_over();
    });
    if (waits[0].revents == 0) continue;
    for (int client = ::accept(listener, nullptr, nullptr); client >= 0;
         client = ::accept(listener, nullptr, nullptr)) {
      const int far = Connect(server);
      if (far < 0) {
        ::close(client);
        continue;
      }
      connections.push_back(
          {{.from = Prepared(client), .to = far, .delay = delay, .free_at = Now() + handshake},
           {.from = far, .to = client, .delay = delay, .rate = rate}});
    }
  }
}
