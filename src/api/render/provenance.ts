import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/json.ts';
import { withinBytes } from '../../base/json-bytes.ts';
import { positionsOf } from '../../base/json-positions.ts';
import type { AgentFacts } from '../../domain/agent-facts.ts';
import { agentFindings } from '../../domain/agent-findings.ts';
import type { AuthorisationVia, DeclarationKind, Mention } from '../../domain/declared-facts.ts';
import { type Authority, hasAuthority, type Identity, resolveIdentity } from '../../domain/identity.ts';
import type { Records } from '../../ports/records.ts';
import { type VisitState, visitState } from './visit-state.ts';

/** Maximum number of files of each kind; `GET /v1/agents/{encodedUrl}/publishers` lists all publishers. */
const MAX_FILES = 10;
/** Bytes of all files of one answer that are searched for line numbers. Entries of longer files have a pointer only. */
const MAX_SEARCHED = 512 * 1024;
const FINDINGS_BYTES = 8 * 1024;

export type ProvenanceSources = Pick<Records, 'agents' | 'sources'>;

/** An entry of a file, with the URL and the line where these are known. */
export interface PlaceInFile extends VisitState {
  readonly domain: string;
  readonly file: DeclarationKind;
  readonly url?: string;
  readonly line?: number;
  readonly entry: string;
  readonly since: string | null;
}

interface DeclaringFile extends PlaceInFile {
  readonly type?: string;
  readonly name?: string;
  readonly has_authority: boolean;
}

interface AuthorizingFile extends PlaceInFile {
  readonly scope: string;
  readonly via: AuthorisationVia;
  readonly authorized_for?: string;
}

/**
 * The sources of a record and their state, the same for all callers: a verified owner is not distinguished from a
 * registration.
 */
export async function provenance(records: ProvenanceSources, facts: AgentFacts, now: number) {
  const { agent, lastGood, portfolio } = facts;
  const [source, authorisations, mentions] = await Promise.all([
    records.sources.get({ kind: 'agent', key: agent }),
    records.agents.authorisations(agent, MAX_FILES),
    records.agents.mentions(agent, MAX_FILES),
  ]);
  const agreeing = await records.agents.authorisedAmong(
    agent,
    lastGood?.exposed.claimedPublisherDomains ?? [],
  );
  const named = mentions.map(({ file, declarer, entry }) => ({ kind: file, key: declarer, entry }));
  const edges = authorisations.map(({ publisher, entry }) => ({
    kind: 'adagents' as const,
    key: publisher,
    entry,
  }));
  const places = await readPlaces(records.sources, [...named, ...edges], now);
  const declaredBy = mentions.map((mention, at): DeclaringFile => {
    const { type, name, seenFrom } = mention;
    const said = { ...defined({ type, name }), has_authority: hasAuthority(mention, facts) };
    return { ...(places[at] as Place), ...said, since: timeOf(seenFrom) };
  });
  const authorizedBy = authorisations.map(({ scope, via, authorizedFor, seenFrom }, at): AuthorizingFile => {
    const said = { scope, via, ...defined({ authorized_for: authorizedFor }) };
    return { ...(places[named.length + at] as Place), ...said, since: timeOf(seenFrom) };
  });
  const findings = agentFindings(facts, { authorisations, mentions, agreeing });
  const identity = resolveIdentity(facts);
  return {
    identity: {
      name: saidBy(identity.by.name, (mention) => mention.name === identity.name, facts),
      type: saidBy(identity.by.type, (mention) => mention.type === identity.type, facts),
    },
    probe: {
      ...(source === undefined ? {} : { found_via: source.foundVia }),
      ...defined({ protocol: lastGood?.protocol, endpoint: lastGood?.endpoint }),
      ...visitState('agent', source, now),
      read_at: timeOf(lastGood?.at),
    },
    declared_by: declaredBy,
    authorized_by: authorizedBy,
    authorized_by_total: portfolio?.publisherCount ?? 0,
    findings: withinBytes(findings, FINDINGS_BYTES),
  };
}

function saidBy(
  by: Identity['by']['name'],
  says: (mention: Mention) => boolean,
  facts: AgentFacts,
): { readonly by: Authority; readonly domain?: string } {
  if (by === 'owner') return { by: 'registration' };
  if (by !== 'brand') return { by };
  const said = facts.mentions.find((mention) => hasAuthority(mention, facts) && says(mention));
  return { by, ...(said && { domain: said.declarer }) };
}

interface Entry {
  readonly kind: DeclarationKind;
  readonly key: string;
  readonly entry: string;
}
type Place = Omit<PlaceInFile, 'since'>;

/** The places of these entries. Each text is read and searched once for all of its entries, within the limit. */
async function readPlaces(
  sources: ProvenanceSources['sources'],
  entries: readonly Entry[],
  now: number,
): Promise<readonly Place[]> {
  const files = await Promise.all(entries.map((entry) => sources.liveFile(entry)));
  const pointers = Map.groupBy(entries.keys(), (at) => files[at]?.body?.hash);
  const lines = new Map<number, number>();
  let room = MAX_SEARCHED;
  for (const [hash, places] of pointers) {
    const bytes = files[places[0] ?? 0]?.body?.bytes ?? 0;
    if (hash === undefined || bytes > room) continue;
    room -= bytes;
    await setImmediate(); // others are answered between two files
    const body = await sources.body(hash);
    if (body === undefined) continue;
    const found = positionsOf(
      new TextDecoder().decode(body),
      places.map((at) => entries[at]?.entry ?? ''),
    );
    for (const at of places) {
      const line = found.get(entries[at]?.entry ?? '')?.line;
      if (line !== undefined) lines.set(at, line);
    }
  }
  return entries.map(({ kind, key, entry }, at) => ({
    ...{ domain: key, file: kind },
    ...defined({ url: files[at]?.url, line: lines.get(at) }),
    entry,
    ...visitState(kind, files[at]?.source, now),
  }));
}

/** RFC 3339, UTC, milliseconds. */
function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
