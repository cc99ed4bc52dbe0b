import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { tempFolder } from '../../../cli/support/cli.ts';

type Files = Readonly<Record<string, string>>;

const CAPABILITIES = `id: capabilities
title: Capabilities
track: core
phases:
  - id: p
    steps:
      - id: ask
        task: get_adcp_capabilities
        response_schema_ref: protocol/get-adcp-capabilities-response.json
        validations:
          - {check: response_schema}
          - {check: smells_good}
`;

/** A small bundle of the public vocabulary, by its paths inside. */
export const BUNDLE: Files = {
  'compliance/index.json': '{"adcp_version": "3.7.1"}',
  'compliance/universal/capabilities.yaml': CAPABILITIES,
  'compliance/universal/errors.yaml':
    'id: errors\ntitle: Errors\ntrack: core\nphases:\n  - {id: p, steps: [{id: s, task: get_products}]}\n',
  'schemas/protocol/get-adcp-capabilities-response.json':
    '{"$id": "/schemas/3.7.1/protocol/get-adcp-capabilities-response.json", "type": "object", "required": ["adcp"]}',
};

/** The bundle with other files; `null` leaves one out. */
export function bundleWith(changes: Readonly<Record<string, string | null>> = {}): Files {
  const files = Object.entries({ ...BUNDLE, ...changes });
  return Object.fromEntries(files.filter((file): file is [string, string] => file[1] !== null));
}

/** The same bundle as version 3.7.2. */
export const NEXT = bundleWith({ 'compliance/index.json': '{"adcp_version": "3.7.2"}' });

/** Writes the files into a new folder. */
export function folderOf(files: Files): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export type TarEntry = readonly [header: (Partial<Header> & Pick<Header, 'name'>) | string, text?: string];

/** The bytes of a tar. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const packed = pack();
  for (const [header, text = ''] of entries)
    packed.entry(typeof header === 'string' ? { name: header } : header, text);
  packed.finalize();
  return buffer(packed);
}

/** Writes bytes to a file, `bundle.tgz`. */
export function fileOf(bytes: Buffer, name = 'bundle.tgz'): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** An archive of the files below one folder, with further entries. */
export async function archiveOf(
  files: Files = BUNDLE,
  more: readonly TarEntry[] = [],
  top = 'adcp-3.7.1/',
): Promise<string> {
  const entries = Object.entries(files).map(([name, text]) => [`${top}${name}`, text] as const);
  return fileOf(gzipSync(await tarOf([...entries, ...more])));
}
