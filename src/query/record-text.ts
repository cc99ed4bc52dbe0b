import { createHash } from 'node:crypto';
import type { AgentDocument } from '../domain/agent-document.ts';
import type { RecordText, ShownGroups } from '../domain/agent-query.ts';
import type { Capabilities } from '../domain/capabilities.ts';

/** The groups of a document as JSON texts; a group that was never observed is absent. */
export interface DocumentTexts {
  readonly base: string;
  readonly properties?: string;
  readonly capabilities?: string;
  readonly compliance: string;
}

export function documentTexts({ base, properties, capabilities, compliance }: AgentDocument): DocumentTexts {
  return {
    base: JSON.stringify(base),
    ...(properties && { properties: JSON.stringify(properties) }),
    ...(capabilities && { capabilities: JSON.stringify(capabilities) }),
    compliance: JSON.stringify(compliance),
  };
}

/** Differs wherever any of the texts differs. */
export function textsDigest({ base, properties, capabilities, compliance }: DocumentTexts): string {
  const texts = JSON.stringify([base, properties, capabilities, compliance]);
  return createHash('sha256').update(texts).digest('base64url').slice(0, 22);
}

/**
 * The pieces that records are put together from (specification, 2.1). Those behind `head` begin with the comma of their first
 * member, and are empty where the record has nothing of them. `freshness` stands before them, and a brace behind.
 */
export interface RecordPieces {
  readonly head: string;
  readonly stats: string;
  readonly capabilities: string;
  readonly compliance: string;
  readonly domains: string;
}

/** The pieces behind `head` in their order, with the group that shows each. */
export const TAIL: readonly (readonly [Exclude<keyof RecordPieces, 'head'>, keyof ShownGroups])[] = [
  ['stats', 'properties'],
  ['capabilities', 'capabilities'],
  ['compliance', 'compliance'],
  ['domains', 'properties'],
];

export function recordPieces({ base, properties, capabilities, compliance }: DocumentTexts): RecordPieces {
  const [stats, domains] = splitProperties(properties);
  return {
    head: base.slice(0, -1),
    stats,
    capabilities: capabilities === undefined ? '' : CAPABILITIES + capabilities,
    compliance: compliance.startsWith(OPTED_OUT) ? '' : `,"compliance":${compliance}`,
    domains,
  };
}

/** The record of pieces that are at hand here; an engine that keeps pieces puts them together itself. */
export function recordText(
  pieces: RecordPieces,
  shown: ShownGroups,
): Pick<RecordText, 'head' | 'tail' | 'capabilities'> {
  const tail = TAIL.map(([piece, group]) => (shown[group] ? pieces[piece] : '')).join('');
  return { head: pieces.head + FRESHNESS, tail: `${tail}}`, capabilities: pieces.capabilities };
}

/** How the member that changes by time begins, behind the head of a record. */
export const FRESHNESS = ',"freshness":{';
const CAPABILITIES = ',"capabilities":';

/** The group of a record that was asked for under a filter of metrics; nothing where it was never observed. */
export function capabilitiesIn({ capabilities }: Pick<RecordText, 'capabilities'>): Partial<Capabilities> {
  return capabilities === '' ? {} : JSON.parse(capabilities.slice(CAPABILITIES.length));
}

/** How the group of an agent that opted out begins. The list leaves it out, as clients of the field refuse a part of a group. */
const OPTED_OUT = '{"status":"opted_out"';

// With both quotes unescaped this can only be the member itself: inside a JSON string they are escaped.
const SECOND_MEMBER = ',"publisher_domains":';

/** The group's text in two: `stats` stands before the capabilities, its other members after the compliance. */
function splitProperties(properties: string | undefined): readonly [string, string] {
  if (properties === undefined) return ['', ''];
  const at = properties.indexOf(SECOND_MEMBER);
  if (at === -1) return [`,${properties.slice(1, -1)}`, ''];
  return [`,${properties.slice(1, at)}`, properties.slice(at, -1)];
}
