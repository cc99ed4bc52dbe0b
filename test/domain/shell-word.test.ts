import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAgentUrl } from '../../src/domain/agent-url.ts';
import { shellWord } from '../../src/domain/shell-word.ts';

it('leaves an address alone that a shell takes as it is', () => {
  expect(shellWord('https://sales.nova.example:8443/a/b-c_d~')).toBe(
    "'https://sales.nova.example:8443/a/b-c_d~'",
  );
  expect(shellWord('https://sales.nova.example:8443/a%20b/c.d')).toBe(
    'https://sales.nova.example:8443/a%20b/c.d',
  );
});

it('is one word for a shell, whatever the address of an agent holds', () => {
  const unit = fc.constantFrom(...'ab19-._~!$&\'()*+,;=:@/?%"`|<>\\{}[]#');
  const addresses = fc.array(
    fc.string({ unit, maxLength: 40 }).map((path) => `https://a.example/${path}`),
    { minLength: 200, maxLength: 200 },
  );
  fc.assert(
    fc.property(addresses, (texts) => {
      const agents = texts.flatMap((text) => {
        const parsed = parseAgentUrl(text);
        return parsed.ok ? [parsed.url] : [];
      });
      const script = `printf '%s\\n' ${agents.map(shellWord).join(' ')}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n')).toEqual([...agents, '']);
    }),
    { numRuns: 5 },
  );
});
