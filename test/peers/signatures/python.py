"""The field's Python package signs or verifies a message for each line of JSON that comes in."""

import gc
import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
gc.disable()  # thousands of models are made, and none is garbage: a fifth of the time
from adcp.signing.crypto import private_key_from_jwk  # noqa: E402
from adcp.signing.errors import SignatureVerificationError  # noqa: E402
from adcp.signing.jwks import StaticJwksResolver  # noqa: E402
from adcp.signing.signer import sign_request  # noqa: E402
from adcp.signing.verifier import VerifierCapability, VerifyOptions, verify_request_signature  # noqa: E402
from adcp.signing.webhook_signer import sign_webhook  # noqa: E402
from adcp.signing.webhook_verifier import WebhookVerifyOptions, verify_webhook_signature  # noqa: E402
gc.enable()


def parts(message: dict) -> dict:
    return {**message, "body": message["body"].encode()}


def sign(order: dict) -> dict:
    key = order["key"]
    common = {
        "private_key": private_key_from_jwk(key),
        "key_id": key["kid"],
        "alg": "ecdsa-p256-sha256" if key["kty"] == "EC" else "ed25519",
        "created": order["now"],
    }
    if order["kind"] == "webhook":
        made = sign_webhook(**parts(order["message"]), **common)
    else:
        made = sign_request(
            **parts(order["message"]),
            **common,
            cover_content_digest=True,
            signing_profile_version=order["profile"],
        )
    return {"ok": True, "headers": {**order["message"]["headers"], **made.as_dict()}}


def verify(order: dict) -> dict:
    keys = StaticJwksResolver({"keys": order["keys"]})
    revoked = order["revoked"].__contains__
    if order["kind"] == "webhook":
        check = verify_webhook_signature
        options = WebhookVerifyOptions(
            jwks_resolver=keys, revocation_checker=revoked, clock=lambda: order["now"]
        )
    else:
        check = verify_request_signature
        options = VerifyOptions(
            now=order["now"],
            capability=VerifierCapability(
                covers_content_digest="required", required_for=frozenset({"call"})
            ),
            operation="call",
            jwks_resolver=keys,
            revocation_checker=revoked,
            signing_profile_version=order["profile"],
        )
    for _ in range(order["times"]):
        check(**parts(order["message"]), options=options)
    return {"ok": True}


for line in sys.stdin:
    order = json.loads(line)
    try:
        reply = sign(order) if order["do"] == "sign" else verify(order)
    except SignatureVerificationError as error:
        reply = {"ok": False, "code": error.code, "error": str(error)}
    except Exception as error:  # the answer of a broken case
        reply = {"ok": False, "error": repr(error)}
    print(json.dumps(reply), flush=True)
