import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { listTable, printJson, printLine } from '../../output/print.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import type { BundleRow } from './installed.ts';

export default command({
  name: 'list',
  description: 'List the bundles with their stage, and whether their files are on this machine.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags) =>
    withStore(flags, READ, async ({ records }, config) => {
      const { bundleRows } = await import('./installed.ts');
      const rows = await bundleRows(records, config.bundles);
      if (flags.json) printJson({ bundles: rows });
      else for (const line of listTable(HEADINGS, rows.map(cells))) printLine(line);
      return EXIT.ok;
    }),
});

const HEADINGS = [
  'version',
  'line',
  'vocabulary',
  'stage',
  'aliases',
  'storyboards',
  'digest',
  'files on this machine',
];

const FILES: Readonly<Record<BundleRow['files'], string>> = {
  ok: 'ok',
  built_in: 'built in',
  missing: 'missing: run bundles add',
  incomplete: 'incomplete: run bundles add',
  altered: 'altered: run bundles add',
  other_digest: 'other digest: run bundles add with the same archive as on the other machines',
};

function cells(row: BundleRow): readonly string[] {
  const { version, line, vocabulary, stage, aliases, storyboards, digest, files } = row;
  const start = digest.slice('sha256:'.length).slice(0, 12);
  const names = aliases.length === 0 ? '-' : aliases.join(', ');
  return [version, line, vocabulary, stage, names, String(storyboards ?? '-'), start, FILES[files]];
}
