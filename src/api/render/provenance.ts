import { setImmediate } from 'node:timers/promises';
import { withinBytes } from '../../base/json.ts';
import { positionsOf } from '../../base/json-positions.ts';
import { defined } from '../../base/present.ts';
import type { AgentFacts } from '../../domain/agent-facts.ts';
import { agentFindings } from '../../domain/agent-findings.ts';
import type { FileKind } from '../../domain/declaration.ts';
import type { AuthorisationVia, Mention } from '../../domain/declared-facts.ts';
import { type Authority, hasAuthority, type Identity, resolveIdentity } from '../../domain/identity.ts';
import type { Records } from '../../ports/records.ts';
import type { LiveFile } from '../../ports/source-store.ts';
import { currencyOf } from './visit-state.ts';

/** So many files of each kind are told; `GET /v1/agents/{encodedUrl}/publishers` has all that authorise. */
const MAX_FILES = 10;
/** Of all files of one answer that are searched for lines. A longer file has its place as a pointer only. */
const MAX_SEARCHED = 512 * 1024;
const FINDINGS_BYTES = 8 * 1024;

export type ProvenanceSources = Pick<Records, 'agents' | 'sources'>;

/** What was good last, what was tried last and why it was no good, and when is next; RFC 3339. */
export type Currency = ReturnType<typeof currencyOf>;

/** An entry of a file, with the URL and the line where these are known. */
export interface PlaceInFile extends Currency {
  readonly domain: string;
  readonly file: FileKind;
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
 * Where what a record says comes from, and how fresh that is, the same for everybody: an owner that is proven is not told
 * from a registration.
 */
export async function provenance(records: ProvenanceSources, facts: AgentFacts) {
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
  const files = createFileReader(records.sources);
  const [declaredBy, authorizedBy]: [DeclaringFile[], AuthorizingFile[]] = [[], []];
  // one after the other: they share the room that is left
  for (const mention of mentions) {
    const { declarer, file, entry, type, name, seenFrom } = mention;
    declaredBy.push({
      domain: declarer,
      file,
      ...(await files.place({ kind: file, key: declarer }, entry)),
      ...defined({ type, name }),
      has_authority: hasAuthority(mention, facts),
      since: timeOf(seenFrom),
    });
  }
  for (const { publisher, entry, scope, via, authorizedFor, seenFrom } of authorisations) {
    authorizedBy.push({
      domain: publisher,
      file: 'adagents',
      ...(await files.place({ kind: 'adagents', key: publisher }, entry)),
      scope,
      via,
      ...defined({ authorized_for: authorizedFor }),
      since: timeOf(seenFrom),
    });
  }
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
      ...currencyOf(source),
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

/** Places in files. Each file is read once, and searched while there is room. */
function createFileReader(sources: ProvenanceSources['sources']) {
  const known = new Map<string, LiveFile | undefined>();
  const texts = new Map<string, string | undefined>();
  let room = MAX_SEARCHED;
  const textOf = async ({ hash, bytes }: NonNullable<LiveFile['body']>) => {
    if (texts.has(hash)) return texts.get(hash);
    if (bytes > room) return undefined;
    room -= bytes;
    await setImmediate(); // others are answered between two files
    const body = await sources.body(hash);
    const text = body && new TextDecoder().decode(body);
    texts.set(hash, text);
    return text;
  };
  return {
    async place(key: { readonly kind: FileKind; readonly key: string }, entry: string) {
      const name = `${key.kind} ${key.key}`;
      if (!known.has(name)) known.set(name, await sources.liveFile(key));
      const file = known.get(name);
      const text = file?.body && (await textOf(file.body));
      return {
        ...defined({ url: file?.url, line: text === undefined ? undefined : lineOf(text, entry) }),
        entry,
        ...currencyOf(file?.source),
      };
    },
  };
}

function lineOf(text: string, pointer: string): number | undefined {
  return positionsOf(text, [pointer]).get(pointer)?.line;
}

/** RFC 3339, UTC, milliseconds. */
function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
