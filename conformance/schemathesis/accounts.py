"""Accounts of the tested program, created by its own command, and their bearer tokens."""

import json
import subprocess
import urllib.error
import urllib.request

PASSWORD = "correct horse"

# The address that the logins of these scripts come from, by the header of a trusted proxy. Limits of failed logins
# count the tests' requests by other ones.
ADDRESS = "192.0.2.1"


def create(backend, database, name, *roles):
    """Creates an account."""
    command = [backend, "user", "create", "--email", f"{name}@example.com", "--username", name, "--database", database]
    for role in roles:
        command += ["--role", role]
    subprocess.run(command, input=f"{PASSWORD}\n", text=True, check=True, stdout=subprocess.DEVNULL)


def token(host, name):
    """Logs in for a bearer token. It is `None` if the account is disabled or has another name or password."""
    login = json.dumps({"email": name, "password": PASSWORD, "credential": "token"}).encode()
    headers = {"Content-Type": "application/json", "X-Forwarded-For": ADDRESS}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{host}/api/v1/auth/login", login, headers)) as response:
            return json.load(response)["token"]
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        return None
