import type { AdagentsDeclaration } from '../domain/declaration.ts';
import { registrableDomain, registrableDomainOf } from '../domain/domain-name.ts';
import type { Finding } from '../domain/finding.ts';
import { readFile } from './declare-file.ts';
import { deriveFacts } from './derive-facts.ts';
import { type DomainCheck, fetchUnseen } from './fetch-unseen.ts';
import type { FileFetch } from './file-task.ts';
import { SiteBusy } from './limited-sites.ts';
import { findingOf } from './report.ts';
import { createSharedFiles, type SharedFiles } from './shared-files.ts';

/** Publishers that are asked: enough to see a mistake, few enough to be polite. */
const MAX_ASKED = 20;
const PATIENCE_MS = 10_000;
/** Each may lead to 20 MiB. */
const AT_ONCE = 5;

/**
 * Asks the first publishers that a network's own file names whether they lead to it, each of another registrable
 * domain. One that cannot be read says nothing, and one that authorises an agent of the file itself needs no
 * pointer. At most one finding.
 */
export async function unlinkedPublishers(
  check: DomainCheck,
  declaration: AdagentsDeclaration,
): Promise<readonly Finding[]> {
  const { domain, now } = check;
  const { references } = deriveFacts({ declaration, domain, via: 'own', now });
  const named = references.filter(({ reason }) => reason === 'publisher_selector');
  const asked = firstOfEach(
    named.map((reference) => reference.domain),
    domain,
  );
  const { shared = createSharedFiles(() => now) } = check;
  const agents = new Set(declaration.entries.map(({ agent }) => agent));
  const answers: (boolean | undefined)[] = [];
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    const next = asked.slice(start, start + AT_ONCE);
    answers.push(...(await Promise.all(next.map((name) => isLinked(check, name, { agents, shared })))));
  }
  const unlinked = asked.filter((_, index) => answers[index] === false);
  if (unlinked.length === 0) return [];
  const count = `${unlinked.length} of ${asked.length} asked (${named.length} named)`;
  return [findingOf('publishers_unlinked', '', `${count}: ${unlinked.join(', ')}`)];
}

/** One domain of each registrable domain but that of the file: there is one visit at a time to each. */
function firstOfEach(domains: readonly string[], own: string): readonly string[] {
  const seen = new Set([registrableDomain(own)]);
  const firsts: string[] = [];
  for (const domain of domains) {
    const registrable = registrableDomain(domain);
    if (seen.has(registrable)) continue;
    seen.add(registrable);
    firsts.push(domain);
    if (firsts.length === MAX_ASKED) break;
  }
  return firsts;
}

/** Undefined: nobody can say. */
async function isLinked(
  check: DomainCheck,
  publisher: string,
  { agents, shared }: { readonly agents: ReadonlySet<string>; readonly shared: SharedFiles },
): Promise<boolean | undefined> {
  const { fetcher, domain, signal } = check;
  const deadlineMs = Math.min(check.deadlineMs, PATIENCE_MS);
  const fetched = await fetcher
    .visit({ host: publisher, deadlineMs, ...(signal && { signal }) }, (visit) =>
      fetchUnseen({ ...check, domain: publisher, shared }, visit, 'adagents'),
    )
    .catch(nobodyKnows);
  if (fetched === undefined) return undefined;
  const { end } = fetched;
  if (end.type !== 'content') return end.type === 'unusable' && end.outcome === 'absent' ? false : undefined;
  if (end.via !== 'own') return registrableDomainOf(end.url) === registrableDomain(domain);
  return authorisesOneOf(fetched, agents);
}

/** A site that was asked for too many files already says nothing about this file. */
function nobodyKnows(error: unknown): undefined {
  if (!(error instanceof SiteBusy)) throw error;
}

async function authorisesOneOf(fetched: FileFetch, agents: ReadonlySet<string>): Promise<boolean> {
  const { declaration } = await readFile(fetched);
  return declaration?.kind === 'adagents' && declaration.entries.some(({ agent }) => agents.has(agent));
}
