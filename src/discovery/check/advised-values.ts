import { asText, isObject, type JsonObject, pointerTo, stepsOf } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { Finding } from '../../domain/finding.ts';

/** A change of the document at a pointer: another value or name, a list around the value, or a first member in it. */
export interface Repair {
  readonly pointer: string;
  readonly part: 'value' | 'key' | 'wrap' | 'inside';
  /** JSON; for `wrap` not used. */
  readonly put: string;
}

/** What helps an author besides the words of a finding. */
export interface Advice {
  /** All that may stand here. */
  readonly allowed?: readonly string[];
  /** What may have been meant: a guess, for the author to judge. */
  readonly didYouMean?: string;
  /** What to do, in better words than those of the code. */
  readonly hint?: string;
  /** What puts it right; only where nothing else can have been meant. */
  readonly fix?: { readonly title: string; readonly changes: readonly Repair[] };
}

/** More values than these are no help in a line. */
const MOST_ALLOWED = 20;

/** The value at a pointer; undefined when there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const step of stepsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** The pointer of another member of the object in which a member stands. */
export function memberBeside(pointer: string, name: string): string {
  return pointerTo(pointer.slice(0, pointer.lastIndexOf('/')), name);
}

/** A URL stands where a domain is wanted: its host is the domain, if the URL says no more than that. */
export function hostInstead({ pointer }: Finding, document: JsonObject): Advice | undefined {
  const value = valueAt(document, pointer);
  const match = /^(?:https?:\/\/)?(?:\*\.)?([^\s/:?#@\\]+)([/:?#@\\]\S*)?$/i.exec(
    asText(value).slice(0, 500).trim(),
  );
  const parsed = parseDomain(match?.[1] ?? '');
  if (match === null || !parsed.ok) return undefined;
  const isAll = (match[2] === undefined || match[2] === '/') && !match[0].includes('*');
  return { didYouMean: parsed.domain, ...(isAll && { fix: written(pointer, parsed.domain) }) };
}

/** Only a guess: another scheme is another agent. Blanks at the ends are none. */
export function httpsInstead({ pointer }: Finding, document: JsonObject): Advice | undefined {
  const value = valueAt(document, pointer);
  if (typeof value !== 'string' || value.length > 2_000) return undefined;
  const trimmed = value.trim();
  const isUsable = (url: string): boolean => url.startsWith('https://') && parseAgentUrl(url).ok;
  if (trimmed !== value && isUsable(trimmed)) return { fix: written(pointer, trimmed) };
  const secured = `https://${trimmed.replace(/^(?:https?:\/*|[a-z][a-z\d+.-]*:\/+|\/+)/i, '')}`;
  return secured !== value && secured.includes('.') && isUsable(secured)
    ? { didYouMean: secured }
    : undefined;
}

/** The nearest of what the file's properties have, for the first name in a list that none of them has. */
export function listedInstead(
  { pointer }: Finding,
  document: JsonObject,
  namesOf: (property: JsonObject) => readonly unknown[],
): Advice | undefined {
  const properties: readonly unknown[] = Array.isArray(document.properties) ? document.properties : [];
  const names = new Set<string>();
  for (const property of properties.filter(isObject).slice(0, 2_000))
    for (const name of namesOf(property).slice(0, 50)) if (typeof name === 'string') names.add(name);
  const asked = valueAt(document, pointer);
  const unknown = (Array.isArray(asked) ? asked : [asked]).find(
    (name) => typeof name === 'string' && !names.has(name),
  );
  const didYouMean = typeof unknown === 'string' ? nearestName(unknown, names) : undefined;
  return {
    ...(names.size > 0 && names.size <= MOST_ALLOWED && { allowed: [...names] }),
    ...(didYouMean !== undefined && { didYouMean }),
  };
}

export function written(pointer: string, value: string): NonNullable<Advice['fix']> {
  return { title: `write ${JSON.stringify(value)}`, changes: [change(pointer, value)] };
}

export function change(pointer: string, value: string): Repair {
  return { pointer, part: 'value', put: JSON.stringify(value) };
}
