import { tokenFault } from '../owners/credentials.ts';
import { HttpProblem } from './problem.ts';

/** Reads the body that stores a test credential, `{"token": "…"}`. Throws HttpProblems, none of which repeats the token. */
export function readToken(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !Object.hasOwn(body, 'token'))
    throw new HttpProblem('bad_request', 'send a JSON object with the member token');
  const { token, ...others } = body as Readonly<Record<string, unknown>>;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'token is the only member', { validValues: ['token'] });
  const fault = typeof token === 'string' ? tokenFault(token) : 'a text is expected';
  if (fault === undefined) return token as string;
  throw new HttpProblem('invalid_value', `${fault}; send it alone, without "Bearer"`, { parameter: 'token' });
}
