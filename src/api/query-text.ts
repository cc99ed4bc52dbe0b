import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.ts';

/** What stands in for fastify's own query parser: the text as it came, for the one reader that knows the rules. */
export function keepQueryText(text: string): Record<string, unknown> {
  return { text };
}

/** The query string of a request, without its question mark. */
export function queryText(request: FastifyRequest): string {
  return (request.query as { readonly text?: string }).text ?? '';
}

/**
 * The parameters of a query string. URLSearchParams lets broken escapes and invalid UTF-8 through as something
 * else; here they are a 400, so that nothing is searched for that nobody wrote.
 */
export function searchParams(text: string): URLSearchParams {
  if (text.includes('%') && !decodable(text)) {
    throw new HttpProblem(
      'bad_encoding',
      'the query string has a broken percent-escape, or bytes that are not UTF-8',
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
