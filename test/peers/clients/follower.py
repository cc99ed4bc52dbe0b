"""The field's Python sync and its directory of publishers, as they are, and what somebody keeps who follows the feed by them."""

import asyncio

from adcp.property_registry import PropertyRegistry
from adcp.registry import RegistryClient
from adcp.registry_sync import RegistrySync


class Cursor:
    """Where a sync stands, and whether its last read brought nothing."""

    def __init__(self) -> None:
        self.stored: str | None = None
        self.at_end = asyncio.Event()

    async def load(self) -> str | None:
        return self.stored

    async def save(self, cursor: str) -> None:
        if cursor == self.stored:
            self.at_end.set()
        self.stored = cursor


class Follower:
    """The package's sync, and what its handlers keep: it hands on events and holds nothing."""

    def __init__(self, url: str, key: str) -> None:
        self.agents: set[str] = set()
        self.entries: set[tuple] = set()
        self.badges: set[str] = set()
        self.sellers: set[str] = set()  # whoever ever was one
        self.domains: set[str] = set()
        client = RegistryClient(base_url=url)
        self.sync = RegistrySync(client, auth_token=key, cursor_store=Cursor())
        self.cursor = Cursor()
        self.directory = PropertyRegistry(client, auth_token=key, poll_interval=0.01, cursor_store=self.cursor)
        for pattern, handler in (
            ("agent.discovered", self.found),
            ("agent.profile_updated", self.found),
            ("agent.removed", self.removed),
            ("agent.verification_earned", self.earned),
            ("agent.verification_lost", self.lost),
            ("authorization.granted", self.granted),
            ("authorization.revoked", self.revoked),
        ):
            self.sync.on(pattern, handler)

    async def found(self, event) -> None:
        self.agents.add(event.entity_id)

    async def removed(self, event) -> None:
        self.agents.discard(event.entity_id)
        self.badges = {badge for badge in self.badges if not badge.startswith(f"{event.entity_id} ")}

    async def earned(self, event) -> None:
        self.badges.add(f"{event.entity_id} {event.payload['role']}")

    async def lost(self, event) -> None:
        self.badges.discard(f"{event.entity_id} {event.payload['role']}")

    @staticmethod
    def entry(payload: dict) -> tuple:
        return payload["agent_url"], payload["publisher_domain"], payload["authorization_type"]

    async def granted(self, event) -> None:
        self.sellers.add(event.payload["agent_url"])
        self.domains.add(event.payload["publisher_domain"])
        self.entries.add(self.entry(event.payload))

    async def revoked(self, event) -> None:
        self.entries.discard(self.entry(event.payload))

    async def to_the_end(self) -> dict:
        before = object()
        while self.sync.cursor != before:
            before = self.sync.cursor
            await self.sync.poll_once()
        edges = {f"{agent} {publisher}" for agent, publisher, _scope in self.entries}
        sold = await self.sold()
        held = {"agents": self.agents, "edges": edges, "badges": self.badges, "sold": sold}
        return {"ok": True, "data": {name: sorted(part) for name, part in held.items()}}

    async def sold(self) -> set[str]:
        """What the directory says in each of its ways, after it has followed as far as it goes."""
        self.cursor.at_end.clear()
        await self.directory.start()
        await self.cursor.at_end.wait()
        await self.directory.stop()
        ask = self.directory
        by_agent = {(agent, domain) for agent in self.sellers for domain in ask.get_domains(agent)}
        by_domain = {(agent, domain) for domain in self.domains for agent in ask.get_agents(domain)}
        if by_agent != by_domain or not all(ask.is_authorized(*pair) for pair in by_agent):
            raise ValueError(f"the directory says two things: {by_agent ^ by_domain}")
        return {" ".join(pair) for pair in by_agent}


followers: dict[str, Follower] = {}


async def follow(name: str, url: str, key: str) -> dict:
    if name not in followers:
        followers[name] = Follower(url, key)
    return await followers[name].to_the_end()
