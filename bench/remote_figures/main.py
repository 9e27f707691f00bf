"""Runs remote_reads against a local nginx, behind a proxy that adds latency, and prints medians."""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


def start_nginx(folder, port):
    scratch = "".join(f"{name}_temp_path {name};" for name in
                      ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
daemon off; master_process off; pid nginx.pid; error_log error.log;
events {{ worker_connections 512; }}
http {{ {scratch} access_log off; sendfile on; root {folder}/root;
  server {{ listen 127.0.0.1:{port}; }} }}
""")
    process = subprocess.Popen([NGINX, "-p", f"{folder}/", "-c", "nginx.conf"],
                               stderr=subprocess.DEVNULL)
    for _ in range(500):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.01)
    sys.exit("nginx does not start")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_proxy(port, arguments):
    command = [arguments.programs / "delay_proxy", str(port), str(arguments.latency_ms),
               str(arguments.mb_per_s), "0" if arguments.no_handshake else "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def measure(arguments, uri):
    command = [arguments.programs / "remote_reads", uri, arguments.features, str(arguments.batch_size),
               str(arguments.connections)]
    runs = [json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(arguments.repeat)]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def show(title, figures, limit, latency_s):
    print(f"{title}: open {figures['open_ms']:.0f} ms, first batch {figures['first_batch_ms']:.0f} ms "
          f"({figures['steps']:.0f} steps), scan {figures['scan_ms']:.0f} ms of "
          f"{figures['scan_bytes'] / 1e6:.1f} MB in {figures['scan_reads']:.0f} reads")
    ahead = f"  the scan read ahead: {figures['ahead_ms']:.0f} ms"
    if limit:
        ahead += (f", {figures['scan_bytes'] / figures['ahead_ms'] / 1e3 / limit:.0%} of {limit:.0f} MB/s with opening, "
                  f"first batch after {figures['ahead_first_ms']:.0f} ms")
    print(ahead)
    print(f"  as a dataset, read ahead: {figures['dataset_ms']:.0f} ms; blocks mixed {figures['mixed_ms']:.0f} ms "
          f"of {figures['mixed_bytes'] / 1e6:.1f} MB")
    for name, what in (("ranges_ms", "ranges in one call"),
                       ("ranges_by_stripe_ms", "a call for each stripe")):
        seconds = max(figures[name], 0.1) / 1000
        rate = figures["plan_bytes"] / seconds / 1e6
        share = f", {rate / limit:.0%} of {limit:.0f} MB/s" if limit else ""
        if limit:
            waited = figures["plan_bytes"] / max(1e-9, seconds - latency_s) / 1e6
            share += f" ({waited / limit:.0%} without the latency of one step)"
        print(f"  source alone, {what}: {figures[name]:.0f} ms, {rate:.0f} MB/s{share}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--features", required=True, help="names with commas between")
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--latency-ms", type=float, default=30)
    parser.add_argument("--mb-per-s", type=float, default=5, help="of each connection; 0: no bound")
    parser.add_argument("--no-handshake", action="store_true", help="connections cost nothing")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    if not os.access(NGINX, os.X_OK):
        sys.exit("nginx is not installed (package nginx-light)")
    show("local", measure(arguments, str(arguments.file)), 0, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "root").mkdir()
        shutil.copy(arguments.file, folder / "root/table.dsi")
        port = free_port()
        processes = [start_nginx(folder, port)]
        try:
            show("nginx", measure(arguments, f"http://127.0.0.1:{port}/table.dsi"), 0, 0)
            proxy, far = start_proxy(port, arguments)
            processes.append(proxy)
            show(f"nginx, {arguments.latency_ms:g} ms away",
                 measure(arguments, f"http://127.0.0.1:{far}/table.dsi"),
                 arguments.mb_per_s * arguments.connections, arguments.latency_ms / 1000)
        finally:
            for process in processes:
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
