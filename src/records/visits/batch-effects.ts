import type { Protocol } from '../../domain/agent-type.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { RunMark } from '../../ports/visit-commits.ts';
import type { Tables } from '../schema.ts';
import type { FrontierItem, RunDelta } from '../sources/frontier.ts';

/** Which visit of a batch says something. Visits may be written side by side, so what they say comes in any order. */
export interface VisitMark {
  /** Its place in the batch, counted from 0. */
  readonly index: number;
  readonly at: number;
  readonly trace?: string;
}

/** How much one transaction changes the sums of an agent. */
export interface AgentDelta {
  readonly agent: string;
  /** By the first visit of the batch that named it. */
  named: Naming;
  /** The last visit that changed its facts: it must be stitched again. */
  changedBy?: VisitMark;
  authorisations: number;
  mentions: number;
  publishers: number;
  properties: number;
  readonly byType: Map<string, number>;
  readonly tags: Map<string, number>;
}

/** What a probe leaves of an agent. */
export interface SeenAgent {
  readonly agent: string;
  readonly at: number;
  readonly lastSeenAt: number | null;
  readonly health: string;
  readonly seenText: string;
  readonly healthText: string;
  readonly protocol: Protocol | null;
  readonly endpoint: string | null;
  readonly goodAt: number | null;
  readonly goodProtocol: Protocol | null;
  readonly goodEndpoint: string | null;
  readonly goodExposed: string | null;
  /** 1 when the document may differ, so the agent becomes dirty. */
  readonly changed: number;
  readonly trace: string | null;
}

/** How a domain or an agent was named. */
interface Naming {
  readonly visit: NewVisit;
  readonly by: VisitMark;
}

/** An item of a run that was found, or done, or both. */
export interface TouchedItem extends FrontierItem {
  /** Undefined: it was not found. */
  readonly depth?: number;
  /** When it was done. */
  readonly doneAt?: number;
}

/** The delta of an agent that a file names; a caller that asks for it changes the agent's facts, so it becomes dirty. */
export type Touch = (agent: string, url: string) => AgentDelta;

type Followed = Pick<NewVisit, 'kind' | 'key'>;

/** The word of an agent's own domain on it. */
export type Dialled = Required<Pick<NewVisit, 'url' | 'foundVia'>>;

/** What one visit does to things that it shares with the others of its batch. */
export interface VisitEffects {
  /** How a file that says so (`news.example adagents`) touches agents. */
  touchAs(foundVia: string): Touch;
  /** The URL that a brand.json on the agent's own domain gives: it is dialled from now on, and that file named the agent. */
  dial(agent: string, own: Dialled): void;
  /** Notes that somebody named a domain or an agent. */
  name(visit: NewVisit): void;
  /** Notes what a probe saw of an agent. */
  observe(agent: Omit<SeenAgent, 'trace'>): void;
  /**
   * Puts what was found on the run's frontier. A domain is one link further than where it was found; an agent
   * belongs to the domain that named it, so it has that domain's depth.
   */
  follow(visit: Followed, run: RunMark): void;
  /** The item of a run was visited. */
  finish(item: FrontierItem): void;
  readonly contents: Contents;
}

export type KeptBody = Pick<Tables['body'], 'bytes' | 'packing'>;

/**
 * What is kept once, by its hash, however many visits brought it: 200 publishers of one manager bring the same bytes
 * 200 times, and they are sent to the store once.
 */
export class Contents {
  readonly bodies = new Map<string, KeptBody>();
  /** Declarations with their findings. */
  readonly values = new Map<string, { readonly value: string; readonly findings: string }>();
  readonly exposed = new Map<string, string>();
}

/**
 * What the visits of one transaction do to things that they share: agents, newly found sources, runs, contents that
 * are kept once. Summed up first and written once, so that 200 publishers of one agent cost one write to it.
 */
export class BatchEffects {
  readonly agents = new Map<string, AgentDelta>();
  /** Agents by their URL, as a probe of this batch saw them. */
  readonly seen = new Map<string, SeenAgent>();
  readonly dialled = new Map<string, Dialled & { readonly by: number }>();
  readonly sources = new Map<string, Naming>();
  readonly items = new Map<string, TouchedItem>();
  readonly runs = new Map<number, RunDelta>();
  readonly contents = new Contents();

  /** The effects as one visit of the batch has them. */
  of(by: VisitMark): VisitEffects {
    return {
      touchAs: (foundVia) => (agent, url) =>
        this.touch({ visit: { kind: 'agent', key: agent, url, foundVia }, by }),
      dial: (agent, own) => this.dial(agent, { ...own, by: by.index }),
      name: (visit) => void this.addNaming({ visit, by }),
      observe: (agent) => void this.seen.set(agent.agent, { ...agent, trace: by.trace ?? null }),
      follow: (visit, run) => this.follow(visit, run),
      finish: (item) => this.setItem({ ...this.item(item), doneAt: by.at }),
      contents: this.contents,
    };
  }

  run(id: number): RunDelta {
    const known = this.runs.get(id);
    if (known !== undefined) return known;
    const created = { domains: 0, agents: 0, found: 0, done: 0, at: 0 };
    this.runs.set(id, created);
    return created;
  }

  private touch(named: Naming): AgentDelta {
    this.addNaming(named);
    const delta = this.agents.get(named.visit.key) as AgentDelta;
    if (delta.changedBy === undefined || delta.changedBy.index < named.by.index) delta.changedBy = named.by;
    return delta;
  }

  private addNaming(named: Naming): void {
    const { kind, key } = named.visit;
    const known = kind === 'agent' ? this.agents.get(key)?.named : this.sources.get(key);
    if (known !== undefined && known.by.index <= named.by.index) return;
    if (kind === 'domain') this.sources.set(key, named);
    else if (known === undefined) this.agents.set(key, emptyDelta(named));
    else (this.agents.get(key) as AgentDelta).named = named;
  }

  /** Of several visits the last one says where to. */
  private dial(agent: string, own: Dialled & { readonly by: number }): void {
    const known = this.dialled.get(agent);
    if (known === undefined || known.by <= own.by) this.dialled.set(agent, own);
  }

  private follow({ kind, key }: Followed, run: RunMark): void {
    const depth = kind === 'agent' ? run.depth : run.depth + 1;
    if (depth > run.maxDepth) return;
    const item = this.item({ run: run.id, kind, key });
    if (item.depth === undefined || item.depth > depth) this.setItem({ ...item, depth });
  }

  private item({ run, kind, key }: FrontierItem): TouchedItem {
    return this.items.get(`${run} ${kind} ${key}`) ?? { run, kind, key };
  }

  private setItem(item: TouchedItem): void {
    this.items.set(`${item.run} ${item.kind} ${item.key}`, item);
  }
}

/** An agent that was named, with no change to its sums. */
function emptyDelta(named: Naming): AgentDelta {
  return {
    agent: named.visit.key,
    named,
    authorisations: 0,
    mentions: 0,
    publishers: 0,
    properties: 0,
    byType: new Map(),
    tags: new Map(),
  };
}
