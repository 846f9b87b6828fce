"""Starts `backend serve` on a database, and sends it the requests that schemathesis generates from its document.

Usage: run.py short|long DATABASE, with the program in the environment variable BACKEND.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import accounts

HERE = Path(__file__).parent

# Requests per operation in the fuzzing phase, and a fixed seed: a short run sends the same requests every time.
LENGTHS = {
    "short": ["--config-file", "short.toml", "run", "--max-examples=6", "--seed=13"],
    "long": ["--config-file", "schemathesis.toml", "run", "--max-examples=100"],
}


def main():
    signal.signal(signal.SIGTERM, end)
    length, database = sys.argv[1:]
    backend = os.environ["BACKEND"]
    accounts.create(backend, database, "root", "admin")
    accounts.create(backend, database, "ann")
    subprocess.run([backend, "seed", "--articles", "20", "--database", database], check=True, capture_output=True)
    serve = [backend, "serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1", "--database", database]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        try:
            host = address(server)
            with tempfile.TemporaryDirectory() as folder:
                whole = Path(folder, "openapi.json")
                whole.write_bytes(subprocess.run([backend, "openapi"], check=True, capture_output=True).stdout)
                environment = {"WHOLE_DOCUMENT": str(whole), "HOST": host, "DATABASE": database}
                failures = check("an anonymous client", [], length, environment)
                environment["AUTHORIZATION"] = f"Bearer {accounts.token(host, 'root')}"
                header = f"Authorization: {environment['AUTHORIZATION']}"
                failures += check("an admin", ["--header", header], length, environment)
        finally:
            server.terminate()
    if server.returncode != 0:
        failures.append(f"backend ended with {server.returncode}")
    if failures:
        sys.exit("; ".join(failures))


def end(number, frame):
    """Ends this script by an exception, so that it ends the processes that it started, too."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def address(server):
    """Returns the server's address from its output, and reads the rest so that it never waits for a reader."""
    for line in server.stdout:
        if "http://" in line:
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return "http://" + line.split("http://")[1].split(",")[0].strip()
    sys.exit("backend ended before it listened")


def check(person, headers, length, environment):
    """Runs every check and phase on the document of one person, and returns what failed."""
    print(f"\nschemathesis as {person}", flush=True)
    document = f"{environment['HOST']}/api/v1/openapi.json"
    command = [Path(sys.executable).with_name("st"), *LENGTHS[length], document, *headers]
    environment = {**os.environ, **environment, "PYTHONPATH": str(HERE)}
    status = subprocess.run(command, cwd=HERE, env=environment).returncode
    return [f"schemathesis as {person} ended with {status}"] if status != 0 else []


main()
