import { expect, it } from 'vitest';
import { namerOf } from '../../src/domain/source.ts';

it.each([
  ['news.example adagents', 'news.example'],
  ['h1.evil.example brand', 'evil.example'],
  ['agent_claim https://a7.evil.example/mcp', 'evil.example'],
  ['member acme', 'member acme'],
  ['operator', 'operator'],
])('behind %s is %s', (foundVia, namer) => {
  expect(namerOf(foundVia)).toBe(namer);
});
