"""Schemathesis makes addresses that nobody has; half of them become agents and domains of the store, so that answers are full."""
import hashlib
import json
import os
import random
from urllib.parse import quote

import schemathesis

KNOWN = json.loads(os.environ["CASES_KNOWN"])


@schemathesis.hook
def map_case(context, case):
    for values, spelt in ((case.path_parameters, lambda text: quote(text, safe="")), (case.query, str)):
        for name in values or {}:
            if name in KNOWN and isinstance(values[name], str):
                # by the value itself: a case is the same each time that it is made
                chance = random.Random(hashlib.sha256(repr(values[name]).encode()).digest())
                if chance.random() < 0.5:
                    values[name] = spelt(chance.choice(KNOWN[name]))
    return case


@schemathesis.deserializer("application/json")
def json_or_token(context, response):
    # schemathesis counts application/jwt among the forms of JSON; a token is a text, and is judged as one
    content_type = response.headers.get("content-type", [""])[0]
    return response.text if content_type.startswith("application/jwt") else response.json()


@schemathesis.deserializer("text/event-stream")
def stream_as_text(context, response):
    # the document describes the whole text, as OpenAPI 3.1 does; schemathesis would judge each event by it
    return [response.text]
