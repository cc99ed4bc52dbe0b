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
    expect(await completed('search', '--type', 'sa')).toContain('sales');
  });

  // zsh and fish put the flag before each of them themselves
  it.each([
    { asked: ['search', '--verif'], offers: '--verified' },
    { asked: ['search', '--type=sa'], offers: 'sales' },
    { asked: ['search', '--health', '--compliance-status', 'pa'], offers: 'passing' },
    { asked: ['search', '--type', 'sales', '--has'], offers: '--has-tmp' },
  ])('offers $offers for the filters $asked', async ({ asked, offers }) => {
    expect(await completed(...asked)).toContain(offers);
  });

  it('works in a bash without the package bash-completion, also behind an address', async () => {
    const { stdout } = await start(['completion', 'bash']).ended;
    // asked for what, and what is offered of `sales` and `signals`
    const press = (line: string) => {
      const asked = `exec 3>&1
agent-registry() { printf '%s|' "$@" >&3; printf 'sales\\tthey sell\\nsignals\\n:4'; }
compopt() { :; }
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}
__agent_registry_complete; echo " \${COMPREPLY[*]}"`;
      return execFileSync('bash', ['--norc', '-c', `${stdout}\n${asked}`], { encoding: 'utf8' }).trim();
    };
    expect(press('agent-registry search --type sa')).toBe('complete|--|search|--type|sa| sales');
    expect(press('agent-registry show https://a.example/mcp ')).toBe(
      'complete|--|show|https://a.example/mcp|| sales signals',
    );
  });
});
