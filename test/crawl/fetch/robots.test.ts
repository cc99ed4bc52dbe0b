import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseRobots, robotsAllow } from '../../../src/crawl/fetch/robots.ts';

const US = 'agent-registry';

function allows(text: string, path: string): boolean {
  return robotsAllow(parseRobots(text, US), path);
}

describe('only groups that name us count', () => {
  it.each([
    ['User-agent: *\nDisallow: /', true],
    ['User-agent: agent-registry\nDisallow: /', false],
    ['user-AGENT :  Agent-Registry/0.1 # us\nDISALLOW: /', false],
    ['User-agent: *\nUser-agent: agent-registry\nDisallow: /', false],
    ['User-agent: agent-registry\nUser-agent: *\nDisallow: /', false],
    ['User-agent: agent-registry\n\nSitemap: x\nDisallow: /', false],
    ['\uFEFFUser-agent: agent-registry\rDisallow: /', false],
    ['User-agent: agent-registry-two\nDisallow: /', true],
    ['User-agent: agent\nDisallow: /', true],
    ['User-agent: agent-registry\nAllow: /x\nUser-agent: *\nDisallow: /', true],
    ['User-agent: other\nDisallow: /\nUser-agent: agent-registry\nDisallow: /private', true],
    ['User-agent: agent-registry\nDisallow: /a\n\nUser-agent: agent-registry\nDisallow: /.well-known', false],
    ['User-agent: agent-registry\nDisallow:', true],
    ['# agent-registry', true],
    ['<html>agent-registry</html>', true],
    ['', true],
  ])('%j', (text, allowed) => {
    expect(allows(text, '/.well-known/adagents.json')).toBe(allowed);
  });
});

describe('the longest pattern decides, allow wins a draw', () => {
  it.each([
    [['Disallow: /', 'Allow: /.well-known/'], '/.well-known/adagents.json', true],
    [['Allow: /', 'Disallow: /.well-known/'], '/.well-known/adagents.json', false],
    [['Disallow: /page', 'Allow: /page'], '/page', true],
    [['Disallow: /*.json'], '/.well-known/adagents.json', false],
    [['Disallow: /*.json$'], '/a.json?x=1', true],
    [['Disallow: /*.json$'], '/a.json', false],
    [['Disallow: /a*b*c'], '/axxbyyc/d', false],
    [['Disallow: /a*b*c$'], '/axxbyyc/d', true],
    [['Disallow: /a$'], '/ab', true],
    [['Disallow: /a$'], '/a', false],
    [['Disallow: /a$b'], '/a$b', false],
    [['Disallow: /*a*a$'], '/a', true],
    [['Disallow: /%7ejoe'], '/%7Ejoe/x', false],
    [['Disallow: /bücher'], '/b%C3%BCcher', false],
    [['Disallow: /x?y='], '/x?y=1', false],
  ])('%j for %s', (rules, path, allowed) => {
    expect(allows(['User-agent: agent-registry', ...rules].join('\n'), path)).toBe(allowed);
  });
});

describe('the crawl delay of our groups', () => {
  it.each([
    ['User-agent: agent-registry\nCrawl-delay: 2.5', 2_500],
    ['User-agent: agent-registry\nCrawl-delay: 86400', 30_000],
    ['User-agent: agent-registry\nCrawl-delay: soon', undefined],
    ['User-agent: agent-registry\nCrawl-delay: -1', undefined],
    ['User-agent: *\nCrawl-delay: 5\nUser-agent: agent-registry\nDisallow: /x', undefined],
  ])('%j', (text, ms) => {
    expect(parseRobots(text, US).crawlDelayMs).toBe(ms);
  });
});

test('what any text says is plain data that survives JSON', () => {
  const line = fc.constantFrom(
    'User-agent: agent-registry',
    'User-agent: *',
    'Disallow: /a*',
    'Allow: /',
    'Crawl-delay: 3',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string())), fc.string(), (lines, path) => {
      const rules = parseRobots(lines.join('\n'), US);
      const copy = JSON.parse(JSON.stringify(rules)) as typeof rules;
      expect(robotsAllow(copy, path)).toBe(robotsAllow(rules, path));
    }),
  );
});
