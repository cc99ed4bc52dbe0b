import { describe, expect, it } from 'vitest';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import { matches } from '../../../src/index/query/filters.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const VENDOR = documentOf({
  url: 'https://vendor.example/',
  type: 'measurement',
  metricIds: ['Viewability_MRC', 'reach'],
  accreditations: ['MRC'],
  badges: [
    { role: 'measurement', axes: ['spec'] },
    { role: 'creative', axes: ['live'] },
  ],
});

describe('matches', () => {
  it.each<[AgentFilter, boolean]>([
    [{}, true],
    [{ type: 'measurement' }, true],
    [{ type: 'sales' }, false],
    [{ metricIds: ['reach'] }, true],
    [{ metricIds: ['other', 'reach'] }, true],
    [{ metricIds: ['Reach'] }, false],
    [{ metricIds: ['reac'] }, false],
    [{ accreditations: ['MRC'] }, true],
    [{ accreditations: ['mrc'] }, false],
    [{ metricIds: ['reach'], accreditations: ['MRC'] }, true],
    [{ q: 'ability_m' }, true],
    [{ q: 'ability%m' }, false],
    [{ verified: true }, true],
    [{ verificationModes: ['spec'] }, true],
    [{ verificationModes: ['live'] }, true],
    [{ verificationModes: ['spec', 'live'] }, false],
    [{ type: 'measurement', metricIds: ['reach'], q: 'mrc', verificationModes: ['live'] }, true],
    [{ type: 'measurement', metricIds: ['reach'], q: 'nothing' }, false],
  ])('%j: %j', (filter, expected) => {
    expect(matches(filter, VENDOR)).toBe(expected);
  });

  it('finds no badge where there is none', () => {
    const plain = documentOf({ url: 'https://plain.example/' });
    expect(matches({ verified: true }, plain)).toBe(false);
    expect(matches({ verificationModes: ['spec'] }, plain)).toBe(false);
  });
});
