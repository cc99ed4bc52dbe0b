import { isObject, pointerTo } from '../base/json.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../domain/domain-name.ts';
import { cleanText } from '../domain/text.ts';
import { isStray, type Meant } from './member-names.ts';
import type { FilePart, FileState } from './read-document.ts';

/** An agent's address: what is dialled, byte for byte, and its canonical form. */
interface DeclaredAgent {
  readonly url: string;
  readonly agent: string;
}

/** Characters of a tag, or of a task's name. */
const LABEL_LENGTH = 100;

/** Whether the member is there; null counts as absent. */
export function has(place: FilePart, key: string): boolean {
  return !isAbsent(place.value[key]);
}

/** The pointer of a member. */
export function at(place: FilePart, key: string): string {
  return pointerTo(place.pointer, key);
}

/**
 * Whether the member stands there at all, be it null. What narrows an authorisation, or says whose something is, cannot be
 * read as null: a writer that puts null for "nothing" cannot be told from one whose value got lost.
 */
export function isSaid(place: FilePart, key: string): boolean {
  return Object.hasOwn(place.value, key);
}

/**
 * Looks at the members of an object that its reader does not know. False, with an error for each, when one may be meant as
 * a member that narrows (`country`, `countires`, a limit of an entry inside a selector): to overlook it would widen what
 * the author says. All others are tolerated.
 */
export function hasNoStray(place: FilePart, known: ReadonlySet<string>, meant: Meant): boolean {
  let isClear = true;
  for (const key in place.value) if (!known.has(key) && isStray(place, key, meant)) isClear = false;
  return isClear;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** An optional text, at most `max` characters, cleaned of control and bidirectional characters. */
export function readString(place: FilePart, key: string, max = 2_000): string | undefined {
  const value = place.value[key];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') return wrongType(place, key);
  const clean = cleanText(value);
  if (clean.length <= max) return clean === '' ? undefined : clean;
  place.file.report.add('text_too_long', at(place, key), `${clean.length} characters, ${max} kept`);
  return clean.slice(0, max).toWellFormed();
}

export function readBoolean(place: FilePart, key: string): boolean | undefined {
  const value = place.value[key];
  if (isAbsent(value)) return undefined;
  return typeof value === 'boolean' ? value : wrongType(place, key);
}

/** An optional domain name in normal form. */
export function readDomain(place: FilePart, key: string): string | undefined {
  const value = place.value[key];
  if (isAbsent(value)) return undefined;
  return typeof value === 'string' ? asDomain(value, at(place, key), place.file) : wrongType(place, key);
}

export function asDomain(text: string, pointer: string, file: FileState): string | undefined {
  const parsed = parseDomain(text);
  if (parsed.ok) return parsed.domain;
  file.report.add('domain_invalid', pointer, DOMAIN_PROBLEMS[parsed.problem]);
  return undefined;
}

/** An optional https URL without user name, as declared. */
export function readHttpsUrl(
  place: FilePart,
  key: string,
  code: 'jwks_uri_invalid' | 'location_invalid',
): string | undefined {
  const value = place.value[key];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && 'agent' in place.file.agentOf(value)) return value;
  place.file.report.add(code, at(place, key), value);
  return undefined;
}

/** Reads an agent's URL (https, RFC 3986); undefined, with a finding, when the entry names no usable one. */
export function readDeclaredAgent(place: FilePart, key: string): DeclaredAgent | undefined {
  const url = place.value[key];
  const { report } = place.file;
  if (typeof url !== 'string' || url === '') {
    report.add('url_missing', url === undefined ? place.pointer : at(place, key));
    return undefined;
  }
  if (place.file.refusesUrl(url, place.pointer)) return undefined;
  const address = place.file.agentOf(url);
  if ('agent' in address)
    return place.file.takeAgent(address.agent, place.pointer) ? { url, ...address } : undefined;
  report.add(address.code, at(place, key), address.detail);
  return undefined;
}

/** The texts of an optional array, cleaned as texts are; anything else in it is left out with a finding. */
export function readStrings(place: FilePart, key: string): readonly string[] {
  const list = readList(place, key);
  const texts = list.flatMap((item) => (typeof item === 'string' ? cleanText(item) || [] : []));
  if (texts.length < list.length) {
    const index = list.findIndex((item) => typeof item !== 'string' || cleanText(item) === '');
    place.file.report.add('wrong_type', pointerTo(at(place, key), index), list[index]);
  }
  return texts;
}

/**
 * The ids or tags of an array, exactly as they stand: others are compared with them byte for byte, by everybody. Anything
 * else in it is left out with a finding, and so is null in the array's place.
 */
export function readNames(place: FilePart, key: string): readonly string[] {
  if (isSaid(place, key) && !has(place, key)) return wrongType(place, key) ?? [];
  const names: string[] = [];
  for (const [index, item] of readList(place, key).entries()) {
    if (isName(item)) names.push(item);
    else reportName(place, pointerTo(at(place, key), index), item);
  }
  return names;
}

/** An id or tag as it stands; undefined, with a finding, for one that cannot be read. */
export function readName(place: FilePart, key: string): string | undefined {
  const value = place.value[key];
  if (isName(value)) return value;
  if (isSaid(place, key)) reportName(place, at(place, key), value);
  return undefined;
}

/** Nothing is to be cleaned: two readers of such a text see the same one. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && cleanText(value) === value;
}

/** In quotes, so that blanks are seen. */
function reportName({ file: { report } }: FilePart, pointer: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') report.add('wrong_type', pointer, value);
  else report.add('name_unclean', pointer, JSON.stringify(value.slice(0, LABEL_LENGTH)));
}

/** The texts of an array that go into a record; those over 100 characters are left out. */
export function readLabels(place: FilePart, key: string, texts: readonly string[]): readonly string[] {
  const short = texts.filter((text) => text.length <= LABEL_LENGTH);
  if (short.length < texts.length)
    place.file.report.add('label_too_long', at(place, key), `${texts.length - short.length} left out`);
  return short;
}

/** The objects of an optional array, each with its place. */
export function* readObjects(place: FilePart, key: string): Generator<FilePart> {
  const pointer = at(place, key);
  for (const [index, value] of readList(place, key).entries()) {
    const here = pointerTo(pointer, index);
    if (isObject(value)) yield { value, pointer: here, file: place.file };
    else place.file.report.add('wrong_type', here, value);
  }
}

/** An optional object, with its place. */
export function readObject(place: FilePart, key: string): FilePart | undefined {
  const value = place.value[key];
  if (isAbsent(value)) return undefined;
  return isObject(value) ? { value, pointer: at(place, key), file: place.file } : wrongType(place, key);
}

/** The length of an optional array. */
export function sizeOf(place: FilePart, key: string): number {
  const value = place.value[key];
  return Array.isArray(value) ? value.length : 0;
}

function readList(place: FilePart, key: string): readonly unknown[] {
  const value = place.value[key];
  if (isAbsent(value)) return [];
  return Array.isArray(value) ? value : (wrongType(place, key) ?? []);
}

function wrongType(place: FilePart, key: string): undefined {
  place.file.report.add('wrong_type', at(place, key), place.value[key]);
  return undefined;
}
