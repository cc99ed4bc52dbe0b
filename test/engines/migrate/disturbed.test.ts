import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run, start } from '../../cli/support/cli.ts';
import { freshDatabase } from '../support/engines.ts';
import { ask, emptyStore, madeStore, migrate } from './support.ts';

describe('a move that is disturbed', () => {
  /** Large enough that a command can be met in the middle of it. */
  const large = () =>
    madeStore((database) => {
      database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
        INSERT INTO capture (source, at, last_seen_at, requested_url, duration_ms, error_detail)
        SELECT i, i, i, 'https://a.example/' || i, 1, hex(randomblob(100)) FROM n`);
    });
  const NOBODY =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-registry'";

  it('by kill -9 leaves the target empty, and runs to its end the next time', async () => {
    const [path, url] = [await large(), await freshDatabase()];
    const first = start(['migrate', '--from', `sqlite:${path}`, '--to', url, '--yes']);
    await first.until('stderr', /^[1-9]\d* of \d+ rows copied/m);
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBeNull();
    await vi.waitFor(async () => expect(await ask(url, NOBODY)).toEqual([]), {
      timeout: 50_000,
      interval: 100,
    });
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect((await migrate(path, url, '--yes')).code).toBe(0);
    expect(await ask(url, 'SELECT count(*)::int AS n FROM capture')).toEqual([{ n: 200_000 }]);
  });

  it('by an interrupt stops cleanly; meanwhile others can read the source and not write to it', async () => {
    const [path, url] = [await large(), await freshDatabase()];
    const first = start(['migrate', '--from', `sqlite:${path}`, '--to', url, '--yes']);
    await first.until('stderr', /^[1-9]\d* of \d+ rows copied/m);
    first.child.kill('SIGSTOP'); // it holds its locks for as long as this test looks
    onTestFinished(() => void first.child.kill('SIGCONT'));
    const writing = await run('prune', '--store', `sqlite:${path}`);
    expect([writing.code, writing.stderr]).toEqual([
      3,
      expect.stringContaining('is locked by another process'),
    ]);
    expect((await migrate(path, await freshDatabase())).code).toBe(0); // a plan only reads
    const second = await migrate(await emptyStore(), url, '--yes');
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('another process is filling')]);
    first.child.kill('SIGCONT');
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped; the target is still empty/)]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});
