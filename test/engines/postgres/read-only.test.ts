import { describe, expect, it, vi } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { run } from '../../cli/support/cli.ts';
import { domain, NOW } from '../../contract/records-fixtures.ts';
import { ask } from '../migrate/support.ts';
import { freshDatabase } from '../support/engines.ts';

/** So that whoever is connected comes anew, with the settings of now. */
const OTHERS_END =
  'SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
const PATIENCE = { timeout: 50_000 };

describe('a command that only reads', () => {
  it('makes no tables in an empty database', async () => {
    const url = await freshDatabase();
    const { code, stderr } = await run('members', 'list', '--store', url);
    expect([code, stderr]).toEqual([3, expect.stringContaining('no store at')]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  it('cannot write, whatever its code tries', async () => {
    const url = await freshDatabase();
    await (await openPostgresRecords({ url })).close();
    const reader = await openPostgresRecords({ url, readOnly: true });
    await expect(reader.sources.add([domain('a.example')], NOW)).rejects.toMatchObject({
      code: 'store_unwritable',
      message: expect.stringContaining('25006'),
    });
    await reader.check();
    await reader.close();
  });

  it('refuses the tables of an earlier release', async () => {
    const url = await freshDatabase();
    await ask(url, 'CREATE TABLE registry_schema (version BIGINT NOT NULL)');
    const { code, stderr } = await run('members', 'list', '--store', url);
    expect([code, stderr]).toEqual([3, expect.stringContaining('was written by an earlier version')]);
  });
});

describe('records that cannot be written for the moment', () => {
  it('are read, say so, and say so no more once a write has succeeded', async () => {
    const url = await freshDatabase();
    const records = await openPostgresRecords({ url });
    const name = new URL(url).pathname.slice(1);
    const write = (key: string) => records.sources.add([domain(key)], NOW);
    await records.checkRoom();
    await ask(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await ask(url, OTHERS_END);
    const refused = { code: 'store_unwritable' };
    await vi.waitFor(() => expect(write('a.example')).rejects.toMatchObject(refused), PATIENCE);
    await records.check();
    await expect(records.checkRoom()).rejects.toMatchObject({ code: 'store_unwritable' });
    await ask(`${url}?options=-c%20default_transaction_read_only%3Doff`, `ALTER DATABASE ${name} RESET ALL`);
    await ask(url, OTHERS_END);
    await vi.waitFor(() => write('a.example'), PATIENCE);
    await records.checkRoom();
    await records.close();
  });
});
