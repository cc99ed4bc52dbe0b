import { schemaFiles, shippedVersions } from '../../protocol/schema-files.ts';
import { PROTOCOL_TASKS, schemaPath, shippedPath, TASK_NAMES } from '../../protocol/tasks.ts';
import { isExactVersion, resolveVersion, versionAliases } from '../../protocol/versions.ts';
import { entityTag } from '../answers.ts';

/** A body as it is sent, with its entity tag. */
export interface TaggedBody {
  readonly body: Buffer;
  readonly etag: string;
}

export interface FoundSchema extends TaggedBody {
  /** Its address under the version itself, whatever alias or spelling it was asked for by. */
  readonly path: string;
  /** True when it was asked for by the version itself: that answer never changes. */
  readonly exact: boolean;
}

interface Bundle {
  readonly files: ReadonlyMap<string, TaggedBody>;
  readonly index: TaggedBody;
}

/** The protocol's schemas as the API serves them. */
export interface ProtocolSchemas {
  readonly versions: readonly string[];
  /** Versions and the aliases for them. */
  readonly labels: readonly string[];
  /** Of all versions. */
  readonly index: TaggedBody;
  /** The version that a label stands for. */
  resolve(label: string): string | undefined;
  indexOf(version: string): TaggedBody;
  find(label: string, path: string): FoundSchema | undefined;
}

/** Reads a bundle when it is first asked for, and keeps it. */
export function openProtocolSchemas(): ProtocolSchemas {
  const versions = shippedVersions();
  const aliases = versionAliases(versions);
  const bundles = new Map<string, Bundle>();
  const bundle = (version: string): Bundle => {
    const known = bundles.get(version) ?? loadBundle(version);
    bundles.set(version, known);
    return known;
  };
  return {
    versions,
    labels: [...versions, ...Object.keys(aliases)],
    index: asBody({ versions, aliases, bundles: versions.map(rootOf) }),
    resolve: (label) => resolveVersion(label, versions),
    indexOf: (version) => bundle(version).index,
    find(label, path) {
      const version = resolveVersion(label, versions);
      const shipped = shippedPath(path);
      const file = version === undefined ? undefined : bundle(version).files.get(shipped);
      if (version === undefined || file === undefined) return undefined;
      return { ...file, path: `${rootOf(version)}${shipped}`, exact: isExactVersion(label) };
    },
  };
}

/** Where a bundle is served. */
export function rootOf(version: string): string {
  return `/schemas/${version}/`;
}

function loadBundle(version: string): Bundle {
  const files = new Map(
    [...schemaFiles(version)].map(([path, body]) => [path, { body, etag: entityTag(body) }] as const),
  );
  return { files, index: asBody(bundleIndex(version, [...files.keys()])) };
}

/** What is in a bundle: the tasks with their schemas, and the shapes that they share. */
function bundleIndex(version: string, paths: readonly string[]): object {
  const root = rootOf(version);
  const tasks = TASK_NAMES.map((task) => ({
    task,
    ...PROTOCOL_TASKS[task],
    request: `${root}${schemaPath(task, 'request')}`,
    response: `${root}${schemaPath(task, 'response')}`,
  }));
  const core = paths.filter((path) => path.startsWith('core/')).map((path) => `${root}${path}`);
  return { version, tasks, core };
}

function asBody(value: object): TaggedBody {
  const body = Buffer.from(JSON.stringify(value));
  return { body, etag: entityTag(body) };
}
