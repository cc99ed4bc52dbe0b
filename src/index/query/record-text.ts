import { hash } from 'node:crypto';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type {
  BareTier,
  LiveText,
  RecordPieces,
  RecordText,
  ShownGroups,
  StoredRecord,
} from '../../domain/agent-query.ts';
import type { Capabilities } from '../../domain/capabilities.ts';
import { freshness } from './live-text.ts';

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
  return hash('sha256', texts, 'base64url').slice(0, 22);
}

/** The pieces in the order in which a record has them, with the group that shows each. */
export const PIECES: readonly (readonly [name: string, group?: keyof ShownGroups])[] = [
  ['head'],
  ['freshness'],
  ['health', 'health'],
  ['stats', 'properties'],
  ['capabilities', 'capabilities'],
  ['compliance', 'compliance'],
  ['domains', 'properties'],
  ['end'],
];

/** Behind this piece stand members that no record has stored. */
export const FRESHNESS_AT = 1;

const EVERY_GROUP: ShownGroups = { health: true, capabilities: true, properties: true, compliance: true };

/** Pieces of groups that are not to be read are empty. */
export function recordPieces(texts: DocumentTexts, read: ShownGroups = EVERY_GROUP): RecordPieces {
  const { base, properties, capabilities, compliance } = texts;
  const [stats, domains] = splitProperties(read.properties ? properties : undefined);
  return {
    head: base.slice(0, -1),
    stats,
    capabilities: !read.capabilities || capabilities === undefined ? '' : CAPABILITIES + capabilities,
    compliance: !read.compliance || compliance.startsWith(OPTED_OUT) ? '' : `,"compliance":${compliance}`,
    domains,
  };
}

// a text of JSON has no raw quote inside, so this can only be the member itself; with a label of its own it stays
const TIER = /"membership_tier":("[^"\\]*")(,"membership_tier_label":)?/;

/** Puts a record into bytes that `roomFor` so many gives, from a place on. */
export function recordText(
  { pieces, digest }: StoredRecord,
  live: LiveText,
  roomFor: (size: number) => { readonly bytes: Buffer; readonly from: number } = ownRoom,
): RecordText {
  const { head, stats, capabilities, compliance, domains } = pieces;
  const texts = [head, freshness(live), live.health, stats, capabilities, compliance, domains, '}'];
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const { bytes, from } = roomFor(sizes.reduce((sum, size) => sum + size, 0));
  const ends = [from];
  for (const size of sizes) ends.push((ends.at(-1) ?? from) + size);
  bytes.write(texts.join(''), from);
  const made = `${digest} ${live.seen} ${live.health} ${live.nextCheckAt}`;
  const version = hash('sha256', made, 'base64url').slice(0, 22);
  const tier = bareTier(head, from);
  return { bytes, ends, version, seenAt: live.seenAt, ...(tier && { tier }) };
}

function bareTier(head: string, from: number): BareTier | undefined {
  const found = TIER.exec(head);
  const [member = '', name, label] = found ?? [];
  if (found === null || name === undefined || label !== undefined) return undefined;
  return { name: JSON.parse(name), at: from + Buffer.byteLength(head.slice(0, found.index + member.length)) };
}

function ownRoom(size: number) {
  return { bytes: Buffer.allocUnsafe(size), from: 0 };
}

const CAPABILITIES = ',"capabilities":';
// Inside a string their quotes would be escaped, so these can only be the members themselves. The first is never the first
// of the group, the second is always the first of a metric, and nothing else has members of these names.
const MEASURED = ',"measurement_capabilities":';
const METRIC = '{"metric_id":"';
const CAPABILITIES_AT = PIECES.findIndex(([name]) => name === 'capabilities');

/** The measurement capabilities of a record, possibly without metrics that are not wanted; empty if they were never observed. */
export function measuredIn({ bytes, ends }: RecordText, isWanted: MetricTest): Measured {
  const text = bytes.toString('utf8', ends[CAPABILITIES_AT], ends[CAPABILITIES_AT + 1]);
  const at = text.indexOf(MEASURED);
  if (at === -1) return {};
  // what is not parsed costs a tenth of what is; the last metric stays, with all that is behind it
  let [kept, from] = ['{', at + 1];
  for (let metric = text.indexOf(METRIC, at); metric !== -1; ) {
    const next = text.indexOf(METRIC, metric + 1);
    if (next !== -1 && !isWanted(idAt(text, metric), text.slice(metric, next))) {
      kept += text.slice(from, metric);
      from = next;
    }
    metric = next;
  }
  return JSON.parse(kept + text.slice(from));
}

type Measured = Partial<Pick<Capabilities, 'measurement_capabilities'>>;

/** Told a metric's id, or undefined where that is not read, and its JSON text. */
export type MetricTest = (id: string | undefined, text: string) => boolean;

function idAt(text: string, metric: number): string | undefined {
  const from = metric + METRIC.length;
  const id = text.slice(from, text.indexOf('"', from));
  return id.includes('\\') ? undefined : id;
}

/** How the group of an agent that opted out begins. The list leaves it out, as clients of the field refuse a part of a group. */
const OPTED_OUT = '{"status":"opted_out"';

// With both quotes unescaped this can only be the member itself: inside a JSON string they are escaped.
const SECOND_MEMBER = ',"publisher_domains":';

/** The group's text in two parts: `stats` precedes the capabilities, its other fields follow the compliance. */
function splitProperties(properties: string | undefined): readonly [string, string] {
  if (properties === undefined) return ['', ''];
  const at = properties.indexOf(SECOND_MEMBER);
  if (at === -1) return [`,${properties.slice(1, -1)}`, ''];
  return [`,${properties.slice(1, at)}`, properties.slice(at, -1)];
}
