import { createHash, type Hash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { elements, isObject, type JsonObject, parseObject } from '../../base/json.ts';
import { readYaml } from '../../base/yaml.ts';
import type { Finding } from '../../domain/finding.ts';
import { RegistryError } from '../../errors.ts';

/** What a folder of storyboards holds, before any of it is understood. */
export interface BundleFiles {
  /** Texts of storyboards by their path inside, `/` between its parts. */
  readonly storyboards: ReadonlyMap<string, string>;
  /** Test kits by their path, `test-kits/acme-outdoor.yaml`. */
  readonly kits: ReadonlyMap<string, JsonObject>;
  /** Signed requests that a verifier has to accept or refuse, `positive/001-basic-post`. */
  readonly vectors: ReadonlyMap<string, JsonObject>;
  /** The key set that they are signed with; public, and for tests alone. */
  readonly vectorKeys: readonly unknown[];
  /** What its `index.json` says; `broken` for one that cannot be read. */
  readonly index?: BundleIndex | 'broken';
  /** SHA-256 of all names and texts that were read, `sha256:…`. */
  readonly digest: string;
  readonly findings: readonly { readonly file: string; readonly findings: readonly Finding[] }[];
}

export interface BundleIndex {
  /** Its `adcp_version` as it stands there; empty for what is no text. */
  readonly version?: string;
  /** Its `generated_at`, epoch milliseconds: what lay ahead of it may be past by now. */
  readonly madeAt?: number;
}

/** Of one file. */
export const MAX_STORYBOARD_BYTES = 512 * 1024;
/** A storyboard of 14 KiB has 3,000 parts. */
export const STORYBOARD_BOUNDS = { parts: 60_000, depth: 32 };

/** Of one folder, its storyboards together. What is beyond them is left out and said. */
const MAX_FILES = 2_000;
const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;

const MAX_VECTORS = 200;
const VECTOR_KEYS = 'test-vectors/request-signing/keys.json';
const VECTOR = /^test-vectors\/request-signing\/((?:positive|negative)\/[\w.-]{1,100})\.json$/;

/** Reads the storyboards below a folder and what goes with them, one after the other. Throws `usage` for a folder that cannot be read. */
export async function readBundleFiles(folder: string): Promise<BundleFiles> {
  const names = await namesIn(folder);
  const storyboards = new Map<string, string>();
  const kits = new Map<string, JsonObject>();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of names.filter((name) => /\.ya?ml$/.test(name))) {
    const text = await textOf(join(folder, file));
    if (text === undefined) continue;
    const isKit = file.startsWith('test-kits/');
    if (!isKit && !looksLikeStoryboard(text)) continue;
    bytes += text.length;
    if (storyboards.size + kits.size >= MAX_FILES || bytes > MAX_BUNDLE_BYTES)
      return {
        storyboards,
        kits,
        vectors: new Map(),
        vectorKeys: [],
        digest: `sha256:${hash.digest('hex')}`,
        findings: [{ file, findings: [TOO_MANY] }],
      };
    hash.update(`${file}\0${text}\0`);
    if (!isKit) storyboards.set(file, text);
    else {
      const yaml = readYaml(text, STORYBOARD_BOUNDS);
      if ('value' in yaml && isObject(yaml.value)) kits.set(file, yaml.value);
    }
  }
  const vectors = await readVectors(folder, names, hash);
  const index = names.includes('index.json') ? indexIn(await textOf(join(folder, 'index.json'))) : undefined;
  // of the index what a run depends on: the rest of it says nothing new
  if (index !== undefined) hash.update(`index.json\0${JSON.stringify(index)}\0`);
  return {
    storyboards,
    kits,
    ...vectors,
    ...(index && { index }),
    digest: `sha256:${hash.digest('hex')}`,
    findings: [],
  };
}

function indexIn(text = ''): BundleIndex | 'broken' {
  const index = parseObject(text);
  if (index === undefined) return 'broken';
  const { adcp_version: version, generated_at: generated } = index;
  const madeAt = typeof generated === 'string' ? Date.parse(generated) : Number.NaN;
  return {
    ...(version !== undefined && { version: typeof version === 'string' ? version : '' }),
    ...(Number.isFinite(madeAt) && { madeAt }),
  };
}

async function readVectors(folder: string, names: readonly string[], hash: Hash) {
  const vectors = new Map<string, JsonObject>();
  const read = async (file: string) => {
    const text = (await textOf(join(folder, file))) ?? '';
    hash.update(`${file}\0${text}\0`);
    return parseObject(text);
  };
  for (const file of names) {
    const name = VECTOR.exec(file)?.[1];
    const document = name === undefined || vectors.size >= MAX_VECTORS ? undefined : await read(file);
    if (name !== undefined && document !== undefined) vectors.set(name, document);
  }
  const set = vectors.size > 0 && names.includes(VECTOR_KEYS) ? await read(VECTOR_KEYS) : undefined;
  return { vectors, vectorKeys: elements(set?.keys) };
}

/** True for a YAML file that is something else: the public bundles keep contracts and kits beside the storyboards. */
function looksLikeStoryboard(text: string): boolean {
  return /^phases:/m.test(text) || /^"phases"/m.test(text);
}

const TOO_MANY: Finding = {
  severity: 'error',
  code: 'bundle_too_large',
  pointer: '',
  line: 1,
  column: 1,
  message: `this file and all later ones are skipped: a folder may contain at most ${MAX_FILES} storyboards and ${MAX_BUNDLE_BYTES / 1024 ** 2} MiB`,
  hint: 'split the folder',
};

/** The beginning of a file, one byte more than is read; undefined for what is no file, which might never end. */
async function textOf(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_STORYBOARD_BYTES + 1));
  return buffer.toString('utf8', 0, bytesRead);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names.map((name) => name.replaceAll('\\', '/')).toSorted();
  } catch (cause) {
    throw new RegistryError('usage', `cannot read the storyboard folder ${folder}`, {
      cause,
      hint: 'pass a folder that contains storyboards as YAML files',
    });
  }
}
