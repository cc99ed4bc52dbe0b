import { describe, expect, it } from 'vitest';
import { ardLink } from '../../src/discovery/ard-link.ts';

const PAGE = 'https://acme.example/';
const linked = (html: string) => ardLink(new TextEncoder().encode(html), PAGE);

describe('the entries that a page links', () => {
  it.each([
    ['<head><link rel="ard" href="/agents/ard.json"></head>', 'https://acme.example/agents/ard.json'],
    ['<link href=a.json rel=ARD>', 'https://acme.example/a.json'],
    ['<LINK REL="alternate ard" HREF="https://cdn.example/a?x=1#y"/>', 'https://cdn.example/a?x=1'],
    ['<base href="https://b.example/c/"><link rel="ard" href="a">', 'https://b.example/c/a'],
    ['<link rel="ard" href="a"><link rel="ard" href="b">', 'https://acme.example/a'],
    ['<link rel="ard" href="/a?b=1&amp;c=2">', 'https://acme.example/a?b=1&c=2'],
    ['<!-- <link rel="ard" href="x"> --><title><link rel="ard" href="y"></title>', undefined],
    ['<script>"<link rel=ard href=x>"</script>', undefined],
    ['<head></head><link rel="ard" href="x">', undefined],
    ['<body><link rel="ard" href="x">', undefined],
    ['<link rel="ard">', undefined],
    ['<link rel="ard-other" href="x">', undefined],
    ['<link rel="ard" href="http://acme.example/a">', undefined],
    ['<link rel="ard" href="javascript:0">', undefined],
    ['<link rel="ard" href="https://user:secret@acme.example/a">', undefined],
    ['<link rel="ard" href="https://[">', undefined],
    [`${' '.repeat(70_000)}<link rel="ard" href="x">`, undefined],
    ['{"entries": []}', undefined],
    ['', undefined],
  ])('%s', (html, expected) => {
    expect(linked(html)).toBe(expected);
  });

  it('are looked for in a time that grows with the page alone', () => {
    for (const part of ['<link rel="ard" ', '<', '<base href=', '<!--', '&amp;', '<title>', '"'])
      expect(linked(part.repeat(10_000))).toBeUndefined();
  });
});
