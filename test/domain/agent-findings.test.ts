import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../src/domain/agent-facts.ts';
import { agentFindings } from '../../src/domain/agent-findings.ts';
import type { Mention } from '../../src/domain/declared-facts.ts';
import { inferType } from '../../src/domain/infer-type.ts';
import { brandMention, facts, lastGood, registration } from './support/facts.ts';

const codesOf = (given: Partial<AgentFacts>, publishers: readonly string[] = []): string[] =>
  agentFindings(facts(given), {
    authorisations: [],
    mentions: given.mentions ?? [],
    agreeing: new Set(publishers),
  }).map((finding) => finding.code);

const own = (type: Mention['type']) => brandMention('nova.example', type === undefined ? {} : { type });
const stranger = (type: Mention['type']) =>
  brandMention('stranger.example', type === undefined ? {} : { type });

const exposing = (...tools: string[]) => ({
  lastGood: lastGood(
    { inferredType: inferType(tools, []) },
    { tools: tools.map((name) => ({ name, description: '' })) },
  ),
});
const SELLS = exposing('get_products');
const SIGNALS = exposing('get_signals');

describe('what does not agree about an agent', () => {
  it.each<[string, Partial<AgentFacts>, readonly string[]]>([
    ['nothing is said', {}, []],
    ['its own brand says what its tools show', { mentions: [own('sales')], ...SELLS }, []],
    [
      'its own brand says otherwise than its tools',
      { mentions: [own('sales')], ...SIGNALS },
      ['type_contradicted'],
    ],
    [
      'a registration says otherwise than its tools',
      { registration: registration({ type: 'creative' }), ...SIGNALS },
      ['type_contradicted'],
    ],
    [
      'it shows what it is declared as, and more',
      { mentions: [own('signals')], ...exposing('get_products', 'get_signals') },
      [],
    ],
    ['its tools show nothing', { mentions: [own('sales')], ...exposing('ping') }, []],
    ['it was never read', { mentions: [own('sales')] }, []],
    ['only its tools speak', SIGNALS, []],
    [
      'a stranger gives it another type',
      { mentions: [stranger('sales')], ...SIGNALS },
      ['claim_without_authority'],
    ],
    ['a stranger happens to be right', { mentions: [stranger('sales')], ...SELLS }, []],
    ['a stranger only names it', { mentions: [stranger(undefined)] }, []],
    [
      'a house that names it as operator gives it a type, and it does not point back',
      { mentions: [stranger('sales')], operatorDeclarers: ['stranger.example'] },
      ['claim_without_authority'],
    ],
    [
      'a house that names it as operator, and that it points back to, gives it a type',
      {
        mentions: [stranger('sales')],
        operatorDeclarers: ['stranger.example'],
        lastGood: lastGood({ brandJsonUrl: 'https://stranger.example/.well-known/brand.json' }),
      },
      [],
    ],
    [
      'a stranger gives it another name',
      { mentions: [brandMention('stranger.example', { name: 'Owned' })] },
      ['claim_without_authority'],
    ],
    [
      'a stranger gives it another contact',
      { mentions: [brandMention('stranger.example', { contact: { email: 'me@stranger.example' } })] },
      ['claim_without_authority'],
    ],
  ])('%s', (_name, given, expected) => {
    expect(codesOf(given)).toEqual(expected);
  });

  it('names the claimant and what it claims', () => {
    const [finding] = agentFindings(facts(), {
      authorisations: [],
      mentions: [stranger('sales')],
      agreeing: new Set(),
    });
    expect(finding).toEqual({
      severity: 'warning',
      code: 'claim_without_authority',
      pointer: '',
      message: 'stranger.example claims that the agent is sales, but is not authoritative for its domain',
      hint: expect.stringContaining('identity.brand_json_url'),
    });
  });
});

describe('publishers that an agent claims', () => {
  const claims = (...domains: string[]) => ({ lastGood: lastGood({ claimedPublisherDomains: domains }) });

  it('are no finding where they authorise it', () => {
    expect(codesOf(claims('a.example', 'b.example'), ['a.example', 'b.example'])).toEqual([]);
  });

  it('are a finding each where they do not', () => {
    const findings = agentFindings(facts(claims('a.example', 'b.example')), {
      authorisations: [],
      mentions: [],
      agreeing: new Set(['a.example']),
    });
    expect(findings.map((finding) => finding.message)).toEqual([
      'the agent claims b.example, but the file of that domain does not authorize it',
    ]);
  });

  it('are bounded: an agent that claims the world gets twenty findings', () => {
    const domains = Array.from({ length: 500 }, (_, index) => `p${index}.example`);
    expect(codesOf(claims(...domains))).toHaveLength(20);
  });
});

describe('what a publisher promises of an agent', () => {
  const promised = (claim: { claimedProtocol?: string; claimedCapabilities?: string[] }, seen: AgentFacts) =>
    agentFindings(seen, {
      authorisations: [{ publisher: 'news.example', ...claim }],
      mentions: [],
      agreeing: new Set(),
    }).map(({ code, message }) => `${code}: ${message}`);
  const tool = (name: string) => ({ name, description: '' });
  const offers = facts({ lastGood: lastGood({}, { tools: [tool('get_products')] }) });

  it.each<[string, Parameters<typeof promised>[0], AgentFacts, readonly string[]]>([
    ['nothing', {}, offers, []],
    ['what it has', { claimedProtocol: 'MCP', claimedCapabilities: ['get_products'] }, offers, []],
    [
      'what it has, by other names of the same tasks',
      { claimedCapabilities: ['get_proto_capabilities', 'get-products'] },
      facts({ lastGood: lastGood({}, { tools: ['get_adcp_capabilities', 'get_products'].map(tool) }) }),
      [],
    ],
    [
      'a task that it lists by a name with hyphens, which no client calls',
      { claimedCapabilities: ['get_products'] },
      facts({ lastGood: lastGood({}, { tools: [tool('get-products')] }) }),
      ['claim_capability_missing: news.example claims tasks that the agent does not list: get_products'],
    ],
    [
      'the name that it lists, whatever that is',
      { claimedCapabilities: ['get-products'] },
      facts({ lastGood: lastGood({}, { tools: [tool('get-products')] }) }),
      [],
    ],
    [
      'what may stand in the part of a list that was cut',
      { claimedCapabilities: ['get_signals'] },
      facts({ lastGood: lastGood({}, { tools: [tool('get_products')], tools_count: 2 }) }),
      [],
    ],
    [
      'another protocol',
      { claimedProtocol: 'a2a' },
      offers,
      ['claim_protocol_differs: news.example claims protocol a2a, but the agent uses mcp'],
    ],
    [
      'a task that it does not list',
      { claimedCapabilities: ['get_products', 'get_signals'] },
      offers,
      ['claim_capability_missing: news.example claims tasks that the agent does not list: get_signals'],
    ],
    ['anything, of an agent never read', { claimedProtocol: 'a2a', claimedCapabilities: ['x'] }, facts(), []],
  ])('%s', (_name, claim, seen, expected) => {
    expect(promised(claim, seen)).toEqual(expected);
  });
});
