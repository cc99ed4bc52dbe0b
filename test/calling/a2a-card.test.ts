import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentCard, readCard } from '../../src/calling/a2a-card.ts';
import { createFindings } from '../../src/calling/session.ts';

const AGENT = new URL('https://sales.agents.example/a2a');
const rpc = (url: unknown, protocolVersion?: unknown, protocolBinding: unknown = 'JSONRPC') => ({
  url,
  protocolBinding,
  protocolVersion,
});

function read(card: Record<string, unknown>, agent = AGENT) {
  const findings = createFindings();
  return { ...readCard(card, agent, findings), findings: findings.list() };
}

describe('reading an agent card', () => {
  it.each([
    [
      '0.3',
      { url: 'https://agents.example/rpc' },
      { url: 'https://agents.example/rpc', binding: 'JSONRPC', version: '0.3' },
    ],
    ['0.2', { url: 'https://agents.example/rpc', protocolVersion: '0.2.6' }, { version: '0.3' }],
    ['1.0', { supportedInterfaces: [rpc('https://agents.example/rpc', '1.0')] }, { version: '1.0' }],
    [
      'both',
      {
        supportedInterfaces: [
          rpc('https://a.agents.example/old', '0.3'),
          rpc('https://a.agents.example/new', '1.0'),
        ],
      },
      { url: 'https://a.agents.example/new' },
    ],
    [
      'rest and json-rpc',
      {
        url: 'https://agents.example/rest',
        preferredTransport: 'HTTP+JSON',
        additionalInterfaces: [{ url: 'https://agents.example/rpc', transport: 'JSONRPC' }],
      },
      { url: 'https://agents.example/rpc', binding: 'JSONRPC' },
    ],
    [
      'rest only',
      { supportedInterfaces: [rpc('https://agents.example/rest', '1.0', 'http+json')] },
      { binding: 'HTTP+JSON', version: '1.0' },
    ],
  ])('chooses the interface of a card of version %s', (_name, card, chosen) => {
    expect(read(card)).toMatchObject({ chosen, findings: [] });
  });

  it.each([
    ['another domain', 'https://evil.example/rpc', 'card_url_leaves_domain'],
    ['an address', 'https://127.0.0.1/rpc', 'card_url_leaves_domain'],
    ['plain http', 'http://sales.agents.example/rpc', 'card_url_not_https'],
    ['a file', 'file:///etc/passwd', 'card_url_leaves_domain'],
    ['no url', 'rpc', 'card_url_invalid'],
    ['a number', 7, 'card_url_invalid'],
  ])('does not choose %s', (_name, url, code) => {
    const { chosen, findings } = read({ supportedInterfaces: [rpc(url, '1.0')] });
    expect(chosen).toBeUndefined();
    expect(findings).toMatchObject([{ code, pointer: '/supportedInterfaces/0/url' }]);
  });

  it('never throws, and never leaves the domain, whatever the card holds', () => {
    const hostile = fc.oneof(fc.anything(), fc.constant({ toString: 1, valueOf: 1 }));
    const item = fc.record({
      url: fc.oneof(fc.webUrl(), hostile),
      protocolBinding: hostile,
      protocolVersion: hostile,
      tenant: hostile,
    });
    const card = fc.record({
      name: hostile,
      skills: hostile,
      url: hostile,
      preferredTransport: hostile,
      supportedInterfaces: fc.oneof(hostile, fc.array(item)),
    });
    fc.assert(
      fc.property(card, (value) => {
        isAgentCard(value);
        const { chosen } = read(value);
        expect(chosen === undefined || new URL(chosen.url).hostname.endsWith('agents.example')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
