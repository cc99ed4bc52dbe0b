import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import {
  DOMAIN_PROBLEMS,
  isPublicSuffix,
  parseDomain,
  registrableDomain,
} from '../../../domain/domain-name.ts';
import { CHECKED_AT_ONCE, checkOperations, type ReportedCheck } from './check-report.ts';
import { type GraphParts, MAX_SHOWN } from './reading.ts';

const PROPERTY_CHECK: ReportedCheck = {
  path: '/api/properties/check',
  member: 'domains',
  reports: 'reports of property checks',
  question: 'PropertyCheckQuestion',
  check: {
    operationId: 'checkPropertyList',
    summary: 'Check a list of domains',
    description:
      '`ok`: has a valid adagents.json. `assess`: has none, or is unknown. `modify`: has another canonical spelling. `remove`: a duplicate, or no domain name. The lists are truncated at 2 MiB; the counts are exact.',
    answers: 'PropertyCheck',
  },
  report: {
    operationId: 'getPropertyCheckReport',
    summary: 'Get the counts of an earlier check',
    description: 'Available for 7 days. The id contains the signed counts; submitted lists are not stored.',
    answers: 'PropertyCheckReport',
  },
  reportHas: {},
  async judge(parts, texts) {
    const found = await sorted(parts, texts);
    const { remove, modify, assess, ok } = found;
    const counts = { remove: remove.length, modify: modify.length, assess: assess.length, ok: ok.length };
    const total = counts.remove + counts.modify + counts.assess + counts.ok;
    return { summary: { total, ...counts }, found };
  },
};

/** POST /api/properties/check and GET /api/properties/check/{reportId}. */
export function propertyCheckOperations(server: FastifyInstance, parts: GraphParts): void {
  checkOperations(server, parts, PROPERTY_CHECK);
}

/** Each text in one of four lists, in the order in which they came. */
async function sorted({ records: { graph } }: GraphParts, texts: readonly string[]) {
  const lists = {
    remove: [] as object[],
    modify: [] as object[],
    assess: [] as object[],
    ok: [] as object[],
  };
  const seen = new Set<string>();
  for (let at = 0; at < texts.length; at += CHECKED_AT_ONCE) {
    await yieldToEventLoop();
    const found = texts.slice(at, at + CHECKED_AT_ONCE).map((text) => ({ text, ...canonicalOf(text) }));
    const known = await graph.publishersAmong([...new Set(found.flatMap(({ domain }) => domain ?? []))]);
    const valid = new Set(known.filter(({ isValid }) => isValid).map(({ domain }) => domain));
    for (const { text, domain, problem } of found) {
      const input = text.slice(0, MAX_SHOWN);
      const status = domain !== undefined && valid.has(domain) ? 'ok' : 'assess';
      if (domain === undefined)
        lists.remove.push({ input, canonical: input, reason: 'blocked', blocked_reason: problem });
      else if (seen.has(domain)) lists.remove.push({ input, canonical: domain, reason: 'duplicate' });
      else if (domain !== text)
        lists.modify.push({ input, canonical: domain, reason: 'not the canonical spelling', status });
      else if (status === 'ok') lists.ok.push({ domain, source: 'adagents_json' });
      else lists.assess.push({ domain });
      if (domain !== undefined) seen.add(domain);
    }
  }
  return lists;
}

/** The domain in a text with a scheme, a path, `www.` or capitals. */
export function canonicalOf(text: string): { readonly domain?: string; readonly problem?: string } {
  const [host = ''] = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .split(/[/?#]/, 1);
  const parsed = parseDomain(host.replace(/:\d{1,5}$/, ''));
  if (!parsed.ok) return { problem: DOMAIN_PROBLEMS[parsed.problem] };
  const { domain } = parsed;
  if (isPublicSuffix(domain)) return { problem: 'a public suffix, which belongs to no single owner' };
  const bare = domain.replace(/^(?:www|m)\./, '');
  return { domain: registrableDomain(domain) === bare ? bare : domain };
}
