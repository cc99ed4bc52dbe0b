import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../src/domain/agent-facts.ts';
import { dialledUrl, hasAuthority, operatorNamesOf, resolveIdentity } from '../../src/domain/identity.ts';
import { AGENT, brandMention, facts, lastGood, registration } from './support/facts.ts';

/** Everybody says a type of his own, so that the type shows who was heard. */
const OWNER = registration({ proven: true, type: 'creative' });
const REGISTERED = registration({ type: 'sales' });
const OWN_BRAND = brandMention('nova.example', { type: 'signals' });
const OPERATOR = brandMention('house.example', { type: 'governance' });
const STRANGER = brandMention('stranger.example', { type: 'rights' });
const SISTER = brandMention('a-tenant.nova.example', { type: 'creative' });
const HOUSE_FILE = 'https://house.example/.well-known/brand.json';
const POINTING = lastGood({ inferredType: 'measurement', brandJsonUrl: HOUSE_FILE });
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
      'a brand that names its domain as operator, and that it points back to',
      { mentions: [OPERATOR], operatorDeclarers: ['house.example'], lastGood: POINTING },
      'governance',
      'brand',
    ],
    [
      'a brand that names its domain as operator, and that it does not point back to',
      { mentions: [OPERATOR], operatorDeclarers: ['house.example'], lastGood: PROBED },
      'measurement',
      'inference',
    ],
    [
      'a brand that names its domain as operator, of an agent that was never read',
      { mentions: [OPERATOR], operatorDeclarers: ['house.example'] },
      'unknown',
      'inference',
    ],
    [
      'a brand that it points back to, and that does not name its domain',
      { mentions: [OPERATOR], lastGood: POINTING },
      'measurement',
      'inference',
    ],
    [
      'its own domain first, then the house that it points back to',
      { mentions: [OPERATOR, OWN_BRAND], operatorDeclarers: ['house.example'], lastGood: POINTING },
      'signals',
      'brand',
    ],
    [
      'the house that it points back to before a sister host',
      { mentions: [SISTER, OPERATOR], operatorDeclarers: ['house.example'], lastGood: POINTING },
      'governance',
      'brand',
    ],
    ['its own domain before a sister host', { mentions: [SISTER, OWN_BRAND] }, 'signals', 'brand'],
    ['a sister host, when nobody stronger speaks', { mentions: [SISTER] }, 'creative', 'brand'],
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
  const WHOLE = { name: 'Nova', email: 'a@nova.example', website: 'https://nova.example' };

  it.each(['name', 'email', 'website'])('have no contact without its %s, which clients refuse', (member) => {
    const said = { contact: { ...WHOLE, [member]: undefined } };
    expect(resolveIdentity(facts({ mentions: [brandMention('nova.example', said)] }))).not.toHaveProperty(
      'contact',
    );
  });

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
          brandMention('nova.example', { contact: WHOLE }),
        ],
        lastGood: lastGood({ name: 'mcp-server 1.0', description: 'a server' }),
      }),
    );
    expect(identity).toMatchObject({
      name: 'Nova Sales',
      description: 'sells screens',
      contact: WHOLE,
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

describe('a house that the agent points back to', () => {
  const house = {
    mentions: [brandMention('house.example', { type: 'rights', description: 'ours' })],
    operatorDeclarers: ['house.example'],
    lastGood: POINTING,
  };

  it('speaks for it while no file on the agent’s domain does', () => {
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
  const NAMING = ['house.example', 'www.house.example', 'xn--hser-loa.example'];
  it.each<[string, string, string | undefined, readonly string[], boolean]>([
    ['the same host', 'ads.nova.example', undefined, [], true],
    ['the registrable domain', 'nova.example', undefined, [], true],
    ['a sister under the registrable domain', 'shop.nova.example', undefined, [], true],
    ['another domain', 'stranger.example', undefined, [], false],
    ['a name that only ends alike', 'supernova.example', undefined, [], false],
    ['one that names it, without pointing back', 'house.example', undefined, NAMING, false],
    ['one that is pointed back to, without naming it', 'house.example', HOUSE_FILE, [], false],
    ['both ways', 'house.example', HOUSE_FILE, NAMING, true],
    ['both ways, while somebody else names it', 'stranger.example', HOUSE_FILE, NAMING, false],
    [
      'pointing to another file of the same host',
      'house.example',
      'https://house.example/b.json',
      NAMING,
      true,
    ],
    [
      'pointing with capitals and the root dot',
      'house.example',
      'https://HOUSE.example./b.json',
      NAMING,
      true,
    ],
    ['pointing in its own letters', 'xn--hser-loa.example', 'https://häser.example/b.json', NAMING, true],
    ['pointing to a host below the declarer', 'house.example', 'https://www.house.example/b', NAMING, true],
    [
      'pointing to a host beside the declarer',
      'www.house.example',
      'https://a.house.example/',
      NAMING,
      false,
    ],
    ['pointing to a host above the declarer', 'www.house.example', HOUSE_FILE, NAMING, false],
    ['pointing to another port', 'house.example', 'https://house.example:8443/b.json', NAMING, false],
    ['pointing to what is no URL', 'house.example', 'house.example', NAMING, false],
    ['pointing without TLS', 'house.example', 'http://house.example/b.json', NAMING, false],
  ])('%s', (_name, declarer, brandJsonUrl, operatorDeclarers, expected) => {
    const seen = brandJsonUrl === undefined ? {} : { lastGood: lastGood({ brandJsonUrl }) };
    const say = { agent: AGENT, operatorDeclarers, ...seen };
    expect(hasAuthority(brandMention(declarer), say)).toBe(expected);
  });

  it('is never an adagents.json’s, not even on the agent’s own domain', () => {
    const mention = brandMention('nova.example', { file: 'adagents' });
    expect(hasAuthority(mention, { agent: AGENT, operatorDeclarers: ['nova.example'] })).toBe(false);
  });

  it.each(['github.io', 'workers.dev', 'co.uk'])('does not pass between neighbours below %s', (suffix) => {
    const say = { agent: `https://a.${suffix}/mcp`, operatorDeclarers: [] };
    expect(hasAuthority(brandMention(`b.${suffix}`), say)).toBe(false);
    expect(hasAuthority(brandMention(suffix), say)).toBe(false);
  });
});

describe('the names by which a house may name an agent as its operator', () => {
  it.each<[string, string, readonly string[]]>([
    ['its host and its registrable domain', AGENT, ['ads.nova.example', 'nova.example']],
    ['a host below a private suffix', 'https://a.b.workers.dev/', ['a.b.workers.dev', 'b.workers.dev']],
    ['no public suffix', 'https://github.io/mcp', []],
    ['no suffix with the root dot', 'https://github.io./mcp', []],
  ])('%s', (_name, agent, names) => {
    expect(operatorNamesOf(agent)).toEqual(names);
  });
});

describe('the URL that is dialled', () => {
  const of = (more: Partial<Parameters<typeof dialledUrl>[0]>) => dialledUrl({ ...facts(), ...more });
  const spelt = (declarer: string, declaredUrl: string) => brandMention(declarer, { declaredUrl });
  const OWN = spelt('nova.example', `${AGENT}/`);

  it.each<[string, Parameters<typeof of>[0], string]>([
    ['nobody spells', {}, AGENT],
    ['was declared', { sourceUrl: `${AGENT}/` }, `${AGENT}/`],
    ['a stranger spells in its brand.json', { mentions: [spelt('x.example', `${AGENT}//`)] }, AGENT],
    ['a brand.json of its domain spells', { mentions: [OWN], sourceUrl: `${AGENT}//` }, `${AGENT}/`],
    [
      'its own brand.json and a tenant spell',
      { mentions: [spelt('a-tenant.nova.example', `${AGENT}//`), OWN] },
      `${AGENT}/`,
    ],
    ['is registered', { registeredUrl: `${AGENT}//`, mentions: [OWN] }, `${AGENT}//`],
  ])('of an agent that %s', (_how, more, expected) => {
    expect(of(more)).toBe(expected);
  });

  it.each([
    'https://ads.nova.example/mcp/',
    'https://ads.nova.example/mcp//',
    'https://ads.nova.example/a/../mcp',
    'https://ads.nova.example/a/%2e%2e/mcp',
    'https://ads.nova.example/./mcp',
    'https://ads.nova.example/%6dcp',
    'https://ads.nova.example:443/mcp',
    'HTTPS://ADS.Nova.example/mcp',
    'https://ads.nova.example./mcp',
    'https://ads.nova.example/mcp#tools',
  ])('is the declared one byte for byte: %s', (sourceUrl) => {
    expect(of({ sourceUrl })).toBe(sourceUrl);
  });

  it.each([
    'https://ads.nova.example/mcp?',
    'https://ads.nova.example/mcp?a=1',
    'https://ads.nova.example/other',
    'https://evil.example/mcp',
    'https://ads.nova.example:8443/mcp',
    'http://ads.nova.example/mcp',
    'https://u:p@ads.nova.example/mcp',
    'ads.nova.example/mcp',
    '',
  ])('is never one of another agent, whatever is kept for it: %s', (sourceUrl) => {
    expect(of({ sourceUrl, registeredUrl: sourceUrl, mentions: [spelt('nova.example', sourceUrl)] })).toBe(
      AGENT,
    );
  });
});
