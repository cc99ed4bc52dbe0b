import type { JsonObject } from '../base/json.ts';
import { pointerOf } from '../base/json.ts';
import { type Problem, problem } from './problem.ts';
import { schemaPath, type TaskName, taskNamed } from './tasks.ts';
import { supportedVersions } from './validators.ts';
import { resolveVersion } from './versions.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from './vocabulary.ts';

/** The bundle that a request is to be read by, or why it cannot be. */
export type RequestedVersion =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly problem: Problem };

const SCHEMA_ADDRESS = /\/schemas\/([^/]+)\/([^/]+)\/([^/]+)-(request|response)\.json$/;
const MAX_ADDRESS = 2_048;

/**
 * The version of the protocol that a request asks for: by its `$schema` (specification, 4.3 and 9), else by a version
 * member of either vocabulary, else the newest. Every one that is given must be spoken here.
 */
export function versionOfRequest(task: TaskName, request: JsonObject): RequestedVersion {
  const named = versionMembers(request).map(([member, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? versionOf(String(value), member)
      : refusedVersion('INVALID_REQUEST', `/${member} must be a version`, member, 'a string such as 3.0'),
  );
  const asked = [...(Object.hasOwn(request, '$schema') ? [bySchema(task, request.$schema)] : []), ...named];
  return asked.find(({ ok }) => !ok) ?? asked[0] ?? versionOf('latest', '$schema');
}

function versionMembers(request: JsonObject): readonly (readonly [string, unknown])[] {
  const keys = VOCABULARIES.flatMap((one) => [
    VOCABULARY_NAMES[one].versionKey,
    VOCABULARY_NAMES[one].majorVersionKey,
  ]);
  return keys.filter((key) => Object.hasOwn(request, key)).map((key) => [key, request[key]]);
}

function bySchema(task: TaskName, address: unknown): RequestedVersion {
  const match =
    typeof address === 'string' && address.length <= MAX_ADDRESS
      ? SCHEMA_ADDRESS.exec(pathOf(address))
      : null;
  const expected = `/schemas/<version>/${schemaPath(task, 'request')}`;
  if (match === null) {
    return refusedVersion(
      'INVALID_REQUEST',
      `/$schema must be the URL of a schema, ${expected}`,
      '$schema',
      expected,
    );
  }
  const [, label = '', area, name = '', kind] = match;
  const version = versionOf(label, '$schema');
  if (!version.ok) return version;
  const other = taskNamed(name);
  const matches = other === task && kind === 'request' && schemaPath(task, 'request').startsWith(`${area}/`);
  return matches
    ? version
    : refusedVersion(
        'SCHEMA_MISMATCH',
        `/$schema is not the schema of a ${task} request`,
        '$schema',
        expected,
      );
}

function pathOf(address: string): string {
  const path = URL.parse(address, 'http://schemas.invalid/')?.pathname ?? '';
  return path.replace(/%2d/gi, '-').replace(/%5f/gi, '_');
}

function versionOf(label: string, member: string): RequestedVersion {
  // A patch or a pre-release changes nothing on the wire, so one that is not shipped is read as its line.
  const line = /^(v?\d{1,9}(?:\.\d{1,9})?)(?:\.\d{1,9})?(?:-[0-9A-Za-z.-]{1,64})?$/.exec(label)?.[1] ?? label;
  const version = resolveVersion(label, supportedVersions()) ?? resolveVersion(line, supportedVersions());
  if (version !== undefined) return { ok: true, version };
  const shown = /^[\w.+-]{1,64}$/.test(label) ? label : 'that';
  const text = `/${member}: version ${shown} of the protocol is not supported`;
  const supported = supportedVersions();
  return {
    ok: false,
    problem: problem('VERSION_UNSUPPORTED', text, {
      pointer: pointerOf([member]),
      suggestion: `use one of ${supported.join(', ')}, or omit the version`,
      details: { supported_versions: supported },
    }),
  };
}

function refusedVersion(
  code: 'INVALID_REQUEST' | 'SCHEMA_MISMATCH',
  message: string,
  member: string,
  expected: string,
): RequestedVersion {
  const pointer = pointerOf([member]);
  return {
    ok: false,
    problem: problem(code, message, { pointer, suggestion: `use ${expected}, or omit the field` }),
  };
}
