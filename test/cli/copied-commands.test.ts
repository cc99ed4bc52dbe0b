import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run, tempFolder } from './support/cli.ts';

it('puts the address of an agent into a command so that a shell does nothing with it', async () => {
  const store = ['--store', `sqlite:${join(tempFolder(), 'store.sqlite')}`];
  const agent = 'https://a.example/mcp?q=$(touch$IFS/tmp/x);id';
  const word = `'${agent}'`;
  const members = join(tempFolder(), 'members.json');
  writeFileSync(members, JSON.stringify([{ slug: 'nova', display_name: 'Nova' }]));
  await run('members', 'import', members, ...store);
  const challenge = await run('agents', 'challenge', agent, '--member', 'nova', ...store);
  expect(challenge.stderr).toContain(`agent-registry agents register ${word} --member nova`);
  await run('agents', 'register', agent, '--member', 'nova', ...store);
  const asked = await run('runs', 'start', agent, ...store);
  expect(asked.stderr).toContain(`agent-registry check ${word} --record`);
  const explained = await run('explain', agent, ...store);
  expect(explained.stdout).toContain(`agent-registry agents challenge ${word} --member`);
});
