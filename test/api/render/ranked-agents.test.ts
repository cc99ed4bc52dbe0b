import { expect, it } from 'vitest';
import { rankedAgents } from '../../../src/api/render/search-results.ts';
import { cardOf } from '../../../src/index/query/search-document.ts';
import { bareDocument } from '../support/documents.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const found = (url: string, relevance: number) => ({
  ...{ url, relevance },
  card: JSON.stringify(cardOf(bareDocument(url))),
});

it('lists an online agent first, also if both scores are close to 0', () => {
  const agents = [found('https://offline.example/', 0.000_024), found('https://online.example/', 0.000_023)];
  const state = { firstSeenAt: NOW, lastSeenAt: NOW };
  const states = new Map([
    ['https://offline.example/', { ...state, online: false }],
    ['https://online.example/', { ...state, online: true }],
  ]);
  const ranked = rankedAgents(agents, states, { sort: 'relevance', limit: 10, now: NOW });
  expect(ranked.map(({ found: { url }, score }) => [url, score])).toEqual([
    ['https://online.example/', 0.000_023],
    ['https://offline.example/', 0.000_012],
  ]);
});
