import type { AgentInFull } from '../../../api/render/agent-in-full.ts';
import type { HealthAnswer } from '../../../api/render/health-history.ts';
import type { PlaceInFile } from '../../../api/render/provenance.ts';
import type { VisitState } from '../../../api/render/visit-state.ts';
import { metricLines } from '../../output/accreditations.ts';
import { counted, paint, shortList } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { visitLines } from '../../output/visit-lines.ts';
import { healthStrip } from './health-strip.ts';

/** Rows of a list that are shown; --json has more. */
const MOST = 20;

const AUTHORITY = {
  ...{ owner: 'its owner', registration: 'its registration' },
  ...{ brand: 'a brand.json', inference: 'its capabilities' },
} as const;

/** One agent for people: each fact with its source. */
export function inFullLines(
  agent: AgentInFull,
  history: HealthAnswer | undefined,
  now: number,
): readonly string[] {
  const { provenance } = agent;
  return [
    paint('bold', visible(`${agent.name}  ${agent.url}`)),
    ...identityLines(agent),
    ...part('last check', [...healthLines(agent), ...visited(provenance.probe)]),
    ...(history === undefined ? [] : part(`last ${history.days.length} days`, healthStrip(history))),
    ...part('capabilities', capabilityLines(agent)),
    ...part('metrics', metricsOf(agent, now)),
    ...part('compliance', complianceLines(agent)),
    ...part(
      'declared by',
      provenance.declared_by.flatMap((file) => [
        placeLine(file, file.has_authority || file.file === 'adagents' ? '' : '  (not authoritative)'),
        ...lateLines(file),
      ]),
    ),
    ...part(`authorized by ${counted(provenance.authorized_by_total, 'publisher')}`, [
      ...provenance.authorized_by.flatMap((file) => [
        placeLine(file, `  ${file.scope}, ${file.via}`),
        ...lateLines(file),
      ]),
      ...rest(provenance.authorized_by_total, provenance.authorized_by.length),
    ]),
    ...part(
      'findings',
      provenance.findings.map(({ severity, message, code }) =>
        visible(`    ${severity}  ${message}  (${code})`),
      ),
    ),
  ];
}

function identityLines({ type, protocol, listed, description, member, provenance }: AgentInFull): string[] {
  const { name, type: typed } = provenance.identity;
  const by = ({ by: authority, domain }: typeof name) =>
    domain === undefined ? AUTHORITY[authority] : `the brand.json of ${domain}`;
  const sources =
    name.by !== 'inference' && by(name) === by(typed)
      ? `name and type from ${by(name)}`
      : `name from ${by(name)}, type from ${by(typed)}`;
  const facts = [
    type,
    protocol ?? 'protocol unknown',
    listed ? 'listed' : 'NOT LISTED: no file declares it any more',
  ];
  return [
    `  ${facts.join(', ')}`,
    ...(description === undefined ? [] : [visible(`  ${description}`)]),
    ...(member === undefined ? [] : [visible(`  registered to ${member.display_name} (${member.slug})`)]),
    visible(`  sources: ${sources}`),
  ];
}

function healthLines({ health, freshness }: AgentInFull): string[] {
  if (health === undefined) return ['    not checked yet'];
  const { online, response_time_ms: ms, error } = health;
  const speed = ms === undefined ? '' : ` in ${ms} ms`;
  return [
    `    ${online ? 'online' : 'offline'}${speed}${freshness.stale ? ', STALE' : ''}`,
    ...(error === undefined ? [] : [visible(`    ${error}`)]),
  ];
}

function capabilityLines({ capabilities, provenance }: AgentInFull): string[] {
  if (capabilities === undefined) return ['    never read successfully'];
  const {
    tools_count,
    tools,
    supported_versions: versions = [],
    creative_capabilities: creative,
  } = capabilities;
  const names = tools
    .slice(0, MOST)
    .map(({ name }) => name)
    .join(' ');
  return [
    `    read ${provenance.probe.read_at ?? 'at an unknown time'}`,
    visible(`    ${counted(tools_count, 'tool')}: ${names}${tools_count > MOST ? ' …' : ''}`),
    ...(versions.length === 0 ? [] : [visible(`    protocol versions: ${shortList(versions)}`)]),
    ...(creative === undefined
      ? []
      : [`    ${counted(creative.formats_supported.length, 'creative format')}`]),
  ];
}

function metricsOf({ capabilities }: AgentInFull, now: number): readonly string[] {
  return metricLines(capabilities?.measurement_capabilities?.metrics ?? [], now, MOST);
}

function complianceLines({ compliance, verified_badges: badges, provenance }: AgentInFull): string[] {
  if (compliance === undefined) return ['    opted out'];
  const { status } = compliance;
  const headline = 'headline' in compliance && compliance.headline ? `: ${compliance.headline}` : '';
  const { run } = provenance;
  return [
    visible(`    ${status}${headline}`),
    run === null ? '    not tested' : visible(`    run ${run.id}, ${run.last_good_at}`),
    ...badges.map((badge) =>
      visible(`    badge ${badge.role} ${badge.proto_version}, ${badge.verification_modes.join(' and ')}`),
    ),
  ];
}

function placeLine({ domain, file, url, line, entry }: PlaceInFile, more: string): string {
  const place = line === undefined ? entry : `line ${line}, ${entry}`;
  return visible(`    ${domain}  ${url ?? `${file}.json`}  ${place}${more}`);
}

/** The state of a file that could not be read recently. */
function lateLines(file: PlaceInFile): string[] {
  return file.state === 'fresh' && file.why === null ? [] : visited(file).map((line) => `  ${line}`);
}

function visited(state: VisitState): string[] {
  return visitLines(state).map((line) => `    ${line}`);
}

function rest(total: number, shown: number): string[] {
  return total > shown ? [`    … and ${total - shown} more`] : [];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines];
}
