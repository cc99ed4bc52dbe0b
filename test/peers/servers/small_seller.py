"""A small seller with the field's Python server, as it is: MCP at /mcp and A2A at / of one port."""

import socket
import threading

from adcp.server import adcp_server, serve

PRODUCTS = [
    {
        "product_id": "front-page",
        "name": "Front page",
        "description": "Banners on the front page",
        "publisher_properties": [{"publisher_domain": "news.example", "selection_type": "all"}],
        "format_ids": [{"agent_url": "https://creative.example/mcp", "id": "display_300x250"}],
        "channels": ["display"],
        "delivery_type": "guaranteed",
        "pricing_options": [
            {"pricing_option_id": "cpm-usd", "pricing_model": "cpm", "fixed_price": 12, "currency": "USD"}
        ],
        "reporting_capabilities": {
            "available_reporting_frequencies": ["daily"],
            "expected_delay_minutes": 60,
            "timezone": "UTC",
            "supports_webhooks": False,
            "available_metrics": ["impressions"],
            "date_range_support": "date_range",
        },
    }
]

HELD: list[socket.socket] = []
server = adcp_server("small-seller", version="1.0.0")


@server.get_adcp_capabilities
async def capabilities(params, context=None):
    return {
        "adcp": {"major_versions": [3], "idempotency": {"supported": False}},
        "supported_protocols": ["media_buy"],
    }


@server.get_products
async def products(params, context=None):
    return {"products": PRODUCTS, "cache_scope": "public"}


@server.create_media_buy
async def create(params, context=None):
    return {
        "errors": [
            {"code": "PRODUCT_NOT_FOUND", "message": "there is no such product", "recovery": "correctable"}
        ]
    }


def start() -> int:
    """On a free port, which it gives. Beside the client in one process, since to load the package takes longer than the rest."""
    # The server takes no port of its own choice. Whoever else asks for a free one does not get one that is bound, and
    # this one is bound until the process ends; the server binds it a second time, as both allow it.
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    port = held.getsockname()[1]
    options = {"name": "small-seller", "host": "127.0.0.1", "port": port, "transport": "both", "public_url": f"http://127.0.0.1:{port}"}
    threading.Thread(target=serve, args=(server,), kwargs=options, daemon=True).start()
    return port
