import type { AgentFacts } from '../../../domain/agent-facts.ts';
import { agentFindings } from '../../../domain/agent-findings.ts';
import type { Finding } from '../../../domain/finding.ts';
import { hasAuthority, type Identity, resolveIdentity } from '../../../domain/identity.ts';
import type { Observation } from '../../../domain/observation.ts';
import { stitchAgent } from '../../../domain/stitch.ts';
import type { Records } from '../../../ports/records.ts';
import type { SeenAuthorisation } from '../../../records/visits/authorisation-rows.ts';
import type { SeenMention } from '../../../records/visits/mention-rows.ts';
import { metricJson, metricLines } from '../../output/accreditations.ts';
import { counted, shortList } from '../../output/print.ts';
import { healthJson, stepJson } from '../../output/probe-answer.ts';
import { complianceStory } from './compliance.ts';
import { type ComplianceSettings, readComplianceFacts } from './compliance-facts.ts';
import { edgeJson, edgeTerms } from './edge.ts';
import { heading, instant, more, type Story, scheduleLines, section, sourceJson } from './story.ts';

/** The source of a field. */
const RULES: Readonly<Record<Identity['by']['type'], string>> = {
  owner: 'set by its verified owner',
  registration: 'from its registration',
  brand: 'from an authoritative brand.json',
  inference: 'inferred from its capabilities; no authoritative source',
};

/** Explains an agent: who declares it, the results of its probes, and the source of each field. */
export async function explainAgent(
  records: Records,
  agent: string,
  limit: number,
  now: number,
  settings: ComplianceSettings,
): Promise<Story | undefined> {
  const source = await records.sources.get({ kind: 'agent', key: agent });
  const [facts] = await records.agents.facts([agent]);
  if (facts === undefined) return undefined;
  const observations = await records.agents.observations(agent, limit);
  const authorisations = await records.agents.authorisations(agent, limit);
  const mentions = await records.agents.mentions(agent, limit);
  const identity = resolveIdentity(facts);
  const claimed = facts.lastGood?.exposed.claimedPublisherDomains ?? [];
  const agreeing = await records.agents.authorisedAmong(agent, claimed);
  const tests = await readComplianceFacts(records, agent, limit, now, settings);
  const compliance = tests && complianceStory(tests, limit);
  const findings = agentFindings(facts, { authorisations, mentions, agreeing });
  const metrics = facts.lastGood?.exposed.capabilities.measurement_capabilities?.metrics ?? [];
  return {
    lines: [
      heading(agent),
      ...identityLines(facts, identity),
      ...(source ? scheduleLines(source, now) : []),
      ...section('metrics and accreditations (self-declared)', metricLines(metrics, now, limit)),
      ...section('probes, newest first, without repetitions', observations.map(observationLine)),
      ...section('authorised by', [
        ...authorisations.map(authorisationLine),
        ...more(facts.portfolio?.publisherCount ?? 0, authorisations.length),
      ]),
      ...section(
        'declared by',
        mentions.map((mention) => mentionLine(mention, facts)),
      ),
      ...section(
        'findings',
        findings.map(({ severity, message, code }) => `    ${severity}  ${message}  (${code})`),
      ),
      ...(compliance?.lines ?? []),
    ],
    json: {
      agent,
      record: stitchAgent(facts, now).document?.base ?? null,
      decided_by: identity.by,
      source: source ? sourceJson(source, now) : null,
      portfolio: portfolioJson(facts),
      supported_versions: facts.lastGood?.exposed.supportedVersions ?? null,
      metrics: metrics.slice(0, limit).map((metric) => metricJson(metric, now)),
      probes: observations.map(observationJson),
      authorisations: authorisations.map(
        ({ publisher, entry, scope, via, seenFrom, seenUntil, ...edge }) => ({
          publisher,
          entry,
          scope,
          via,
          ...edgeJson(edge),
          seen_from: instant(seenFrom),
          seen_until: instant(seenUntil),
        }),
      ),
      mentions: mentions.map((mention) => ({
        declarer: mention.declarer,
        file: mention.file,
        entry: mention.entry,
        type: mention.type ?? null,
        authority: hasAuthority(mention, facts),
      })),
      findings,
      compliance: compliance?.json ?? null,
    },
  };
}

function identityLines(facts: AgentFacts, identity: Identity): string[] {
  const lines = [
    `  name "${identity.name}": ${identity.by.name === 'inference' && facts.lastGood?.exposed.name === undefined ? 'its host; no source names it' : RULES[identity.by.name]}`,
    `  type ${identity.type}: ${identity.type === 'unknown' ? 'no authoritative source, and its capabilities do not show it' : RULES[identity.by.type]}`,
  ];
  if (facts.lastGood)
    lines.push(
      `  capabilities read ${instant(facts.lastGood.at)} over ${facts.lastGood.protocol} at ${facts.lastGood.endpoint}`,
      `  protocol versions (self-declared): ${shortList(facts.lastGood.exposed.supportedVersions) || 'none'}`,
    );
  else lines.push('  capabilities never read');
  if (facts.portfolio)
    lines.push(
      `  authorised by ${counted(facts.portfolio.publisherCount, 'publisher')} for ${counted(facts.portfolio.propertyCount, 'property')}`,
    );
  if (!facts.declared && facts.registration === undefined)
    lines.push(
      `  not declared${facts.declarationEndedAt === undefined ? '' : ` since ${instant(facts.declarationEndedAt)}`}; delisted after one day`,
    );
  return lines;
}

function observationLine({ at, health, protocol, steps, findings }: Observation): string {
  const state = health.online ? 'online' : 'offline';
  const reason = health.errorClass === undefined ? '' : `, ${health.errorClass}: ${health.error ?? ''}`;
  const noted = findings
    .map((finding: Finding) => `\n      ${finding.severity}  ${finding.message}  (${finding.code})`)
    .join('');
  return `    ${instant(at)}  ${state}${protocol === undefined ? '' : ` over ${protocol}`}${reason}, ${steps.length} steps${noted}`;
}

function authorisationLine({ publisher, entry, scope, via, seenFrom, ...edge }: SeenAuthorisation): string {
  return `    ${publisher}  entry ${entry}, ${scope}, ${via}, since ${instant(seenFrom)}${edgeTerms(edge)}`;
}

function mentionLine(mention: SeenMention, facts: AgentFacts): string {
  const said = mention.type === undefined ? '' : ` as ${mention.type}`;
  const weight = mention.file !== 'adagents' && !hasAuthority(mention, facts) ? ' (not authoritative)' : '';
  return `    ${mention.declarer} ${mention.file}.json ${mention.entry}${said}${weight}`;
}

function portfolioJson({ portfolio }: AgentFacts) {
  if (portfolio === undefined) return null;
  const { publisherCount, propertyCount, countByType, tags } = portfolio;
  return { publisher_count: publisherCount, property_count: propertyCount, count_by_type: countByType, tags };
}

function observationJson({ at, dialledUrl, protocol, health, steps, findings }: Observation) {
  return {
    at: instant(at),
    dialled_url: dialledUrl,
    protocol: protocol ?? null,
    health: healthJson(health, at),
    steps: steps.map(stepJson),
    findings,
  };
}
