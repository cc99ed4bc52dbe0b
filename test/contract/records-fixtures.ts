import { hash } from 'node:crypto';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import type { Capture } from '../../src/domain/capture.ts';
import type { AdagentsDeclaration, BrandDeclaration, FileKind } from '../../src/domain/declaration.ts';
import type { Authorisation, DeclaredFacts, Mention } from '../../src/domain/declared-facts.ts';
import type { Exposed, Observation } from '../../src/domain/observation.ts';
import type { NewVisit } from '../../src/domain/source.ts';
import type { NewDeclaration } from '../../src/domain/visit.ts';
import type { BodyStore } from '../../src/ports/body-store.ts';
import type { Records } from '../../src/ports/records.ts';

/** A store under test. `open` may be called several times: each is a connection as another process would have it. */
export interface RecordsHarness {
  open(bodies?: BodyStore): Promise<Records>;
  /** Arguments for Node that start a process which commits visits until it is killed (see `crashWriter`). */
  readonly crashWriter: readonly string[];
  stop(): Promise<void>;
}

/** What one test sees: a fresh store, opened once; `harness` opens it again. */
export interface RecordsWorld {
  readonly records: Records;
  readonly harness: RecordsHarness;
}

export const NOW = 1_800_000_000_000;
export const HOUR = 3_600_000;
export const LEASE = 60_000;

export function domain(key: string): NewVisit {
  return { kind: 'domain', key, foundVia: 'operator' };
}

export function agentAt(key: string, foundVia = 'operator'): NewVisit {
  return { kind: 'agent', key, url: key, foundVia };
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

export function authorisation(
  publisher: string,
  agent: string,
  over: Partial<Authorisation> = {},
): Authorisation {
  return {
    publisher,
    agent,
    entry: '/authorized_agents/0',
    declaredUrl: agent,
    via: 'own',
    scope: 'all',
    covers: { all: 'inventory' },
    countByType: { website: 1 },
    tags: ['news'],
    ...over,
  };
}

export function mention(declarer: string, agent: string, over: Partial<Mention> = {}): Mention {
  return { agent, declaredUrl: agent, declarer, file: 'brand', entry: '/agents/0', ...over };
}

export function facts(over: Partial<DeclaredFacts> = {}): DeclaredFacts {
  return { authorisations: [], mentions: [], references: [], operators: [], properties: [], ...over };
}

const ADAGENTS: AdagentsDeclaration = {
  kind: 'adagents',
  variant: 'inline',
  entries: [],
  properties: [],
  revokedPublisherDomains: [],
  catalogue: { collections: 0, placements: 0, formats: 0, signals: 0 },
};
const BRAND: BrandDeclaration = {
  kind: 'brand',
  variant: 'brand',
  brands: [],
  brandRefs: [],
  agents: [],
  authorizedOperators: [],
};

export function declaration(kind: FileKind, text: string, derived: DeclaredFacts): NewDeclaration {
  const value = kind === 'adagents' ? { ...ADAGENTS, lastUpdated: text } : { ...BRAND, redirectReason: text };
  return {
    value,
    via: 'own',
    url: `https://any.example/${kind}.json`,
    contentHash: sha256(text),
    facts: derived,
  };
}

export function answered(url: string, text: string, at = NOW): Capture {
  const body = new TextEncoder().encode(text);
  return {
    ok: true,
    status: 200,
    requestedUrl: url,
    finalUrl: url,
    trail: [],
    at,
    durationMs: 5,
    headers: {},
    body,
    bodyHash: sha256(text),
  };
}

export const EXPOSED: Exposed = {
  capabilities: { tools_count: 1, tools: [{ name: 'get_products', description: 'finds products' }] },
  creativeFormatCount: 0,
  inferredType: 'sales',
  supportedProtocols: ['media_buy'],
  specialisms: [],
  supportedVersions: ['3.0'],
  claimedPublisherDomains: [],
};

export function observed(agent: string, over: Partial<Observation> = {}): Observation {
  const seen = {
    agent,
    dialledUrl: agent,
    at: NOW,
    durationMs: 12,
    health: { online: true, toolsCount: 1 },
    protocol: 'mcp',
    endpoint: agent,
  } as const;
  return { ...seen, exposed: EXPOSED, steps: [], findings: [], ...over };
}

export function documentOf(url: string, over: Partial<AgentDocument> = {}): AgentDocument {
  return {
    url,
    type: 'sales',
    metricIds: [],
    accreditations: [],
    badges: [],
    base: { url, name: 'one', type: 'sales', protocol: 'mcp', added_date: '2027-01-15' },
    compliance: { status: 'opted_out', lifecycle_stage: 'production' },
    ...over,
  };
}
