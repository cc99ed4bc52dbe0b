import { hobbyIndex, hobbySite } from '../names.ts';
import { adsTxtOf, selectorEntry } from '../publishers/indirect.ts';
import { ADAGENTS, type PublishedPage } from '../publishers/plan.ts';
import { file, jsonFile } from '../web/file.ts';
import type { WebSite } from '../web/web.ts';

/** Manages thousands of small sites. */
export const LONG_TAIL_MANAGER = 'longtail-row.example';

/** The agent that sells for all of them. */
export const LONG_TAIL_AGENT = 'https://longtail-row.example/mcp';

/** The domains of the first `count` small sites. */
export function longTail(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => hobbySite(index));
}

/** The manager's file: one entry that names every site, a thousand in each selector. */
export function longTailFile(count: number): PublishedPage {
  const sites = longTail(count);
  const groups = Array.from({ length: Math.ceil(count / 1_000) }, (_, index) =>
    sites.slice(index * 1_000, (index + 1) * 1_000),
  );
  const content = {
    contact: { name: 'Long Tail Row', domain: LONG_TAIL_MANAGER },
    authorized_agents: [selectorEntry(LONG_TAIL_AGENT, groups)],
  };
  return { host: LONG_TAIL_MANAGER, path: ADAGENTS, page: jsonFile(content, { gzip: true }) };
}

/** Any of the sites: no adagents.json, and an ads.txt that names the manager. One page serves them all. */
export function longTailSites(count: number): (host: string) => WebSite | undefined {
  const adsTxt = file(adsTxtOf(LONG_TAIL_MANAGER), { contentType: 'text/plain' });
  return (host) => {
    const index = hobbyIndex(host);
    return index >= 0 && index < count ? (path) => (path === '/ads.txt' ? adsTxt : undefined) : undefined;
  };
}
