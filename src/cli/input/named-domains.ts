import { text } from 'node:stream/consumers';
import type { Failure } from '../../crawl/progress.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import { readTextFile } from './arguments.ts';

export interface NamedDomains {
  /** Normal form, each once, in the order given. */
  readonly domains: readonly string[];
  /** Those that are arguments and not from a list. */
  readonly typed: ReadonlySet<string>;
  /** What was given and is no domain name. */
  readonly refused: readonly Failure[];
}

/** The domains of the arguments, of a file, or of stdin (`-`). Throws `usage` when none of them is a domain name. */
export async function namedDomains(args: readonly string[], from: string | undefined): Promise<NamedDomains> {
  const texts = [...args.filter((arg) => arg !== '-')];
  const count = texts.length;
  if (args.includes('-')) texts.push(...lines(await text(process.stdin)));
  if (from !== undefined) texts.push(...lines(await readTextFile(from, '--from')));
  const domains = new Set<string>();
  const typed = new Set<string>();
  const refused: Failure[] = [];
  for (const [index, given] of texts.entries()) {
    const parsed = parseDomain(given);
    if (parsed.ok) {
      domains.add(parsed.domain);
      if (index < count) typed.add(parsed.domain);
    } else
      refused.push({
        source: given.slice(0, 253),
        code: 'not_a_domain',
        detail: DOMAIN_PROBLEMS[parsed.problem],
      });
  }
  if (domains.size === 0) throw nothingToVisit(refused);
  return { domains: [...domains], typed, refused };
}

/** One domain a line; empty lines and comments after `#` are skipped. */
function lines(content: string): string[] {
  return content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.split('#', 1).join('').trim())
    .filter((line) => line !== '');
}

function nothingToVisit(refused: readonly Failure[]): RegistryError {
  const [first] = refused;
  if (first === undefined)
    return new RegistryError('usage', 'no domain given', {
      hint: 'give one, as in "agent-registry crawl news.example"; "agent-registry crawl --due" visits everything that is due',
    });
  const isUrl = /^https?:\/\//i.test(first.source);
  return new RegistryError('usage', `'${first.source}' cannot be crawled: ${first.detail}`, {
    hint: isUrl
      ? 'give only the domain, or use "agent-registry probe URL" for an agent'
      : 'give a domain, as in "agent-registry crawl news.example"',
  });
}
