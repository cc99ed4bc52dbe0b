import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { API_SCOPES } from '../../src/domain/api-scope.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const rows = readFileSync(join(ROOT, 'docs/operating/members.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'));

interface Described {
  readonly operationId?: string;
  readonly security?: readonly { readonly apiKey?: readonly string[] }[];
}

it.each(API_SCOPES.filter((scope) => scope !== 'read'))('names what needs the scope %s', (scope) => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'test/golden/openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  const needing = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ security = [] }) => security.some(({ apiKey = [] }) => apiKey.includes(scope)))
    .map(({ operationId }) => operationId);
  const named = rows.filter((row) => row.startsWith(`| \`${scope}\` |`)).join();
  const words = [...named.matchAll(/`(\w+)`/g)].map(([, word]) => word).filter((word) => word !== scope);
  expect(words.toSorted()).toEqual(needing.toSorted());
});

it('names every action of the audit log', () => {
  const folders = ['src', 'pipelines'].map((folder) => join(ROOT, folder));
  const texts = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  const actions = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/\baction: '([a-z]+\.[a-z_]+)'/g)].map(([, action = '']) => action),
    ),
  );
  expect(actions.size).toBeGreaterThan(20);
  const table = rows.join();
  expect([...actions].filter((action) => !table.includes(`\`${action}\``))).toEqual([]);
});
