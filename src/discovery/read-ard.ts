import { defined, isObject, type JsonObject } from '../base/json.ts';
import type { ArdAgent, ArdDeclaration } from '../domain/ard-declaration.ts';
import type { DeclaredFacts, Mention } from '../domain/declared-facts.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { Finding } from '../domain/finding.ts';
import { at, has, readDeclaredAgent, readObjects, readString } from './fields.ts';
import { type FilePart, type Read, type ReadOptions, readDocument } from './read-document.ts';
import { findingOf, MAX_FINDINGS } from './report.ts';

/** Media types of what can be called as an agent (ARD v0.91, 3.3); entries of others are of no interest here. */
const AGENT_MEDIA_TYPES: ReadonlySet<string> = new Set([
  'application/mcp-server-card+json',
  'application/a2a-agent-card+json',
  'application/agent-card+json',
]);
/** An identifier names its publisher by a domain (ARD v0.91, appendix C). */
const IDENTIFIER = /^urn:air:([a-z0-9.-]{1,253}):[a-z0-9._:-]{1,1000}$/i;
/** Where a card stands says which agent it is of (RFC 8615): the address without this. */
const CARD_PLACE = /\/\.well-known\/agent(?:-card)?\.json$/;

/**
 * Reads `ard.json`, or the `ai-catalog.json` before it, for the agents that it names (ARD v0.91, 4 and 5.1). What it says
 * are claims. Without a declaration the file is no valid one and changes nothing that was known before.
 */
export function readArd(bytes: Uint8Array, options: ReadOptions = {}): Read<ArdDeclaration> {
  return readDocument(bytes, options, (document) => {
    if (!Array.isArray(document.value.entries)) {
      document.file.report.add(
        'ard_entries_missing',
        has(document, 'entries') ? at(document, 'entries') : '',
      );
      return undefined;
    }
    const agents = [...readObjects(document, 'entries')].flatMap((place) => readEntry(place) ?? []);
    return { kind: 'ard', variant: 'entries', agents };
  });
}

function readEntry(place: FilePart): ArdAgent | undefined {
  const { identifier, type } = place.value;
  const { report } = place.file;
  const publisher = typeof identifier === 'string' ? IDENTIFIER.exec(identifier)?.[1] : undefined;
  if (publisher === undefined || typeof type !== 'string' || has(place, 'url') === has(place, 'data')) {
    report.add('ard_entry_incomplete', place.pointer);
    return undefined;
  }
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!AGENT_MEDIA_TYPES.has(mediaType)) return undefined;
  const address = has(place, 'url') ? addressAt(place) : addressInCard(place);
  if (address === undefined) {
    report.add('ard_entry_unread', place.pointer);
    return undefined;
  }
  const agent = readDeclaredAgent(address, 'url');
  if (agent === undefined) return undefined;
  const [name, description] = [readString(place, 'displayName', 500), readString(place, 'description')];
  return {
    ...{ pointer: place.pointer, ...agent, publisher: publisher.toLowerCase() },
    ...defined({ name, description }),
  };
}

/** The agent of a card at its well-known place, or the address itself; none where a document about it stands elsewhere. */
function addressAt(place: FilePart): FilePart | undefined {
  const { url } = place.value;
  if (typeof url !== 'string') return place;
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (CARD_PLACE.test(path)) return withUrl(place, path.replace(CARD_PLACE, '') || path);
  return path.toLowerCase().endsWith('.json') ? undefined : place;
}

/** The first address that a card in the entry has: of A2A its own or an interface's, of MCP that of a remote. */
function addressInCard(place: FilePart): FilePart | undefined {
  const { data } = place.value;
  if (!isObject(data)) return undefined;
  const places = [data, ...objectsOf(data.supportedInterfaces), ...objectsOf(data.remotes)];
  const url = places.map((card) => card.url).find((value) => typeof value === 'string');
  return url === undefined ? undefined : withUrl(place, url as string);
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];
}

function withUrl(place: FilePart, url: string): FilePart {
  return { ...place, value: { ...place.value, url } };
}

/** Whether an entry is the domain's own to make: its identifier names the domain, or another host of the same owner. */
function isOwn(domain: string, { publisher }: ArdAgent): boolean {
  return registrableDomain(publisher) === registrableDomain(domain);
}

/** What a manifest says that its domain may say (ARD v0.91, 4.5.1). */
export function ownClaims(declaration: ArdDeclaration, domain: string): ArdDeclaration {
  return { ...declaration, agents: declaration.agents.filter((agent) => isOwn(domain, agent)) };
}

/** A finding for each entry that stands in the name of another publisher. */
export function claimsOfOthers({ agents }: ArdDeclaration, domain: string): readonly Finding[] {
  return agents
    .filter((agent) => !isOwn(domain, agent))
    .slice(0, MAX_FINDINGS)
    .map(({ pointer, publisher }) => findingOf('ard_publisher_other', `${pointer}/identifier`, publisher));
}

/** The agents of a manifest are mentioned, and that is all that follows from it. Names stay claims: no authority comes of it. */
export function deriveClaims({ agents }: ArdDeclaration, declarer: string): DeclaredFacts {
  const mentions = agents.map(
    ({ agent, url: declaredUrl, pointer: entry, name, description }): Mention => ({
      ...{ agent, declaredUrl, declarer, file: 'ard', entry },
      ...defined({ name, description }),
    }),
  );
  return { authorisations: [], properties: [], operators: [], references: [], mentions };
}
