import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../src/domain/agent-facts.ts';
import { hasAuthority, resolveIdentity } from '../../src/domain/identity.ts';
import { AGENT, brandMention, facts, lastGood, registration } from './support/facts.ts';

/** Everybody says a type of his own, so that the type shows who was heard. */
const OWNER = registration({ proven: true, type: 'creative' });
const REGISTERED = registration({ type: 'sales' });
const OWN_BRAND = brandMention('nova.example', { type: 'signals' });
const OPERATOR = brandMention('house.example', { type: 'governance' });
const STRANGER = brandMention('stranger.example', { type: 'rights' });
const PROBED = lastGood({ inferredType: 'measurement' });

describe('who may say what type an agent is', () => {
  it.each<[string, Partial<AgentFacts>, string, string]>([
    ['nobody says anything', {}, 'unknown', 'inference'],
    ['only its tools speak', { lastGood: PROBED }, 'measurement', 'inference'],
    [
      'a stranger speaks, and its tools',
      { mentions: [STRANGER], lastGood: PROBED },
      'measurement',
      'inference',
    ],
    ['a stranger speaks alone', { mentions: [STRANGER] }, 'unknown', 'inference'],
    [
      'the brand of its own domain beats its tools',
      { mentions: [OWN_BRAND], lastGood: PROBED },
      'signals',
      'brand',
    ],
    [
      'a brand that names its domain as operator',
      { mentions: [OPERATOR], operatorDeclarers: ['house.example'] },
      'governance',
      'brand',
    ],
    [
      'a brand that does not name it any more',
      { mentions: [OPERATOR], lastGood: PROBED },
      'measurement',
      'inference',
    ],
    [
      'its own domain first, then the operator of others',
      { mentions: [OWN_BRAND, OPERATOR], operatorDeclarers: ['house.example'] },
      'signals',
      'brand',
    ],
    [
      'a registration beats every brand',
      { registration: REGISTERED, mentions: [OWN_BRAND], lastGood: PROBED },
      'sales',
      'registration',
    ],
    ['a proven owner is called so', { registration: OWNER, mentions: [OWN_BRAND] }, 'creative', 'owner'],
    [
      'a registration that says no type',
      { registration: registration(), mentions: [OWN_BRAND] },
      'signals',
      'brand',
    ],
    [
      '`unknown` says nothing',
      { registration: registration({ type: 'unknown' }), lastGood: PROBED },
      'measurement',
      'inference',
    ],
    [
      'a failed probe leaves what the brand says',
      { mentions: [OWN_BRAND], lastGood: lastGood() },
      'signals',
      'brand',
    ],
  ])('%s', (_name, given, type, by) => {
    const identity = resolveIdentity(facts(given));
    expect([identity.type, identity.by.type]).toEqual([type, by]);
  });
});

describe('name, description and contact', () => {
  it('come each from the strongest who gives it', () => {
    const identity = resolveIdentity(
      facts({
        registration: registration({ name: 'Nova Sales' }),
        mentions: [
          brandMention('nova.example', {
            name: 'nova',
            description: 'sells screens',
            contact: { email: 'a@nova.example' },
          }),
        ],
        lastGood: lastGood({ name: 'mcp-server 1.0', description: 'a server' }),
      }),
    );
    expect(identity).toMatchObject({
      name: 'Nova Sales',
      description: 'sells screens',
      contact: { email: 'a@nova.example' },
      by: { name: 'registration' },
    });
  });

  it('are never a stranger’s', () => {
    const said = { name: 'Owned', description: 'by me', contact: { email: 'me@stranger.example' } };
    const identity = resolveIdentity(facts({ mentions: [brandMention('stranger.example', said)] }));
    expect(identity).toEqual({
      type: 'unknown',
      name: 'ads.nova.example',
      by: { type: 'inference', name: 'inference' },
    });
  });

  it('fall back to the host with its port', () => {
    expect(resolveIdentity(facts({ agent: 'https://ads.nova.example:8443/mcp' })).name).toBe(
      'ads.nova.example:8443',
    );
  });
});

describe('a house that names the agent’s domain as its operator', () => {
  const house = {
    mentions: [brandMention('house.example', { type: 'rights', description: 'ours' })],
    operatorDeclarers: ['house.example'],
  };

  it('speaks for it while no file on that domain does', () => {
    expect(resolveIdentity(facts(house))).toMatchObject({ type: 'rights', description: 'ours' });
  });

  it('is silent, field by field, once a file on that domain names the agent', () => {
    const own = brandMention('nova.example', { type: 'sales' });
    const identity = resolveIdentity(facts({ ...house, mentions: [own, ...house.mentions] }));
    expect(identity.type).toBe('sales');
    expect(identity).not.toHaveProperty('description');
  });
});

describe('an agent that reports metrics', () => {
  const metrics = { measurement_capabilities: { metrics: [{ metric_id: 'reach', accreditations: [] }] } };

  it('counts as measurement when nobody declares its type, whatever its tools are', () => {
    expect(resolveIdentity(facts({ lastGood: lastGood({ inferredType: 'sales' }, metrics) })).type).toBe(
      'measurement',
    );
  });

  it('stays what somebody with authority declares', () => {
    const declared = facts({ mentions: [OWN_BRAND], lastGood: lastGood({ inferredType: 'sales' }, metrics) });
    expect(resolveIdentity(declared).type).toBe('signals');
  });
});

describe('authority of a brand.json over an agent', () => {
  it.each([
    ['the same host', 'ads.nova.example', [], true],
    ['the registrable domain', 'nova.example', [], true],
    ['a sister under the registrable domain', 'shop.nova.example', [], true],
    ['another domain', 'stranger.example', [], false],
    ['a name that only ends alike', 'supernova.example', [], false],
    ['another domain that names it as operator', 'house.example', ['house.example'], true],
    ['another domain while somebody else names it', 'stranger.example', ['house.example'], false],
  ])('%s', (_name, declarer, operators, expected) => {
    expect(hasAuthority(brandMention(declarer), AGENT, operators)).toBe(expected);
  });

  it('is never an adagents.json’s, not even on the agent’s own domain', () => {
    const mention = brandMention('nova.example', { file: 'adagents' });
    expect(hasAuthority(mention, AGENT, ['nova.example'])).toBe(false);
  });

  it('does not pass between neighbours on a shared hosting domain', () => {
    expect(hasAuthority(brandMention('b.github.io'), 'https://a.github.io/mcp', [])).toBe(false);
  });
});
