"""The field's Python sync, as it is, and what somebody keeps who follows the feed by it."""

from adcp.registry import RegistryClient
from adcp.registry_sync import RegistrySync


class Follower:
    """The package's sync, and what its handlers keep: it hands on events and holds nothing."""

    def __init__(self, url: str, key: str) -> None:
        self.agents: set[str] = set()
        self.entries: set[tuple] = set()
        self.badges: set[str] = set()
        self.stored: str | None = None
        self.sync = RegistrySync(RegistryClient(base_url=url), auth_token=key, cursor_store=self)
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

    async def load(self) -> str | None:
        return self.stored

    async def save(self, cursor: str) -> None:
        self.stored = cursor

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
        self.entries.add(self.entry(event.payload))

    async def revoked(self, event) -> None:
        self.entries.discard(self.entry(event.payload))

    async def to_the_end(self) -> dict:
        before = object()
        while self.sync.cursor != before:
            before = self.sync.cursor
            await self.sync.poll_once()
        edges = {f"{agent} {publisher}" for agent, publisher, _scope in self.entries}
        held = {"agents": self.agents, "edges": edges, "badges": self.badges}
        return {"ok": True, "data": {name: sorted(part) for name, part in held.items()}}


followers: dict[str, Follower] = {}


async def follow(name: str, url: str, key: str) -> dict:
    if name not in followers:
        followers[name] = Follower(url, key)
    return await followers[name].to_the_end()
