import { asText, elements, isObject, type JsonObject, member, pointerTo } from '../base/json.ts';
import { nearestName } from '../base/near-names.ts';
import { SPECIALISMS } from '../domain/badge.ts';
import type { Finding } from '../domain/finding.ts';
import { distinctTexts, shortText } from '../domain/text.ts';
import { isVersionLabel } from '../protocol/versions.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';

/** Values for `supported_protocols` of both vocabularies. */
const PROTOCOL_NAMES = [
  ...['media_buy', 'signals', 'governance', 'creative', 'brand', 'measurement'],
  ...['sponsored_intelligence', 'trusted_match'],
];

/** Names in one list that are looked at, and findings of one list. */
const MAX_NAMES = 100;
const MAX_FINDINGS = 10;
/** Characters of a name that are compared. A version label has at most 64. */
const MAX_NAME = 65;

export interface DeclarationFinding extends Pick<Finding, 'severity' | 'code' | 'message'> {
  /** JSON Pointer into the capabilities. */
  readonly pointer: string;
}

interface Declared {
  readonly pointer: string;
  readonly value: unknown;
  /** One entry, in words. */
  readonly noun: string;
  /** What is not tested when an entry is not understood. */
  readonly untested: string;
  /** The name that was meant; undefined for a name that is right, null for one that is near no name. */
  readonly meant: (name: string) => string | undefined | null;
  /** The name in the spelling by which a run compares it. */
  readonly compared: (name: string) => string;
}

/**
 * The versions of the protocol that an agent declares in its capabilities, as written there: `supported_versions` in
 * its order, then `proto_version` and `adcp_version`. Major versions are the fallback. Each label is returned once, and
 * at most 100 are. Text that is not a version is ignored. Pure.
 */
export function declaredVersions(capabilities: JsonObject): readonly string[] {
  const names = VOCABULARIES.map((one) => VOCABULARY_NAMES[one]);
  const places = [...names.map(({ section }) => member(capabilities, section)), capabilities];
  const listed = places.flatMap((place) => elements(member(place, 'supported_versions')));
  const labels = versionLabels([
    ...listed,
    ...names.map(({ versionKey }) => member(capabilities, versionKey)),
  ]);
  if (labels.length > 0) return labels;
  const majors = places.flatMap((place) => elements(member(place, 'major_versions')));
  return versionLabels(majors.map((major) => (Number.isSafeInteger(major) ? String(major) : major)));
}

function versionLabels(values: readonly unknown[]): readonly string[] {
  const labels = values.filter((value) => typeof value === 'string' && isVersionLabel(value.trim()));
  return distinctTexts(labels, MAX_NAMES);
}

/**
 * What could not be read of the lists by which an agent declares itself: `supported_protocols`, `specialisms` and
 * `supported_versions`. Each finding says what was read, which name was probably meant, and what is therefore not tested.
 * Pure.
 *
 * @param specialisms those that have storyboards; by default those of the catalogue
 */
export function declarationFindings(
  capabilities: JsonObject,
  specialisms: readonly string[] = SPECIALISMS,
): readonly DeclarationFinding[] {
  const versions = VOCABULARIES.map((one) => VOCABULARY_NAMES[one].section)
    .filter((section) => isObject(member(capabilities, section)))
    .map((section) => ({
      pointer: `/${section}/supported_versions`,
      value: member(member(capabilities, section), 'supported_versions'),
      noun: 'version',
      untested: 'the agent is not tested against that version',
      meant: (name: string) => (isVersionLabel(name) ? undefined : null),
      compared: (name: string) => name,
    }));
  const lists: readonly Declared[] = [
    {
      pointer: '/supported_protocols',
      value: member(capabilities, 'supported_protocols'),
      noun: 'protocol',
      untested: 'its storyboards are not selected',
      meant: (name) => nameMeant(name, PROTOCOL_NAMES),
      compared: (name) => name.replaceAll('-', '_'),
    },
    {
      pointer: '/specialisms',
      value: member(capabilities, 'specialisms'),
      noun: 'specialism',
      untested: 'its storyboards are not selected',
      meant: (name) => nameMeant(name, specialisms),
      compared: (name) => name.toLowerCase().replaceAll('_', '-'),
    },
    ...versions,
  ];
  return lists.flatMap((list) => findingsOf(list).slice(0, MAX_FINDINGS));
}

function nameMeant(name: string, known: readonly string[]): string | undefined | null {
  return known.includes(name) ? undefined : (nearestName(name, known) ?? null);
}

function findingsOf(list: Declared): readonly DeclarationFinding[] {
  const { pointer, value, noun, meant } = list;
  if (value === undefined || value === null) return [];
  if (Array.isArray(value))
    return value.slice(0, MAX_NAMES).flatMap((item: unknown, at) => {
      const name = shortText(item, MAX_NAME);
      if (name === undefined) return [notText(list, pointerTo(pointer, at), item)];
      const near = meant(name);
      return near === undefined ? [] : [unknownName(list, pointerTo(pointer, at), name, near)];
    });
  const name = shortText(value, MAX_NAME);
  const shown = name === undefined ? kindOf(value) : `the string "${name}"`;
  const near = name === undefined ? null : meant(name);
  const hint = near === null ? '' : ` (did you mean ["${near ?? name}"]?)`;
  return [
    {
      ...{ severity: 'error', code: codeOf(pointer), pointer },
      message: `${fieldOf(pointer)} must be a list, but is ${shown}, so no ${noun} was read${hint}; ${list.untested}`,
    },
  ];
}

function notText(list: Declared, pointer: string, item: unknown): DeclarationFinding {
  const message = `this ${list.noun} must be a string, but is ${kindOf(item)}, so it was not read; ${list.untested}`;
  return { severity: 'warning', code: codeOf(list.pointer), pointer, message };
}

function unknownName(list: Declared, pointer: string, name: string, near: string | null): DeclarationFinding {
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  const isSame = near !== null && list.compared(name) === near;
  const effect = isSame ? 'its storyboards are selected, but clients compare the exact name' : list.untested;
  const message = `"${name}" is not a known ${list.noun}${hint}; ${effect}`;
  return { severity: 'warning', code: codeOf(list.pointer), pointer, message };
}

function fieldOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

function codeOf(pointer: string): string {
  return `${fieldOf(pointer)}_unreadable`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (value === null) return 'null';
  return typeof value === 'string' ? 'an empty string' : `the ${typeof value} ${asText(value).slice(0, 32)}`;
}
