import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFacts } from '../../src/domain/agent-facts.ts';
import type { Accreditation } from '../../src/domain/capabilities.ts';
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
      bodies.map(
        (body) => ({ accrediting_body: body, verified_by_operator: false, verified_by_aao: false }) as const,
      );
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

  it('says of a claim that an earlier version kept, by the field’s name too, that nobody verified it', () => {
    const kept = { accrediting_body: 'MRC', verified_by_operator: false } as Accreditation;
    const metrics = [{ metric_id: 'viewability', accreditations: [kept] }];
    const good = lastGood({}, { measurement_capabilities: { metrics } });
    const shown = stitchAgent(facts({ lastGood: good }), SEEN_AT).document?.capabilities;
    expect(shown?.measurement_capabilities?.metrics[0]?.accreditations).toEqual([
      { accrediting_body: 'MRC', verified_by_operator: false, verified_by_aao: false },
    ]);
  });

  it('lists every publisher that the record has room for, and says when there are more', () => {
    const group = (count: number) => {
      const publishers = Array.from({ length: count }, (_, index) => `publisher-${index}.example`);
      const portfolio = { publisherCount: count, publishers, propertyCount: 7, countByType: {}, tags: [] };
      return stitchAgent(facts({ portfolio }), SEEN_AT).document?.properties;
    };
    expect(group(4_000)?.publisher_domains).toHaveLength(4_000);
    expect(group(4_000)).not.toHaveProperty('publisher_domains_truncated');
    const many = group(9_000);
    expect(many).toMatchObject({ publisher_domains_truncated: true, stats: { publisher_count: 9_000 } });
    expect(many?.property_summary).toMatchObject({ publisher_count: 9_000, total_count: 7 });
    expect(many?.publisher_domains.length).toBeGreaterThan(4_000);
  });

  it('is no record of more than 256 KiB, whatever an agent and its publishers say', () => {
    const texts = (count: number, size: number) =>
      Array.from({ length: count }, (_, index) => `${index} `.padEnd(size, 'ü'));
    const metrics = texts(500, 256).map((metric_id) => ({
      metric_id,
      accreditations: [],
      description: metric_id.padEnd(2_000, '"'),
    }));
    const good = lastGood(
      {},
      {
        tools: texts(1_000, 250).map((name) => ({ name, description: name })),
        creative_capabilities: {
          formats_supported: texts(1_000, 256),
          ...{ can_generate: true, can_validate: true, can_preview: true },
        },
        signals_capabilities: {
          audience_types: texts(1_000, 256),
          ...{ can_match: true, can_activate: true, can_get_signals: true },
        },
        measurement_capabilities: { metrics },
      },
    );
    const portfolio = {
      publisherCount: 20_000,
      publishers: texts(10_000, 250),
      propertyCount: 9,
      countByType: Object.fromEntries(texts(5_000, 100).map((type) => [type, 1])),
      tags: texts(1_000, 100),
    };
    const { document } = stitchAgent(facts({ lastGood: good, portfolio }), SEEN_AT);
    const { base, properties, capabilities, compliance, metricIds } = document ?? {};
    const record = JSON.stringify({ ...base, ...properties, capabilities, compliance });
    expect(Buffer.byteLength(record)).toBeLessThan(250 * 1024);
    expect(capabilities?.measurement_capabilities).toMatchObject({ metrics_truncated: true });
    expect(metricIds).toHaveLength(500);
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
