import type { LocalBundle } from '../../../compliance/bundles/library.ts';
import type { BundleReview } from '../../../compliance/bundles/review.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { counted, listTable, paint, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { READ, withStore } from '../../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';
import type { BundleRow } from './installed.ts';

export default command({
  name: 'show',
  description: 'Show the contents of a bundle, and which parts of it this program cannot evaluate.',
  arguments: [['<version>', 'the bundle: a version or an alias']],
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: (flags, name) =>
    withStore(flags, READ, async ({ records }, config) => {
      const { createBundleLibrary } = await import('../../../compliance/bundles/library.ts');
      const { reviewBundle } = await import('../../../compliance/bundles/review.ts');
      const { bundleRows, installedBundle, isBuiltIn, namedVersion, requireFiles } = await import(
        './installed.ts'
      );
      const version = await namedVersion(records, name);
      if (!isBuiltIn(version)) await requireFiles(await installedBundle(records, version), config.bundles);
      const bundle = await createBundleLibrary(config.bundles).open(version);
      const row = (await bundleRows(records, config.bundles)).find((one) => one.version === version);
      const body = bundleBody(row as BundleRow, bundle, reviewBundle(bundle));
      if (flags.json) printJson(body);
      else printBundle(body);
      return EXIT.ok;
    }),
});

export type BundleBody = ReturnType<typeof bundleBody>;

/** Follows schemas/cli/bundles-show.json. */
export function bundleBody(row: BundleRow, { schemas }: Pick<LocalBundle, 'schemas'>, review: BundleReview) {
  const { storyboards, steps, checks, limitations, missingSchemas, warnings } = review;
  return {
    ...row,
    ...{ storyboards, steps, checks, schemas: schemas?.size ?? 0 },
    limitations,
    missing_schemas: missingSchemas,
    warnings,
  };
}

export function printBundle(body: BundleBody): void {
  const { version, line, vocabulary, stage, aliases, digest, limitations, missing_schemas, warnings } = body;
  printLine(`${paint('bold', version)}: line ${line}, vocabulary ${vocabulary}, stage ${stage}`);
  if (aliases.length > 0) printLine(`  aliases: ${aliases.join(', ')}`);
  const counts = [
    counted(body.storyboards, 'storyboard'),
    counted(body.steps, 'step'),
    counted(body.checks, 'check'),
    counted(body.schemas, 'schema'),
  ];
  printLine(`  ${counts.join(', ')}`);
  printLine(`  digest: ${digest}`);
  if (limitations.length + missing_schemas.length === 0) printLine('  this program can evaluate all of it');
  else {
    printLine('  parts that this program cannot evaluate; they do not count against an agent:');
    printTable(
      ['kind', 'name', 'storyboards', 'reason'],
      [
        ...limitations.map(({ kind, name, reason = '', storyboards: ids }) => [
          WORDS[kind] ?? kind,
          name,
          `${ids.length}`,
          reason,
        ]),
        ...missing_schemas.map(({ schema, storyboards: ids }) => [
          'schema',
          schema,
          `${ids.length}`,
          'the bundle does not contain it',
        ]),
      ],
    );
  }
  if (warnings.length === 0) return;
  printLine('  warnings:');
  printTable(
    ['code', 'files', 'message'],
    warnings.map(({ code, files, message }) => [code, String(files.length), message]),
  );
}

/** Names in the words of docs/reference/storyboards.md. */
const WORDS: Readonly<Record<string, string>> = { gate: 'requirement', member: 'field' };

function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = rows.map((row) => row.map((cell) => visible(cell)));
  for (const line of listTable(headings, shown)) printLine(`    ${line}`);
}
