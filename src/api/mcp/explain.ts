import type { JsonObject } from '../../base/json.ts';
import { FINDING_CODES } from '../../discovery/finding-codes.ts';
import { generalMessage } from '../../discovery/report.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { type Ask, ToolRefusal } from './ask.ts';
import { standalone } from './tool-schemas.ts';

/** The fields of an agent's record that say how it is known. */
const OF_AGENT = ['name', 'type', 'listed', 'freshness', 'health', 'provenance'] as const;

/** Explains a subject by the answers of several operations. Throws a ToolRefusal for an invalid subject. */
export async function explain(subject: string, ask: Ask): Promise<JsonObject> {
  if (Object.hasOwn(FINDING_CODES, subject)) {
    const { severity, message, hint = null } = FINDING_CODES[subject as keyof typeof FINDING_CODES];
    return { subject, kind: 'code', code: { severity, message: generalMessage(message), hint } };
  }
  const domain = parseDomain(subject);
  if (domain.ok) return ofDomain(domain.domain, ask);
  const agent = parseAgentUrl(subject);
  if (agent.ok) return ofAgent(agent.url, ask);
  throw new ToolRefusal('subject: use the URL of an agent, a domain name or a finding code');
}

async function ofDomain(domain: string, ask: Ask): Promise<JsonObject> {
  const [publisher, adagents, brand] = await Promise.all([
    ask('lookupPublisher', { domain }),
    known(ask('getFileFindings', { domain, file: 'adagents' })),
    known(ask('getFileFindings', { domain, file: 'brand' })),
  ]);
  return { subject: domain, kind: 'domain', publisher, adagents, brand };
}

async function ofAgent(agent: string, ask: Ask): Promise<JsonObject> {
  const [record, publishers] = await Promise.all([
    ask('getAgent', { encodedUrl: agent }),
    ask('getAgentDomains', { agentUrl: agent }),
  ]);
  const shown = OF_AGENT.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]);
  return { subject: agent, kind: 'agent', agent: Object.fromEntries(shown), publishers };
}

/** Null for an unknown subject. */
async function known(asked: Promise<JsonObject>): Promise<JsonObject | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof ToolRefusal && error.status === 404) return null;
    throw error;
  });
}

/** The schema of an explanation, from those of the answers in it. */
export function explanationSchema(): JsonObject {
  const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
  const code = {
    type: 'object',
    properties: {
      severity: { enum: ['error', 'warning'] },
      message: { type: 'string' },
      hint: { type: ['string', 'null'], description: 'What to do.' },
    },
  };
  return standalone({
    type: 'object',
    required: ['subject', 'kind'],
    properties: {
      subject: { type: 'string' },
      kind: { enum: ['agent', 'domain', 'code'] },
      agent: { type: 'object', description: `As get_agent answers: ${OF_AGENT.join(', ')}.` },
      publishers: component('AgentDomains'),
      publisher: component('PublisherLookup'),
      adagents: orNull(component('FileFindings')),
      brand: orNull(component('FileFindings')),
      code,
    },
  });
}
