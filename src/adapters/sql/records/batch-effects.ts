import type { NewVisit, VisitKind } from '../../../domain/source.ts';
import type { RunMark } from '../../../ports/visit-commits.ts';
import { type AgentDelta, emptyDelta } from './agent-delta.ts';
import type { RunDelta } from './frontier.ts';

interface FoundItem {
  readonly run: number;
  readonly kind: VisitKind;
  readonly key: string;
  readonly depth: number;
}

/**
 * What the visits of one transaction do to things that they share: agents, newly found sources, runs. Summed up
 * first and written once, so that 200 publishers of one agent cost one write to it.
 */
export class BatchEffects {
  /** The visit now being written, counted from 0; new agents are credited to the first that named them. */
  visit = 0;
  readonly agents = new Map<string, AgentDelta>();
  readonly sources = new Map<string, { readonly visit: NewVisit; readonly at: number }>();
  readonly items = new Map<string, FoundItem>();
  readonly runs = new Map<number, RunDelta>();

  /** The delta of an agent that a file names; whoever calls this changes its facts, so it becomes dirty. */
  touch(agent: string, url: string, foundVia: string, at: number): AgentDelta {
    this.hear({ kind: 'agent', key: agent, url, foundVia }, at);
    const delta = this.agents.get(agent) as AgentDelta;
    delta.dirty = true;
    return delta;
  }

  /** Notes that somebody named a domain or an agent. */
  hear(visit: NewVisit, at: number): void {
    const known = visit.kind === 'agent' ? this.agents : this.sources;
    if (known.has(visit.key)) return;
    if (visit.kind === 'domain') this.sources.set(visit.key, { visit, at });
    else this.agents.set(visit.key, emptyDelta(visit, at, this.visit));
  }

  /**
   * Puts what was found on the run's frontier. A domain is one link further than where it was found; an agent
   * belongs to the domain that named it, so it has that domain's depth.
   */
  follow(visit: Pick<NewVisit, 'kind' | 'key'>, run: RunMark): void {
    const depth = visit.kind === 'agent' ? run.depth : run.depth + 1;
    if (depth > run.maxDepth) return;
    const name = `${run.id} ${visit.kind} ${visit.key}`;
    const known = this.items.get(name);
    if (known === undefined || known.depth > depth) {
      this.items.set(name, { run: run.id, kind: visit.kind, key: visit.key, depth });
    }
  }

  run(id: number): RunDelta {
    const known = this.runs.get(id);
    if (known !== undefined) return known;
    const made = { domains: 0, agents: 0, found: 0, done: 0, at: 0 };
    this.runs.set(id, made);
    return made;
  }
}
