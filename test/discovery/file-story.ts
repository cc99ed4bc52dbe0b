import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { declareFile, readFile } from '../../src/discovery/declare-file.ts';
import { deriveFacts } from '../../src/discovery/derive-facts.ts';
import { fetchAdagents, fetchBrand } from '../../src/discovery/fetch-files.ts';
import type { FileTask } from '../../src/discovery/file-task.ts';
import { createSharedFiles } from '../../src/discovery/shared-files.ts';
import type { Capture } from '../../src/domain/capture.ts';
import type { FileKind } from '../../src/domain/declaration.ts';
import type { SourceState } from '../../src/domain/source.ts';
import type { FileVisit } from '../../src/domain/visit.ts';
import type { Fetcher, GetRequest } from '../../src/ports/fetcher.ts';
import { ADAGENTS, BRAND, mediaTypeOf } from '../scenarios/support/web.ts';
import { adagents, DAY, HOUR, START } from '../scenarios/support/world.ts';
import { bytesOf } from './fixtures/fixture.ts';

/** What a path answers: JSON, a text, or a status without anything. */
export type Page = object | string | number;
export type Pages = Readonly<Record<string, Readonly<Record<string, Page>>>>;

export const NEWS = 'news.example';
export const agent = (name: string): string => `https://${name}.agents.example/mcp`;
/** A file of news.example that authorises one agent, named after the version. */
export const file = (name: string, more: object = {}): object => ({
  ...adagents(NEWS, agent(name)),
  ...more,
});
export const at = (ms: number): string => new Date(START + ms).toISOString();
export const updated = (ms: number): object => ({ last_updated: at(ms) });
export const revoked = (more: object = {}): object => ({
  revoked_publisher_domains: [{ publisher_domain: NEWS, reason: 'other', ...more }],
});
export const pointer = (host: string, more: object = {}): object => ({
  authoritative_location: `https://${host}/a.json`,
  ...more,
});
export const GONE = 404;

/** What news.example answers from then on, and what other hosts do. */
export interface Step {
  /** Milliseconds since the visit before. */
  readonly after?: number;
  readonly own?: Page;
  readonly pages?: Pages;
  /** Names of the agents that are authorised then. */
  readonly may: readonly string[];
  readonly outcome?: string;
  readonly findings?: readonly string[];
}

/** Visits the file step by step, and compares what follows with what each step expects. */
export async function play(steps: readonly Step[], kind: FileKind = 'adagents') {
  const story = createStory(kind, NEWS);
  const place = kind === 'brand' ? BRAND : ADAGENTS;
  for (const [number, { after = 7 * HOUR, own, pages, may, outcome, findings }] of steps.entries()) {
    const pagesNow = { ...pages, ...(own !== undefined && { [NEWS]: { [place]: own } }) };
    const seen = await story.visit(number === 0 ? 0 : after, pagesNow);
    expect([number, seen.agents]).toEqual([number, may.map(agent)]);
    if (outcome !== undefined) expect([number, seen.outcome]).toEqual([number, outcome]);
    if (findings !== undefined) expect([number, seen.findings]).toEqual([number, findings]);
  }
  return story;
}

/**
 * The visits of one file, one after the other, without a network and a store: what a visit leaves is what the next one
 * begins with, as the records would keep it.
 */
export function createStory(kind: FileKind, domain: string, memoryOf?: FileTask['memoryOf']) {
  let web: Pages = {};
  let now = START;
  let standing: FileVisit['declaration'];
  let source: SourceState = {
    ...{ kind, key: domain, foundVia: 'operator', firstSeenAt: now, nextVisitAt: now },
    ...{ failures: 0, validators: [], absentVisits: 0 },
  };
  const get = async ({ url, validator }: GetRequest): Promise<Capture> =>
    answer(web, url, now, validator?.etag);
  return {
    memory: () => source.memory,
    /** Visits the file some time later, and says what follows then. */
    async visit(after: number, more: Pages = {}) {
      web = { ...web, ...more };
      now += after;
      const task = {
        ...{ domain, kind, source, now, shared: createSharedFiles(() => now) },
        visit: { signal: new AbortController().signal, get, fetch, elsewhere: () => fetch },
        bounds: () => ({ maxAgents: 500, maxDomains: 10_000 }),
        ...(memoryOf && { memoryOf }),
      };
      const fetched = await (kind === 'adagents' ? fetchAdagents(task) : fetchBrand(task));
      const { visit } = declareFile(await readFile(fetched), {
        kind,
        key: domain,
        fence: 1,
        until: now + DAY,
      });
      keep(visit);
      const { outcome, findings, nextVisitAt } = visit;
      return {
        outcome,
        findings: findings.map(({ code }) => code),
        agents: agentsOf(),
        next: nextVisitAt - now,
      };
    },
  };

  function keep(visit: FileVisit): void {
    if (visit.declaration !== undefined || visit.ends) standing = visit.declaration;
    const { absentSince: _, contentHash: __, ...kept } = source;
    source = {
      ...kept,
      ...{ validators: visit.validators, failures: visit.failures, absentVisits: visit.absentVisits },
      ...(visit.absentSince !== undefined && { absentSince: visit.absentSince }),
      ...(standing && { contentHash: standing.contentHash }),
      ...(visit.memory && { memory: JSON.parse(JSON.stringify(visit.memory)) }),
    };
  }
  function agentsOf(): readonly string[] {
    if (standing === undefined) return [];
    const { value: declaration, via } = standing;
    const facts = deriveFacts({ declaration, domain, via, now });
    return (kind === 'brand' ? facts.mentions : facts.authorisations).map((one) => one.agent);
  }
}

/** A fetcher of these pages, for what makes its own visit. */
export function fetcherOf(pages: Pages): Fetcher {
  const get = async ({ url }: GetRequest): Promise<Capture> => answer(pages, url, START, undefined);
  const signal = new AbortController().signal;
  const visit = { signal, get, fetch, elsewhere: () => fetch };
  return { visit: (_, work) => work(visit), isMapped: () => false, close: async () => {} };
}

function answer(web: Pages, url: string, at: number, known: string | undefined): Capture {
  const { hostname, pathname } = new URL(url);
  const page = web[hostname]?.[pathname] ?? 404;
  const body = typeof page === 'number' ? new Uint8Array() : bytesOf(page);
  const bodyHash = hash('sha256', body);
  const isKnown = known === bodyHash && typeof page !== 'number';
  const headers = typeof page === 'number' ? {} : { etag: bodyHash, 'content-type': mediaTypeOf(pathname) };
  return {
    ...{ at, requestedUrl: url, finalUrl: url, trail: [], durationMs: 1, headers, ok: true },
    ...(isKnown
      ? { status: 304, body: new Uint8Array(), bodyHash: '' }
      : { status: typeof page === 'number' ? page : 200, body, bodyHash }),
  };
}
