import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_TIMETABLE, parseTimetable } from '../../src/cli/commands/schedule/timetable.ts';
import { run, tempFolder } from './support/cli.ts';

describe('the commands of the job queue', () => {
  it.each(['schedule', 'work'])(
    '%s says that it needs PostgreSQL, and what does without',
    async (command) => {
      const path = join(tempFolder(), 'store.sqlite');
      const { code, stderr } = await run(command, '--store', `sqlite:${path}`);
      expect(code).toBe(2);
      expect(stderr).toContain('requires a PostgreSQL store');
      expect(stderr).toContain('REGISTRY_STORE=postgres://');
      expect(stderr).toContain('agent-registry crawl --due');
    },
  );

  it.each(['', 'crawl,', 'crawl,dance', 'all'])('work refuses the kinds %j', async (kinds) => {
    const { code, stderr } = await run('work', '--kinds', kinds);
    expect(code).toBe(2);
    expect(stderr).toContain('crawl, probe, heartbeat, index, prune');
  });

  it('schedule refuses a file that is not as the schema says, with the place', async () => {
    const file = join(tempFolder(), 'schedule.yaml');
    writeFileSync(file, 'crawl: always\nprune: daily\n');
    vi.stubEnv('REGISTRY_SCHEDULE', file);
    const { code, stderr } = await run('schedule', '--store', 'postgres://registry@127.0.0.1:1/registry');
    vi.unstubAllEnvs();
    expect(code).toBe(1);
    expect(stderr).toContain('is not a valid schedule file');
    expect(stderr).toContain('line 2');
  });
});

describe('a schedule file', () => {
  it('changes what it names and leaves the rest', () => {
    expect(parseTimetable('probe: off\ncrawl: "*/5 22-23 * * *"', 'a.yaml')).toEqual({
      ...DEFAULT_TIMETABLE,
      probe: 'off',
      crawl: { cron: '*/5 22-23 * * *' },
    });
    expect(parseTimetable('{}', 'a.json')).toEqual(DEFAULT_TIMETABLE);
  });

  it.each(['index: sometimes', 'prune: always', 'crawl: "* * * *"', 'dance: always'])(
    'refuses %j',
    (text) => {
      expect(() => parseTimetable(text, 'a.yaml')).toThrow(
        expect.objectContaining({ code: 'input_invalid' }),
      );
    },
  );
});
