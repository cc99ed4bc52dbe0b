import { describe, expect, it } from 'vitest';
import { OWN_NAMES, withEachPlace } from '../support/own-names.ts';
import { PARSERS } from './parsers.ts';
import * as samples from './samples.ts';

const READ = {
  'adagents.json': samples.ADAGENTS,
  'adagents.json, checked': samples.ADAGENTS,
  'brand.json': samples.BRANDS,
  'agent cards': samples.CARDS,
  'answers of agents': samples.ANSWERS,
  'requests, answers and webhooks of the protocol': samples.PAYLOADS,
  'bodies of signed messages, key sets': samples.KEYS,
  'queries of resource discovery': samples.ARD_QUERY,
  'context matches': samples.CONTEXT,
  'identity matches': samples.IDENTITY,
};

describe('whoever reads JSON of strangers', () => {
  it.each(Object.entries(READ))(
    'calls nothing that stands in it, at any place: %s',
    (name, { samples: good }) => {
      const parser = PARSERS.find((one) => one.name === name);
      const thrown = new Set<string>();
      for (const put of OWN_NAMES)
        for (const value of good.flatMap((sample) => [...withEachPlace(sample, put)]))
          try {
            parser?.read(JSON.stringify(value));
          } catch (error) {
            if (parser?.promises?.(error) !== true) thrown.add(String((error as Error).stack));
          }
      expect(parser).toBeDefined();
      expect([...thrown]).toEqual([]);
    },
  );
});
