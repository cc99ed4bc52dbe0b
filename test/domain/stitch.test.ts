import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../src/domain/agent-facts.ts';
import { NEVER_TESTED } from '../../src/domain/compliance.ts';
import { DECLARATION_GRACE_MS, stitchAgent } from '../../src/domain/stitch.ts';
import { AGENT, brandMention, facts, lastGood, registration, SEEN_AT } from './support/facts.ts';

const DAY = 24 * 3_600_000;

describe('whether an agent is listed', () => {
  it.each<[string, Partial<AgentFacts>, number, boolean, number | undefined]>([
    ['while a file names it', {}, 400 * DAY, true, undefined],
    [
      'while it is registered, though no file names it',
      { declared: false, registration: registration() },
      400 * DAY,
      true,
      undefined,
    ],
    [
      'in the grace after its last declaration',
      { declared: false, declarationEndedAt: SEEN_AT },
      DAY - 1,
      true,
      SEEN_AT + DAY,
    ],
    [
      'not from the end of its grace on',
      { declared: false, declarationEndedAt: SEEN_AT },
      DAY,
      false,
      undefined,
    ],
    ['for a day when it was never declared', { declared: false }, 0, true, SEEN_AT + DAY],
    ['not after that day', { declared: false }, DAY, false, undefined],
  ])('%s', (_name, given, later, listed, restitchAt) => {
    const stitched = stitchAgent(facts(given), SEEN_AT + later);
    expect(stitched.document !== undefined).toBe(listed);
    expect(stitched.restitchAt).toBe(restitchAt);
  });

  it('has a grace of 24 hours', () => {
    expect(DECLARATION_GRACE_MS).toBe(DAY);
  });
});

describe('the document', () => {
  it('of an agent of which nothing but its URL is known has no empty members', () => {
    expect(stitchAgent(facts(), SEEN_AT).document).toEqual({
      url: AGENT,
      type: 'unknown',
      metricIds: [],
      accreditations: [],
      badges: [],
      base: {
        url: AGENT,
        name: 'ads.nova.example',
        type: 'unknown',
        protocol: null,
        added_date: '2026-01-06',
      },
      compliance: expect.objectContaining({ status: 'unknown' }),
    });
  });

  it('dates from the registration, else from the day it was first seen', () => {
    const added = (more: Partial<AgentFacts>) => stitchAgent(facts(more), SEEN_AT).document?.base.added_date;
    expect(added({})).toBe('2026-01-06');
    expect(added({ registration: registration({ addedAt: SEEN_AT + 3 * DAY }) })).toBe('2026-01-09');
  });

  it.each<[string, Partial<AgentFacts>, object]>([
    ['MCP, read', { lastGood: lastGood() }, { protocol: 'mcp', mcp_endpoint: AGENT }],
    [
      'MCP behind credentials',
      { protocol: 'mcp', endpoint: `${AGENT}/mcp` },
      { protocol: 'mcp', mcp_endpoint: `${AGENT}/mcp` },
    ],
    [
      'the last good one beats the last handshake',
      { protocol: 'a2a', endpoint: 'https://x.example/', lastGood: lastGood() },
      { protocol: 'mcp', mcp_endpoint: AGENT },
    ],
  ])('names protocol and endpoint: %s', (_name, given, expected) => {
    expect(stitchAgent(facts(given), SEEN_AT).document?.base).toMatchObject(expected);
  });

  it('has no mcp_endpoint for an A2A agent', () => {
    const base = stitchAgent(facts({ protocol: 'a2a', endpoint: AGENT }), SEEN_AT).document?.base;
    expect(base).toMatchObject({ protocol: 'a2a' });
    expect(base).not.toHaveProperty('mcp_endpoint');
  });

  it('lists metric ids and accrediting bodies once, sorted, as declared', () => {
    const accredited = (...bodies: string[]) =>
      bodies.map((body) => ({ accrediting_body: body, verified_by_operator: false }) as const);
    const metrics = [
      { metric_id: 'viewability', accreditations: accredited('MRC', 'ABC') },
      { metric_id: 'Attention', accreditations: accredited('MRC') },
      { metric_id: 'viewability', accreditations: [] },
    ];
    const good = lastGood({}, { measurement_capabilities: { metrics } });
    expect(stitchAgent(facts({ lastGood: good }), SEEN_AT).document).toMatchObject({
      metricIds: ['Attention', 'viewability'],
      accreditations: ['ABC', 'MRC'],
    });
  });

  it('counts exactly and lists at most a thousand publishers', () => {
    const publishers = Array.from({ length: 1_500 }, (_, index) => `p${index}.example`);
    const portfolio = { publisherCount: 6_000, publishers, propertyCount: 7, countByType: {}, tags: [] };
    const group = stitchAgent(facts({ portfolio }), SEEN_AT).document?.properties;
    expect(group?.publisher_domains).toHaveLength(1_000);
    expect(group?.stats).toMatchObject({ publisher_count: 6_000, property_count: 7 });
    expect(group?.property_summary).toMatchObject({ publisher_count: 6_000, total_count: 7 });
  });

  it('shows no badge of an agent whose owner opted out', () => {
    const badges = [{ role: 'sales', axes: ['spec'] }] as const;
    const compliance = { ...NEVER_TESTED, badges };
    expect(stitchAgent(facts({ compliance }), SEEN_AT).document?.badges).toEqual(badges);
    const hidden = stitchAgent(facts({ compliance: { ...compliance, optedOut: true } }), SEEN_AT).document;
    expect(hidden?.badges).toEqual([]);
    expect(hidden?.compliance).toEqual({ status: 'opted_out', lifecycle_stage: 'production' });
  });

  it('holds nothing that changes by time alone', () => {
    const given = facts({
      lastGood: lastGood({ inferredType: 'sales' }),
      mentions: [brandMention('nova.example', { name: 'Nova' })],
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 * DAY }), (later) => {
        expect(JSON.stringify(stitchAgent(given, SEEN_AT + later))).toBe(
          JSON.stringify(stitchAgent(given, SEEN_AT)),
        );
      }),
    );
  });
});
