import { present } from '../../base/json.ts';
import { RegistryError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import { command } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { conflicting, parsedFlag, textFlag } from '../flags.ts';
import { domainArgument } from '../input/arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { printJson, printLine } from '../output/print.ts';
import { READ, WRITE, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS, type StoreFlags } from '../shared-flags.ts';

export default command({
  name: 'export',
  description:
    'Write an export of the directory, which "serve" offers for download, or the crawled files as WARC.',
  flags: {
    to: textFlag(
      '--to <folder>',
      'folder for the export; older exports in it are deleted (REGISTRY_EXPORTS)',
    ),
    warc: conflicting(
      textFlag('--warc <file>', 'write the crawled files of publishers and brands to this .warc.gz instead'),
      ['to'],
    ),
    domain: parsedFlag('--domain <domain>', 'with --warc: only files of this domain', domainArgument),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry export',
    'agent-registry export --to /var/lib/agent-registry/exports',
    'agent-registry export --warc files.warc.gz --domain news.example',
  ],
  run(flags) {
    if (flags.warc !== undefined) return exportFiles(flags, flags.warc);
    if (flags.domain === undefined) return exportDirectory(flags);
    throw new RegistryError(
      'usage',
      '--domain requires --warc: an export of the directory contains every domain',
      {
        hint: 'remove --domain, or add --warc FILE',
      },
    );
  },
});

interface Flags extends StoreFlags {
  readonly json?: true | undefined;
  readonly to?: string | undefined;
  readonly domain?: string | undefined;
}

function exportDirectory(flags: Flags): Promise<ExitCode> {
  return withStore(flags, WRITE, async ({ records, clock }, config) => {
    const { writeExport } = await import('../../api/export/files.ts');
    const { cursorSecretOf } = await import('../../api/operations/list-agents.ts');
    const { signal, dispose } = onInterrupt();
    using _interrupt = { [Symbol.dispose]: dispose };
    const parts = { records, clock, cursorSecret: await cursorSecretOf(records) };
    const { path, bytes, cursor, counts } = await writeExport(parts, flags.to ?? config.exports, signal);
    if (flags.json) printJson({ path, bytes, cursor, counts });
    else {
      const { agents, publishers, entries } = counts;
      printLine(`${path}: ${agents} agents, ${publishers} publishers, ${entries} entries, ${bytes} bytes`);
    }
    return EXIT.ok;
  });
}

function exportFiles(flags: Flags, path: string): Promise<ExitCode> {
  return withStore(flags, READ, async ({ records, clock }) => {
    const { writeWhole } = await import('../../api/export/files.ts');
    const { warcRecords } = await import('../../api/export/warc.ts');
    const { signal, dispose } = onInterrupt();
    using _interrupt = { [Symbol.dispose]: dispose };
    const counts = { captures: 0, texts: 0, missing: 0 };
    const parts = {
      texts: records.sources,
      version: VERSION,
      now: clock.now(),
      ...present({ domain: flags.domain }),
    };
    await writeWhole(path, warcRecords(parts, counts), signal);
    if (flags.json) printJson({ path, ...counts });
    else {
      const { captures, texts, missing } = counts;
      const gone = missing === 0 ? '' : `; the text of ${missing} responses has been deleted`;
      printLine(`${path}: ${captures} responses with ${texts} texts${gone}`);
    }
    return EXIT.ok;
  });
}
