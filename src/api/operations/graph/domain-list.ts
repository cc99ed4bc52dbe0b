import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { jsonBytes, withinBytes } from '../../../base/json-bytes.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../../domain/domain-name.ts';
import { readList, readMembers } from '../../body.ts';
import { invalidValue } from '../../problem.ts';
import type { SchemaName } from '../../schema-names.ts';
import { answer, jsonBody, problemAnswer, problems } from '../description.ts';
import { MAX_BYTES, MAX_SHOWN } from './reading.ts';

/** Domains of one question; the field's clients send no more. */
const MAX_DOMAINS = 100;
/** Bytes of a question: each name may be as long as a name can be. */
export const MAX_DOMAINS_BODY = 64 * 1024;

/** An answer about one domain, whose lists are cut where there is no room for them. */
export interface Resolved {
  readonly [list: string]: unknown;
}

/** What an operation that takes a list of domains says of itself in the document. */
export function aboutDomains(operationId: string, summary: string, description: string, schema: SchemaName) {
  return {
    operationId,
    summary,
    description,
    requestBody: jsonBody('DomainList'),
    responses: {
      200: answer(
        'A result for each domain, by the name that was sent; null for unknown domains. `invalid` lists names that are no domain names, with the reason.',
        schema,
        {},
      ),
      ...problems(400, 401, 429, 500, 503),
      413: problemAnswer('The body is larger than 64 KiB.'),
    },
  };
}

/** What was asked for, and what of it is no domain name: the others are answered all the same. */
export interface DomainList {
  /** By the names under which they were sent. */
  readonly domains: ReadonlyMap<string, string>;
  readonly invalid: ReadonlyMap<string, string>;
}

/** The domains of a body. Throws HttpProblems for what is no list of texts. */
export function readDomainList(body: unknown): DomainList {
  const named = readList(readMembers(body, ['domains']), 'domains', MAX_DOMAINS, 'domain names');
  const [domains, invalid] = [new Map<string, string>(), new Map<string, string>()];
  for (const [at, name] of named.entries()) {
    if (typeof name !== 'string') throw invalidValue(`domains[${at}]`, 'a domain name is required');
    const parsed = parseDomain(name);
    if (parsed.ok) domains.set(name, parsed.domain);
    else invalid.set(name, DOMAIN_PROBLEMS[parsed.problem]);
  }
  return { domains, invalid };
}

/**
 * The answer: what is known of each domain, asked for one after the other, and what is no domain. Together they stay within one answer: those that are small are whole,
 * and the lists of the others are cut to equal shares.
 */
export async function resolveEach(
  { domains, invalid }: DomainList,
  resolve: (domain: string) => Promise<Resolved | undefined>,
): Promise<object> {
  const problems = [...invalid].map(([name, error]) => ({ domain: name.slice(0, MAX_SHOWN), error }));
  const found: [string, Resolved | null][] = [];
  for (const [name, domain] of domains) {
    await yieldToEventLoop(); // a file that is large takes a while
    const one = await resolve(domain);
    found.push([name, one === undefined ? null : cutTo(one, MAX_BYTES)]);
  }
  for (const name of invalid.keys()) found.push([name, null]);
  const frames = found.reduce((sum, [name]) => sum + name.length + 8, 0);
  const share = shareOf(
    found.map(([, one]) => jsonBytes(one)),
    MAX_BYTES - frames - jsonBytes(problems),
  );
  const results = found.map(([name, one]) => [name, one === null ? null : cutTo(one, share)] as const);
  return {
    results: Object.fromEntries(results),
    ...(problems.length > 0 && { invalid: problems }),
  };
}

/** The most that one may take, so that all together take no more than there is, and those that take less are whole. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

/** An answer with its lists cut, so that it takes at most so many bytes; each that was cut says so. */
export function cutTo(resolved: Resolved, most: number): Resolved {
  if (jsonBytes(resolved) <= most) return resolved;
  const lists = Object.entries(resolved).filter(([, value]) => Array.isArray(value));
  const rest = Object.fromEntries(Object.entries(resolved).filter(([, value]) => !Array.isArray(value)));
  // the name of each list stands there twice, once to say that it was cut
  const names = lists.reduce((sum, [name]) => sum + 2 * name.length + 32, 0);
  const room = most - jsonBytes(rest) - names;
  const share = shareOf(
    lists.map(([, items]) => jsonBytes(items)),
    Math.max(0, room),
  );
  const cut = lists.flatMap(([name, value]): [string, unknown][] => {
    const items = value as readonly unknown[];
    const shown = withinBytes(items, share);
    return shown.length === items.length
      ? [[name, items]]
      : [
          [name, shown],
          [`${name}_truncated`, true],
        ];
  });
  return { ...rest, ...Object.fromEntries(cut) };
}
