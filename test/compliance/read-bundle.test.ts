import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { tempFolder } from '../cli/support/cli.ts';

function bundleWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const board = (id: string, more = '') =>
  `id: ${id}\ntitle: ${id}\ntrack: core\n${more}phases:\n  - {id: p, steps: [{id: s, task: get_products}]}\n`;

describe('reading a bundle', () => {
  it('knows by the folder for whom a storyboard is', async () => {
    const folder = bundleWith({
      'universal/a.yaml': board('a'),
      'protocols/media-buy/index.yaml': board('b'),
      'protocols/media-buy/scenarios/c.yaml': board('c'),
      'specialisms/sales-guaranteed/index.yaml': board('sales_guaranteed'),
      'lonely.yml': board('d'),
    });
    const { storyboards } = await readBundle(folder);
    const groups = Object.fromEntries(storyboards.map(({ storyboard, group }) => [storyboard.id, group]));
    expect(groups).toEqual({
      a: { kind: 'universal' },
      b: { kind: 'baseline', protocol: 'media_buy' },
      c: { kind: 'scenario' },
      d: { kind: 'universal' },
      sales_guaranteed: { kind: 'specialism', specialism: 'sales_guaranteed' },
    });
  });

  it('leaves other YAML files alone, and the rest whole when one file is broken', async () => {
    const folder = bundleWith({
      'universal/a.yaml': board('a'),
      'universal/broken.yaml': board('b').replace('title: b', 'title: [b'),
      'test-kits/kit.yaml': 'auth: {api_key: x}\n',
    });
    const { storyboards, findings } = await readBundle(folder);
    expect(storyboards.map(({ storyboard }) => storyboard.id)).toEqual(['a']);
    expect(findings.map(({ file }) => file)).toEqual(['universal/broken.yaml']);
  });

  it('runs a storyboard after those that it needs', async () => {
    const folder = bundleWith({
      'universal/a.yaml': board('a', 'prerequisites: [z]\n'),
      'universal/z.yaml': board('z'),
    });
    const { storyboards } = await readBundle(folder);
    expect(storyboards.map(({ storyboard }) => storyboard.id)).toEqual(['z', 'a']);
  });

  it('leaves out storyboards that need each other in a circle, and a second one of the same name', async () => {
    const folder = bundleWith({
      'universal/a.yaml': board('a', 'prerequisites: [b]\n'),
      'universal/b.yaml': board('b', 'prerequisites: {storyboards: [a]}\n'),
      'universal/c.yaml': board('c', 'prerequisites: [nowhere]\n'),
      'universal/d.yaml': board('c'),
    });
    const { storyboards, findings } = await readBundle(folder);
    expect(storyboards.map(({ file }) => file)).toEqual(['universal/c.yaml']);
    expect(
      findings.flatMap((one) => one.findings.map(({ code }) => `${one.file} ${code}`)).toSorted(),
    ).toEqual([
      'universal/a.yaml prerequisite_cycle',
      'universal/b.yaml prerequisite_cycle',
      'universal/c.yaml storyboard_unknown',
      'universal/d.yaml duplicate_id',
    ]);
  });

  it('says which folder cannot be read', async () => {
    await expect(readBundle('/nowhere/at/all')).rejects.toMatchObject({ code: 'usage' });
  });
});
