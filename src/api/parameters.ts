import type { FastifyRequest } from 'fastify';
import { withNearest } from '../base/near-names.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../domain/agent-url.ts';
import { readCountry } from '../domain/country.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../domain/domain-name.ts';
import { type ListQuery, readListQuery } from '../index/query/list-query.ts';
import { HttpProblem, invalidValue, queryProblem } from './problem.ts';

/** Replaces Fastify's query parser: keeps the text for `searchParams`, which rejects what Fastify would accept. */
export function keepQueryText(text: string): Record<string, unknown> {
  return { text };
}

/** The query string of a request, without its question mark. */
export function queryText(request: FastifyRequest): string {
  return (request.query as { readonly text?: string }).text ?? '';
}

/**
 * The parameters of a query string. URLSearchParams replaces broken escapes and invalid UTF-8; here they are a 400, so that
 * a search never looks for something else than its caller wrote.
 */
export function searchParams(text: string): URLSearchParams {
  if (text.includes('%') && !decodable(text)) {
    throw new HttpProblem(
      'bad_encoding',
      'the query string contains an invalid percent-escape or bytes that are not UTF-8',
    );
  }
  return new URLSearchParams(text);
}

function decodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the query string of a list request at `now`, epoch milliseconds. Throws an HttpProblem for an invalid one. */
export function listQueryOf(text: string, now: number): ListQuery {
  const read = readListQuery(searchParams(text), now);
  if (!read.ok) throw queryProblem(read.problem);
  return read.query;
}

/** The parameters of a query string by name: each of `names` at most once, none empty. Throws HttpProblems; `what` names the operation. */
export function readParameters(
  text: string,
  names: readonly string[],
  what: string,
): ReadonlyMap<string, string> {
  const parameters = searchParams(text);
  for (const name of parameters.keys()) checkName(parameters, name, names, what);
  return new Map(parameters);
}

function checkName(parameters: URLSearchParams, name: string, names: readonly string[], what: string): void {
  if (!names.includes(name)) {
    throw new HttpProblem(
      'unknown_parameter',
      withNearest(`${name.slice(0, 100)} is not a parameter of ${what}`, name, names),
      {
        parameter: name.slice(0, 100),
        validValues: names,
      },
    );
  }
  if (parameters.getAll(name).length > 1)
    throw new HttpProblem('repeated_parameter', `${name} can be given only once`, { parameter: name });
  if (parameters.get(name) === '')
    throw new HttpProblem('empty_value', `${name} requires a value`, { parameter: name });
}

/** A request about one agent. */
export type AgentRequest = FastifyRequest<{ Params: { encodedUrl: string } }>;

/** The agent's identity from a path segment, which the router has decoded once; `bad_agent_url` for anything else. */
export function agentOf(address: string, parameter = 'encodedUrl'): string {
  const parsed = parseAgentUrl(address);
  if (parsed.ok) return parsed.url;
  const form =
    parameter === 'encodedUrl'
      ? ', percent-encoded as one path segment; use the search to find agents by name'
      : '';
  throw new HttpProblem('bad_agent_url', `${AGENT_URL_PROBLEMS[parsed.problem]}${form}`, { parameter });
}

/** Rejects any query parameter of an operation without parameters; `what` names it. */
export function refuseParameters(text: string, what: string): void {
  const [name] = new URLSearchParams(text).keys();
  if (name === undefined) return;
  throw new HttpProblem('unknown_parameter', `${what} takes no parameters`, {
    parameter: name.slice(0, 100),
    validValues: [],
  });
}

/** The value of a required parameter. */
export function needed(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value !== undefined) return value;
  throw invalidValue(name, `${name} is required`);
}

/** A number from 1 to `most`, such as the limit of a page; `usual` if absent. */
export function limitOf(text: string | undefined, usual: number, most: number, parameter = 'limit'): number {
  if (text === undefined) return usual;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw invalidValue(parameter, `a whole number from 1 to ${most} is expected`);
}

/** A domain name in its normal form. */
export function namedDomain(text: string, parameter = 'domain'): string {
  const parsed = parseDomain(text);
  if (parsed.ok) return parsed.domain;
  throw invalidValue(parameter, DOMAIN_PROBLEMS[parsed.problem]);
}

/** ISO 3166-1, two capitals. */
export function namedCountry(text: string): string {
  const read = readCountry(text);
  if (read.ok) return read.country;
  throw invalidValue('country', read.problem);
}
