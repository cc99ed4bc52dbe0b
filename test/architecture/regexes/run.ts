import { resolve } from 'node:path';
import { regexesInCode, regexesInSchemas } from './collect.ts';
import { slowRegexes } from './judge.ts';

// npm run regexes: every regular expression that may see the text of a stranger takes time in proportion to it.
const ROOT = resolve(import.meta.dirname, '../../..');
const found = [
  ...regexesInCode(ROOT, ['src', 'pipelines', 'reference-agents/src']),
  ...regexesInSchemas(ROOT, 'schemas'),
];
const slow = slowRegexes(found);
for (const { what, places, why } of slow)
  process.stdout.write(`${what}\n  ${why}\n${places.map((place) => `  at ${place}\n`).join('')}`);
process.stdout.write(
  slow.length === 0
    ? `${found.length} regular expressions are linear, or exceptions with their reasons\n`
    : `${slow.length} regular expressions: write them so that nothing can be matched in two ways, or add them to test/architecture/regexes/exceptions.ts with the reason\n`,
);
process.exit(slow.length === 0 ? 0 : 1);
