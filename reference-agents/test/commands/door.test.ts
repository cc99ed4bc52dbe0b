import { expect, it } from 'vitest';
import { run } from '../../../test/cli/support/cli.ts';

it.each([
  ['sandbox', '--port'],
  ['campaign', '--budget'],
  ['approvals', 'approve'],
])('the program of the checkout has %s with its own help', async (name, flag) => {
  const { code, stdout, stderr } = await run(name, '--help');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Usage: agent-registry ${name}`);
  expect(stdout).toContain(flag);
});
