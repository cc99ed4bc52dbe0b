"""The field's Python client, as it is: a line of JSON comes in for each call, and one goes out for its answer."""

import asyncio
import json
import logging
import os
import pathlib
import sys
import typing
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
from adcp import ADCPClient  # noqa: E402
from adcp.types.core import AgentConfig, Protocol  # noqa: E402
from adcp.validation.client_hooks import ValidationHookConfig  # noqa: E402
from pydantic import TypeAdapter  # noqa: E402

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


def serve(port: int) -> dict:
    sys.path.append(str(pathlib.Path(__file__).parent.parent / "servers"))
    import small_seller

    small_seller.start(port)
    return {"ok": True}


async def call(order: dict) -> dict:
    try:
        if "serve" in order:
            return serve(order["serve"])
        client = client_of(order["agent"])
        task = order["task"]
        # The calls with names of formats are what an agent of the line 3.0 is asked by.
        named = None if order.get("canonical") else getattr(client, f"{task}_legacy", None)
        method = named or getattr(client, task)
        request_type = typing.get_type_hints(method, vars(sys.modules["adcp.client"]))["request"]
        request = TypeAdapter(request_type).validate_python(order["request"])
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
