"""Starts `backend serve` on a database, and sends it the requests that schemathesis generates from its document.

Usage: run.py short|long DATABASE, with the program in the environment variable BACKEND.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
PASSWORD = "correct horse"

# Requests per operation in the fuzzing phase, and a fixed seed: a short run sends the same requests every time.
LENGTHS = {
    "short": ["--config-file", "short.toml", "run", "--max-examples=6", "--seed=13"],
    "long": ["--config-file", "schemathesis.toml", "run", "--max-examples=100"],
}


def main():
    signal.signal(signal.SIGTERM, end)
    length, database = sys.argv[1:]
    backend = os.environ["BACKEND"]
    for account in (["root", "--role", "admin"], ["ann"]):
        create(backend, database, account)
    subprocess.run([backend, "seed", "--articles", "20", "--database", database], check=True, capture_output=True)
    with subprocess.Popen(
        [backend, "serve", "--listen", "127.0.0.1:0", "--database", database], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            host = address(server)
            with tempfile.TemporaryDirectory() as folder:
                whole = Path(folder, "openapi.json")
                whole.write_bytes(subprocess.run([backend, "openapi"], check=True, capture_output=True).stdout)
                # Failed logins of the first run would delay a login after it.
                credential = token(host, "root")
                check(host, "an anonymous client", [], length, whole)
                check(host, "an admin", ["--header", f"Authorization: Bearer {credential}"], length, whole)
        finally:
            server.terminate()
    if server.returncode != 0:
        sys.exit(f"backend ended with {server.returncode}")


def end(number, frame):
    """Ends this script by an exception, so that it ends the processes that it started, too."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def create(backend, database, account):
    """Creates an account by the program's own command."""
    name, *role = account
    command = [backend, "user", "create", "--email", f"{name}@example.com", "--username", name, *role]
    subprocess.run([*command, "--database", database], input=f"{PASSWORD}\n", text=True, check=True)


def address(server):
    """Returns the server's address from its output, and reads the rest so that it never waits for a reader."""
    for line in server.stdout:
        if "http://" in line:
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return "http://" + line.split("http://")[1].split(",")[0].strip()
    sys.exit("backend ended before it listened")


def check(host, person, headers, length, whole):
    """Runs every check and phase on the document of one person."""
    print(f"\nschemathesis as {person}", flush=True)
    command = [Path(sys.executable).with_name("st"), *LENGTHS[length], f"{host}/api/v1/openapi.json", *headers]
    status = subprocess.run(command, cwd=HERE, env={**os.environ, "WHOLE_DOCUMENT": str(whole)}).returncode
    if status != 0:
        sys.exit(f"schemathesis as {person} ended with {status}")


def token(host, person):
    """Logs in for a bearer token."""
    login = json.dumps({"email": person, "password": PASSWORD, "credential": "token"}).encode()
    request = urllib.request.Request(f"{host}/api/v1/auth/login", login, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["token"]


main()
