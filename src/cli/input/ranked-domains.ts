import { createReadStream } from 'node:fs';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';

/** A line of a list by rank: a domain in its normal form, or what is wrong with the line. */
export type RankedLine =
  | { readonly ok: true; readonly domain: string; readonly rank: number }
  | { readonly ok: false; readonly line: number; readonly source: string; readonly detail: string };

/** No rank, comma and domain are longer; what is, is let go while it is read. */
const MAX_LINE = 1_000;
const LINE = /^"?(\d{1,9})"?,"?([^",]*)"?(?:,.*)?$/;

/**
 * Reads a list of domains by rank, as the public lists are: `1,news.example` on each line, more columns behind it. A heading,
 * empty lines and comments are passed over. Memory does not grow with the list. Throws `usage` when it cannot be read.
 */
export async function* rankedDomains(path: string): AsyncGenerator<RankedLine> {
  let number = 0;
  for await (const text of linesOf(path)) {
    number += 1;
    const line = (number === 1 ? text.replace(/^\uFEFF/, '') : text).trim();
    if (line === '' || line.startsWith('#') || (number === 1 && isHeading(line))) continue;
    yield readLine(line, number);
  }
}

function isHeading(line: string): boolean {
  return /^"?[a-z_]+"?,/i.test(line);
}

function readLine(text: string, line: number): RankedLine {
  const wrong = (detail: string) => ({ ok: false, line, source: text.slice(0, 253), detail }) as const;
  if (text.length >= MAX_LINE) return wrong('the line is too long');
  const [, rank, named] = LINE.exec(text) ?? [];
  if (rank === undefined || named === undefined || Number(rank) === 0)
    return wrong('expected RANK,DOMAIN with a rank of 1 or more');
  const parsed = parseDomain(named);
  if (!parsed.ok) return wrong(DOMAIN_PROBLEMS[parsed.problem]);
  return { ok: true, domain: parsed.domain, rank: Number(rank) };
}

/** Lines of a file, each cut to `MAX_LINE` characters. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const piece of createReadStream(path, 'utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = (lines.pop() ?? '').slice(0, MAX_LINE);
      for (const line of lines) yield line.slice(0, MAX_LINE);
    }
  } catch (cause) {
    throw new RegistryError('usage', `cannot read --rank ${path}`, {
      cause,
      hint: 'check the path and its permissions',
    });
  }
  if (rest !== '') yield rest;
}
