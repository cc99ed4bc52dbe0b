"""The field's Python client, as it is: a line of JSON comes in for each call, and one goes out for its answer."""

import asyncio
import gc
import inspect
import json
import logging
import os
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
gc.disable()  # thousands of models are made, and none is garbage: a fifth of the time
import httpx  # noqa: E402
from adcp import ADCPClient  # noqa: E402
from adcp.registry import RegistryClient  # noqa: E402
from adcp.server.idempotency import MemoryBackend, WebhookDedupStore  # noqa: E402
from adcp.signing.jwks import StaticJwksResolver  # noqa: E402
from adcp.signing.webhook_verifier import WebhookVerifyOptions  # noqa: E402
from adcp.types.core import AgentConfig, Protocol  # noqa: E402
from adcp.validation.client_hooks import ValidationHookConfig  # noqa: E402
from adcp.webhook_receiver import WebhookReceiver, WebhookReceiverConfig  # noqa: E402
from adcp.webhook_sender import WebhookSender  # noqa: E402
from follower import follow  # noqa: E402
from pydantic import TypeAdapter  # noqa: E402
gc.enable()

STRICT = ValidationHookConfig(requests="strict", responses="strict")
clients: dict[str, ADCPClient] = {}


def client_of(agent: dict) -> ADCPClient:
    key = f"{agent['protocol']} {agent['url']}"
    if key not in clients:
        config = AgentConfig(
            id="peer",
            agent_uri=agent["url"],
            protocol=Protocol(agent["protocol"]),
            auth_token=agent.get("token"),
            auth_header="Authorization",
            auth_type="bearer",
        )
        clients[key] = ADCPClient(config, validation=STRICT)
    return clients[key]


def serve() -> dict:
    sys.path.append(str(pathlib.Path(__file__).parent.parent / "servers"))
    import small_seller

    return {"ok": True, "data": {"port": small_seller.start()}}


receivers: dict[str, WebhookReceiver] = {}


def receiver_of(keys: list) -> WebhookReceiver:
    """One for all webhooks of a seller, as it remembers which outcomes it has heard of."""
    name = json.dumps(keys)
    if name not in receivers:
        options = WebhookVerifyOptions(jwks_resolver=StaticJwksResolver({"keys": keys}))
        receivers[name] = WebhookReceiver(
            WebhookReceiverConfig(
                verify_options=options,
                dedup=WebhookDedupStore(MemoryBackend(), ttl_seconds=86_400),
                receiver_scope="peers",
                publisher_scope_for=lambda _signer: "ours",
            )
        )
    return receivers[name]


async def take(message: dict, keys: list) -> dict:
    receiver = receiver_of(keys)
    parts = {**message, "body": message["body"].encode()}
    outcome = await receiver.receive(**parts)
    if outcome.http_status is not None:
        return {"ok": False, "error": f"{outcome.http_status} {outcome.rejection_reason} {dict(outcome.response_headers)}"}
    await receiver.acknowledge(outcome)
    return {"ok": True, "data": outcome.payload.model_dump(mode="json", exclude_none=True)}


async def post(url: str, key: dict, times: int) -> dict:
    """One event of its own, as often as it is told to."""
    async with WebhookSender.from_jwk(key, allow_private_destinations=True) as sender:
        sent = await sender.send_mcp(
            url=url,
            task_id="task-7",
            operation_id="op-7",
            status="completed",
            task_type="create_media_buy",
            result={"media_buy_id": "mb-7", "packages": []},
        )
        for _ in range(times - 1):
            sent = await sender.resend(sent)
    return {"ok": sent.ok, "error": f"{sent.status_code} {sent.response_body!r}"}


PLAIN = {"dict": {}, "list": [], "int": 1, "bool": True}


async def ask(url: str, method: str, key: str, values: dict) -> dict:
    """The method with all that it needs, by the names of its parameters or else of their kind."""
    own = httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}) if method in values["keyed"] else None
    async with RegistryClient(base_url=url, client=own) as client:
        given = dict(values["bodies"].get(method, {}))
        for name, one in inspect.signature(getattr(client, method)).parameters.items():
            is_key = name == "auth_token"
            if one.kind is one.VAR_KEYWORD or (one.default is not one.empty and not is_key):
                continue
            kind = str(one.annotation).split("[")[0]
            usual = key if is_key else PLAIN.get(kind, "x")
            given[name] = values.get(name.replace("_", ""), usual)
        try:
            found = await getattr(client, method)(**given)
            return {"ok": True} if found else {"ok": False, "error": "it found nothing"}
        except Exception as error:  # whatever the client raises is its answer
            said = f"{type(error).__name__} {getattr(error, 'status_code', None)} {getattr(error, 'details', None)}"
            return {"ok": False, "error": f"{said}: {error}"}


async def call(order: dict) -> dict:
    try:
        if "follow" in order:
            return await follow(**order["follow"])
        if "take" in order:
            return await take(order["take"], order["keys"])
        if "post" in order:
            return await post(order["post"], order["key"], order["times"])
        if "registry" in order:
            return await ask(**order["registry"])
        if "serve" in order:
            return serve()
        client = client_of(order["agent"])
        task = order["task"]
        # The calls with names of formats are what an agent of the line 3.0 is asked by.
        named = None if order.get("canonical") else getattr(client, f"{task}_legacy", None)
        method = named or getattr(client, task)
        # of this parameter alone: what the method returns is a model of its own, which would be made for nothing
        named_type = inspect.signature(method).parameters["request"].annotation
        request = TypeAdapter(eval(named_type, vars(sys.modules["adcp.client"]))).validate_python(order["request"])
        result = await method(request)
        said = {"ok": result.success, "status": str(getattr(result.status, "value", result.status))}
        if result.success:
            data = result.data
            root = getattr(data, "root", data)
            said["data"] = root.model_dump(mode="json", exclude_none=True) if hasattr(root, "model_dump") else root
        else:
            said["error"] = result.error or result.message
            said["code"] = (result.adcp_error or {}).get("code")
        return said
    except Exception as error:  # whatever the client raises is its answer
        codes = getattr(error, "error_codes", [])
        return {"ok": False, "code": next(iter(codes), None), "error": f"{type(error).__name__}: {error}"}


async def main() -> None:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await call(json.loads(line)), default=str), flush=True)
    for client in clients.values():
        await client.close()


asyncio.run(main())
os._exit(0)  # a server may still run beside
