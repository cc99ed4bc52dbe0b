import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from '../../src/api/export/files.ts';
import { warcRecords } from '../../src/api/export/warc.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import { PYTHON } from './install.ts';
import type { Row } from './peer.ts';

const FILE = { authorized_agents: [{ url: 'https://a.example/mcp', authorized_for: 'x' }] };
/** Reads every record with warcio, and checks every digest: what it exits with is the verdict. */
const CHECK = [
  'import sys',
  'from warcio.checker import Checker',
  'from warcio.archiveiterator import ArchiveIterator',
  'class Asked: inputs = [sys.argv[1]]; verbose = False',
  'print([record.rec_type for record in ArchiveIterator(open(sys.argv[1], "rb"))])',
  'sys.exit(Checker(Asked).process_all())',
].join('\n');
const WANTED = "['warcinfo', 'resource', 'metadata', 'revisit', 'metadata']";

/** The archive of files, read by the field's own reader of such archives. */
export async function runArchive(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'peers-archive-'));
  const path = join(folder, 'files.warc.gz');
  const records = await openSqliteRecords({ path: ':memory:' });
  try {
    for (const domain of ['news.example', 'shop.example']) await publish(records, domain, FILE);
    const counts = { captures: 0, texts: 0, missing: 0 };
    await writeWhole(path, warcRecords({ texts: records.sources, version: '0.1.0', now: NOW }, counts));
    const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', CHECK, path], { encoding: 'utf8' });
    const right = status === 0 && stdout.trim() === WANTED;
    const verdict = right ? 'every digest passes' : `${status}: ${stdout}${stderr}`;
    return [{ client: 'warcio', transport: 'file', task: 'export --warc', verdict, right }];
  } finally {
    await records.close();
    rmSync(folder, { recursive: true });
  }
}
