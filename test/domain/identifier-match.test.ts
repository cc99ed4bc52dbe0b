import { expect, test } from 'vitest';
import { identifierCovers } from '../../src/domain/domain-name.ts';

test.each([
  ['example.com', 'example.com', true],
  ['example.com', 'www.example.com', true],
  ['example.com', 'm.example.com', true],
  ['example.com', 'shop.example.com', false],
  ['example.com', 'notexample.com', false],
  ['example.com', 'www.notexample.com', false],
  ['example.co.uk', 'www.example.co.uk', true],
  ['sub.example.com', 'sub.example.com', true],
  ['sub.example.com', 'www.sub.example.com', false],
  ['sub.example.com', 'example.com', false],
  ['www.example.com', 'example.com', false],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', '.example.com', false],
  ['*.example.com', 'badexample.com', false],
])('%s covers %s: %s', (identifier, host, covers) => expect(identifierCovers(identifier, host)).toBe(covers));
