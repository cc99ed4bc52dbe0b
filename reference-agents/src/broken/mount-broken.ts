import { createAdmission } from '../agents/admission.ts';
import { type AgentProfile, type AgentSpec, hostOf } from '../agents/agent.ts';
import { mountAgent } from '../agents/mount.ts';
import type { RosterOptions } from '../agents/mount-roster.ts';
import { createAgent } from '../agents/running-agent.ts';
import { brandPage } from '../brands/houses.ts';
import { BUYERS } from '../buyers.ts';
import { keySet } from '../keys.ts';
import { metricsOf } from '../metrics.ts';
import { createRandom } from '../random.ts';
import { createCallers } from '../reference/callers.ts';
import { createReference } from '../reference/create-reference.ts';
import { jsonFile } from '../web/file.ts';
import { createWeb, type PageHandler, type Web } from '../web/web.ts';
import { BROKEN_AGENTS, type BrokenAgent, brokenUrl } from './broken-agents.ts';
import { BROKEN_DOMAIN } from './broken-domain.ts';
import { withFault } from './fault.ts';

/** What broken agents need of the sandbox: its agents' ground, and whose approvals count. */
export type BrokenOptions = Omit<RosterOptions, 'authorised' | 'faults'>;

/**
 * Puts the broken agents on their hosts. No file names them and no crawl is told of them. Each is made when it is first
 * called, so that a sandbox in which nobody does pays nothing.
 */
export function mountBroken(web: Web, options: BrokenOptions): void {
  for (const broken of BROKEN_AGENTS) {
    const spec = brokenSpec(broken);
    const page = lazily(() => ownWeb(broken, spec, options), options.onFault);
    web.addSite(hostOf(spec), () => page);
  }
  const { path, page } = brandPage({
    domain: BROKEN_DOMAIN,
    file: { agents: BROKEN_AGENTS.map(agentEntry) },
  });
  web.add(BROKEN_DOMAIN, path, page);
}

function agentEntry(broken: BrokenAgent): object {
  const { type, url, name, description } = brokenSpec(broken);
  return { type, url, id: broken.name, name, description };
}

/** A broken agent as the agent that it would be without its fault. */
function brokenSpec(broken: BrokenAgent): AgentSpec {
  return {
    name: `Broken: ${broken.name}`,
    description: `A test agent that ${broken.does}`,
    url: brokenUrl(broken),
    type: broken.type,
    transport: { protocol: 'mcp', style: 'json' },
    vocabulary: 'proto',
    ...(broken.signed && { signed: ['create_media_buy', 'update_media_buy'] as const }),
  };
}

async function ownWeb(broken: BrokenAgent, spec: AgentSpec, options: BrokenOptions): Promise<Web> {
  const random = createRandom(options.seed).fork('broken');
  const metrics = spec.type === 'measurement' ? metricsOf(random, hostOf(spec), 0) : [];
  const facts: AgentProfile = { vocabulary: 'proto', publisherDomains: [], metrics };
  const own = options.keysOf(spec);
  const sellers = { of: () => [] };
  const reference = await createReference(spec, facts, { ...options, own, governance: [], sellers });
  const { clock, onFault } = options;
  const agent = createAgent(spec, facts, { reference: reference.agent, now: clock.now, onFault });
  const callers = createCallers({ ...options, known: BUYERS });
  const admit = broken.fault.admit?.(spec, callers) ?? createAdmission(spec, callers);
  const web = createWeb();
  mountAgent(web, withFault(agent, broken.fault), admit);
  web.add(hostOf(spec), '/.well-known/jwks.json', jsonFile(keySet(own)));
  return web;
}

/** Made once; a failure to make it is one of every call. */
function lazily(make: () => Promise<Web>, onFault: (error: unknown) => void): PageHandler {
  let made: Promise<Web> | undefined;
  return async (request, response) => {
    made ??= make().catch((fault) => {
      onFault(fault);
      throw fault;
    });
    (await made).handle(request, response);
  };
}
