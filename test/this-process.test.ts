import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Holder,
  hasEnded,
  holderName,
  holderOf,
  holderText,
  isAtWorkElsewhere,
  nameOfHolder,
} from '../src/this-process.ts';

const us = holderOf(holderName()) as Holder;
const like = (over: Partial<Holder>) => nameOfHolder({ ...us, ...over });
const dead = () => like({ pid: spawnSync(process.execPath, ['-e', '']).pid });

/** The name that another living process has for itself. */
async function another(): Promise<string> {
  const module = join(import.meta.dirname, '../src/this-process.ts');
  const code = `import { holderName } from ${JSON.stringify(module)}; console.log(holderName()); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [name] = (await once(child.stdout, 'data')) as [Buffer];
  return name.toString().trim();
}

describe('a process of this machine', () => {
  it('has ended when it is gone, or its number is that of another one now', async () => {
    expect(hasEnded(dead())).toBe(true);
    expect(hasEnded(like({ started: '1' }))).toBe(true);
    expect(hasEnded(holderName())).toBe(false);
    expect(hasEnded(await another())).toBe(false);
  });

  it('says nothing of a process of another machine, boot or container', () => {
    expect(hasEnded(dead().replace(/[^/]*$/, 'another-place'))).toBe(false);
    expect(hasEnded(like({ host: 'other-host', pid: 1 }))).toBe(false);
    for (const odd of ['', 'somebody', 'a/b/c', '//', 'a/b/c/d', 'a/1/2/3/4'])
      expect(hasEnded(odd)).toBe(false);
  });

  it('is told from one that works elsewhere', async () => {
    expect(isAtWorkElsewhere(holderName())).toBe(false);
    expect(isAtWorkElsewhere(await another())).toBe(true);
    expect(isAtWorkElsewhere(like({ host: 'other-host' }))).toBe(true);
    expect(isAtWorkElsewhere(dead())).toBe(false);
  });

  it('does not take for alive what a restart of its host or container has ended, whoever has the number now', () => {
    expect(isAtWorkElsewhere(like({ place: 'before', pid: process.ppid }))).toBe(false);
    expect(isAtWorkElsewhere(like({ started: '1' }))).toBe(false);
    expect(isAtWorkElsewhere(`${us.host} ${process.ppid}`)).toBe(false);
  });
});

describe('the name of a holder', () => {
  it('is shown by machine and process', () => {
    expect(holderText('db1/4711/998/0123456789ab')).toBe('process 4711 on db1');
    expect(holderText('somebody')).toBe('somebody');
  });
});
