import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DIFFERENCES } from '../peers/differences.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/reference/peers.md'), 'utf8');

it('the page of the clients has every difference, and no other', () => {
  const rows = page.split('\n').filter((line) => /^\| `(javascript|python)` \| (mcp|a2a) \|/.test(line));
  expect(rows).toEqual(
    DIFFERENCES.map(
      ({ client, transport, shows, text }) => `| \`${client}\` | ${transport} | ${shows} | ${text} |`,
    ),
  );
});

it('the page of the clients has the versions that the locks install', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'test/peers/package.json'), 'utf8'));
  const python = /^adcp==(\S+)/m.exec(readFileSync(join(ROOT, 'test/peers/requirements.txt'), 'utf8'))?.[1];
  expect(page).toContain(`| \`@adcp/sdk\` from npm | ${dependencies['@adcp/sdk']} |`);
  expect(page).toContain(`| \`adcp\` from PyPI | ${python} |`);
});
