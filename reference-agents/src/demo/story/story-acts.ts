import { isOnline, newApiKey } from '@agent-registry/surface/registry';
import { ownAgent } from '../own-agent.ts';
import { AGENT, DOMAIN, FAULT, MEMBER, TEST_TOKEN } from './story-agent.ts';
import { HOUR } from './story-clock.ts';
import type { StoryEvent } from './story-line.ts';
import type { StoryWorld } from './story-world.ts';

/** What somebody does, some time after something has happened. */
export interface StoryAct {
  /** What is waited for. */
  readonly after?: StoryEvent;
  /** When it is done, by the moment of that; epoch milliseconds. */
  readonly at: (world: StoryWorld, since: number) => Promise<number>;
  readonly event: StoryEvent;
  /** Gives what is told of it; undefined for nothing. */
  readonly play: (world: StoryWorld) => Promise<string | undefined>;
}

/** All that anybody does; the rest the registry does by itself. */
export const ACTS: readonly StoryAct[] = [
  { at: hoursLater(0), event: 'crawled', play: crawled },
  { after: 'crawled', at: hoursLater(1), event: 'proven', play: proven },
  { after: 'inconclusive', at: hoursLater(2), event: 'credential', play: credential },
  { after: 'live', at: hoursLater(17), event: 'broken', play: broken },
  { after: 'grace', at: hoursLater(6), event: 'mended', play: mended },
  { after: 'mended', at: beforeNextRun, event: 'away', play: networkAway },
  { after: 'inconclusive', at: hoursLater(0.5), event: 'away', play: networkBack },
  { after: 'recovered', at: hoursLater(53), event: 'broken', play: broken },
  { after: 'revoked', at: hoursLater(5), event: 'mended', play: mended },
];

/** With what the story ends. */
export const LAST_EVENT: StoryEvent = 'earned';

function hoursLater(hours: number): StoryAct['at'] {
  return async (_world, since) => since + hours * HOUR;
}

async function beforeNextRun(world: StoryWorld): Promise<number> {
  return (await world.nextRun()) - HOUR / 4;
}

async function crawled(world: StoryWorld): Promise<string> {
  const probed = await world.crawl(DOMAIN);
  const live = await world.store.records.agents.live([AGENT]);
  const health = isOnline(live.get(AGENT) ?? {}) === true ? 'online' : 'offline';
  return `first crawl: brand.json of ${DOMAIN} names ${probed} agent; it is ${health}`;
}

async function proven(world: StoryWorld): Promise<string> {
  const { records } = world.store;
  await records.members.import([MEMBER], world.clock.now());
  await ownAgent({ url: AGENT, member: MEMBER.slug }, { ...world, records });
  const { id, key, hash } = newApiKey();
  await records.keys.create({ id, hash, member: MEMBER.slug }, world.clock.now());
  world.owner.key = key;
  return `${MEMBER.displayName} proves ownership with a file under /.well-known/`;
}

async function credential(world: StoryWorld): Promise<string> {
  await asOwner(world, 'PUT', 'credential', { token: TEST_TOKEN });
  await asOwner(world, 'PATCH', 'settings', { check_interval_hours: 24 });
  await asOwner(world, 'POST', 'compliance/runs');
  return 'the owner stores a test credential (kept encrypted), starts a test\nand turns on one scheduled test a day';
}

async function broken({ sandbox }: StoryWorld): Promise<string> {
  sandbox.setFault(AGENT, FAULT);
  return 'a release breaks the agent; its owner does not notice';
}

async function mended({ sandbox }: StoryWorld): Promise<string> {
  sandbox.setFault(AGENT, undefined);
  return 'the owner fixes the agent';
}

async function networkAway(world: StoryWorld): Promise<string> {
  world.setNetwork(false);
  return "the registry's own network fails";
}

async function networkBack(world: StoryWorld): Promise<undefined> {
  world.setNetwork(true);
}

/** What an owner asks of the registry over HTTP, with its API key. */
async function asOwner({ origin, owner }: StoryWorld, method: string, path: string, body?: object) {
  const answer = await fetch(`${origin}/api/registry/agents/${encodeURIComponent(AGENT)}/${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`the registry answered ${answer.status} to ${method} ${path}`);
}
