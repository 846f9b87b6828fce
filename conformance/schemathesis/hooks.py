"""Four checks of schemathesis, with what a JSON Schema and the document of one person cannot state, and a credential.

The built-in ones are replaced: `positive_data_acceptance`, `unsupported_method`, `allow_header_conformance` and
`ignored_auth`. The credential is replaced when a request of the tests has revoked it.
"""

import json
import os
import re
from pathlib import Path
from urllib.parse import urlencode

import accounts
import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi import checks

# Rules about other rows, about the time, about the URL or between parameters, by the messages of the server. Those of user
# names are about the Unicode classes of the normalized name.
BEYOND_SCHEMAS = re.compile(
    "|".join(
        (
            "is already taken",
            "Does not match the URL",
            "does not exist",
            "This is not your password",
            "Must consist of letters, digits",
            "null characters are not allowed",
            "Must be (in the future|within)",
            "Must not be after the end of the token that you show",
            "Ask for a page by",
            "There is no field",
            "There are more than 50 filters",
            "Ask for a value of the groups",
            "Groups have no value",
            "does not go together with groups",
            "It takes no value in a query of groups",
            "conditions on groups",
            'The parameter \\\\"(nulls|count|cursor|or|and|not)\\\\" is not valid',
        )
    )
)

# Valid values of the header Idempotency-Key, with or without quotes.
VALID_KEY = re.compile("[!-~]{1,64}")

# Media types whose bodies a schema cannot describe, beyond that they are texts.
TEXTS = ("text/csv", "application/x-ndjson")

# Media types of changes whose paths and tests depend on the object.
PATCHES = ("application/json-patch+json",)

# The whole api. The document of a person lacks the methods that the person cannot use.
WHOLE = json.loads(Path(os.environ["WHOLE_DOCUMENT"]).read_text())

LOGIN = "/api/v1/auth/login"

# hyper rejects a URL of more than 65,534 bytes with 414 and without a body, before the api sees it.
MAX_QUERY = 65_000

# Requests that come from one address. The limit of failed logins is reached with fewer, that of new accounts is not.
REQUESTS_PER_ADDRESS = 50


class Sender:
    """Replaces a revoked bearer token, and sends requests from many addresses by the header of a trusted proxy.

    Requests of the tests log out, revoke tokens, and disable and rename accounts. Without a new token all requests
    after these would be rejected with 401.
    """

    def __init__(self):
        self.first = self.current = os.environ.get("AUTHORIZATION", "none")
        self.name = "root"
        self.requests = 0
        self.accounts = 0

    def __call__(self, request):
        block = self.requests // REQUESTS_PER_ADDRESS
        self.requests += 1
        request.headers["X-Forwarded-For"] = f"10.0.{block // 256 % 256}.{block % 256}"
        # A key that was used for another request is rejected, and the generated ones repeat themselves.
        if VALID_KEY.fullmatch(request.headers.get("Idempotency-Key", "")):
            request.headers["Idempotency-Key"] = f"key-{self.requests}"
        if request.headers.get("Authorization") == self.first:
            request.headers["Authorization"] = self.current
        return request

    def renew(self):
        """Logs in again, with a new account if the last one cannot log in."""
        credential = accounts.token(os.environ["HOST"], self.name)
        if credential is None:
            self.accounts += 1
            self.name = f"root{self.accounts}"
            accounts.create(os.environ["BACKEND"], os.environ["DATABASE"], self.name, "admin")
            credential = accounts.token(os.environ["HOST"], self.name)
            assert credential is not None, f"the new account {self.name} cannot log in"
        self.current = f"Bearer {credential}"


SENDER = Sender()


@schemathesis.hook
def filter_query(context, query):
    """Leaves out queries that do not reach the api."""
    return len(urlencode(query or {}, doseq=True, errors="replace")) <= MAX_QUERY


@schemathesis.hook
def before_call(context, case, kwargs):
    """Sends the request by `SENDER`, and writes 3.0 as 3.

    Both are integers for JSON Schema, and the server takes only the second one for an integer.
    """
    kwargs["auth"] = SENDER
    if case.meta is not None and case.meta.generation.mode.is_positive:
        case.body = with_integers(case.body)


@schemathesis.hook
def after_call(context, case, response):
    """Renews the bearer token if it was rejected. A login answers 401 to a wrong password."""
    is_sent = response.request.headers.get("Authorization") == SENDER.current
    if response.status_code == 401 and is_sent and case.operation.path != LOGIN:
        SENDER.renew()


@schemathesis.check
def valid_data_acceptance(ctx, response, case):
    """Schema-valid data is accepted, unless a rule beyond schemas rejects it."""
    # A precondition depends on the version of the object.
    if response.status_code in (412, 414) or (response.status_code == 409 and case.media_type in PATCHES):
        return None
    if response.status_code == 400 and is_beyond_schemas(response, case):
        return None
    return checks.positive_data_acceptance(ctx, response, case)


@schemathesis.check
def method_of_nobody(ctx, response, case):
    """A method outside the whole api is answered with 405."""
    if response.request.method.lower() in WHOLE["paths"].get(case.operation.path, {}):
        return None
    return checks.unsupported_method(ctx, response, case)


@schemathesis.check
def allowed_methods(ctx, response, case):
    """The response to OPTIONS lists exactly the methods of the whole api."""
    if response.request.method == "OPTIONS" and response.status_code < 300:
        listed = {method.strip().lower() for value in response.headers.get("allow", []) for method in value.split(",")}
        documented = set(WHOLE["paths"][case.operation.path]) - {"parameters"}
        assert listed - {"head", "options"} == documented, f"Allow has {listed}, the api {documented}"


@schemathesis.check
def needed_credentials(ctx, response, case):
    """A request without the needed credential is rejected: with 404 where the row exists for others only."""
    try:
        return checks.ignored_auth(ctx, response, case)
    except Failure as failure:
        if "got `404 Not Found`" not in failure.message:
            raise


def is_beyond_schemas(response, case):
    return case.media_type in TEXTS + PATCHES or BEYOND_SCHEMAS.search(response.text)


def with_integers(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [with_integers(item) for item in value]
    if isinstance(value, dict):
        return {key: with_integers(item) for key, item in value.items()}
    return value
