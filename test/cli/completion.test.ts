import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { start } from './support/cli.ts';

const completed = async (...words: readonly string[]) => {
  const { stdout } = await start(['complete', '--', ...words]).ended;
  return stdout.split('\n').map((line) => line.split('\t')[0]);
};

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await start(['completion', shell]).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('agent-registry complete --');
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout });
  });

  it('says what it can print a script for', async () => {
    const { code, stderr } = await start(['completion', 'tcsh']).ended;
    expect([code, stderr]).toEqual([2, expect.stringMatching(/zsh, bash, fish/)]);
  });

  it('knows commands, those below them, flags and the words of a flag', async () => {
    expect(await completed('cr')).toContain('crawl');
    expect(await completed('')).toEqual(expect.arrayContaining(['init', 'audit', 'completion']));
    expect(await completed('keys', '')).toEqual(expect.arrayContaining(['create', 'rotate']));
    expect(await completed('crawl', '--')).toEqual(expect.arrayContaining(['--due', '--progress']));
    expect(await completed('crawl', '--progress', '')).toEqual(expect.arrayContaining(['plain', 'json']));
  });
});
