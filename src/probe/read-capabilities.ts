import { isObject, type JsonObject, member } from '../base/json.ts';
import { declarationFindings, declaredVersions } from '../calling/declarations.ts';
import type { FindingList } from '../calling/session.ts';
import type { Capabilities, Tool } from '../domain/capabilities.ts';
import { inferType } from '../domain/infer-type.ts';
import type { Exposed } from '../domain/observation.ts';
import { distinctTexts } from '../domain/text.ts';
import { withNamesOf } from '../protocol/field-names.ts';
import { taskNamed } from '../protocol/tasks.ts';
import { VOCABULARIES, VOCABULARY_NAMES, type VocabularyName } from '../protocol/vocabulary.ts';
import { isHttpsUrl } from './metric-fields.ts';
import {
  readCreative,
  readDomains,
  readFormats,
  readInventory,
  readSignals,
  readStandardOperations,
} from './read-groups.ts';
import { readMetrics } from './read-metrics.ts';

/** Tools kept in a record; the count stays exact. */
const MAX_TOOLS = 1_000;
const MAX_NAMES = 100;
const SECTIONS = [
  'account',
  'media_buy',
  'signals',
  'governance',
  'creative',
  'brand',
  'measurement',
] as const;

/** What one agent answered. */
export interface AgentAnswers {
  readonly tools: readonly Tool[];
  /** The answer of the capabilities task and its vocabulary; absent when there is no such task. */
  readonly answer?: JsonObject;
  readonly vocabulary?: VocabularyName;
  /** The answer of `list_creative_formats`. */
  readonly formats?: JsonObject;
  readonly name?: string;
  readonly description?: string;
}

/**
 * From tools and capabilities to what the record shows (specification, 2.2), whichever vocabulary the agent uses.
 * Pure; what is wrong in the answer is added to the findings and costs only itself.
 */
export function readCapabilities(answers: AgentAnswers, findings: FindingList): Exposed {
  const answer = withNamesOf('proto', 'get_proto_capabilities', answers.answer ?? {});
  const supportedProtocols = distinctTexts(member(answer, 'supported_protocols'), MAX_NAMES, 64);
  const sections = SECTIONS.filter((section) => isObject(member(answer, section)));
  const toolNames = answers.tools.map((tool) => tool.name);
  warnOfHyphens(toolNames, findings);
  for (const { severity, code, pointer, message } of declarationFindings(answers.answer ?? {}))
    findings.add(severity, code, pointer, message);
  const brandJsonUrl = readBrandJsonUrl(answer, findings);
  const specialisms = distinctTexts(member(answer, 'specialisms'), MAX_NAMES, 64);
  const supportedVersions = declaredVersions(answers.answer ?? {});
  return {
    capabilities: readGroups(answers, { answer, specialisms, supportedVersions }, findings),
    creativeFormatCount: readFormats(answer, answers.formats).length,
    inferredType: inferType(toolNames, [...sections, ...supportedProtocols]),
    ...(answers.name !== undefined && { name: answers.name }),
    ...(answers.description !== undefined && { description: answers.description }),
    supportedProtocols,
    specialisms,
    inventory: readInventory(answer, { specialisms, supportedProtocols, formats: answers.formats }),
    supportedVersions,
    claimedPublisherDomains: readClaims(answer, findings),
    ...(brandJsonUrl !== undefined && { brandJsonUrl }),
    ...(answers.vocabulary !== undefined && { vocabulary: answers.vocabulary }),
  };
}

/** A tool is a task by its exact name, as the clients of the field call it: another spelling is never called by them. */
function warnOfHyphens(tools: readonly string[], findings: FindingList): void {
  const at = tools.findIndex((name) => name.includes('-') && taskNamed(name) !== undefined);
  const name = tools[at];
  if (name === undefined || tools.includes(name.replaceAll('-', '_'))) return;
  const told = `clients call ${name.replaceAll('-', '_')} and never ${name}; rename the tool`;
  findings.add('warning', 'tool_name_hyphens', `/tools/${at}/name`, told);
}

/** True for an object in which at least one member is one that the capabilities task answers with. */
export function isCapabilitiesAnswer(answer: JsonObject): boolean {
  const known = [...SECTIONS, ...VOCABULARIES.map((name) => VOCABULARY_NAMES[name].section)];
  return (
    known.some((key) => isObject(member(answer, key))) || Array.isArray(member(answer, 'supported_protocols'))
  );
}

/** True when the answer names creative formats, so that nobody need ask for them. */
export function listsFormats(answer: JsonObject | undefined): boolean {
  const formats = member(member(answer, 'creative'), 'supported_formats');
  return Array.isArray(formats) && formats.length > 0;
}

interface Declared extends Pick<Exposed, 'specialisms' | 'supportedVersions'> {
  readonly answer: JsonObject;
}

function readGroups(
  answers: AgentAnswers,
  { answer, specialisms, supportedVersions }: Declared,
  findings: FindingList,
): Capabilities {
  const names = new Set(answers.tools.map((tool) => tool.name));
  const standard = readStandardOperations(names, answer, specialisms);
  const creative = readCreative(names, answer, answers.formats);
  const signals = readSignals(names, answer);
  const measurement = member(answer, 'measurement');
  return {
    tools_count: answers.tools.length,
    tools: answers.tools.slice(0, MAX_TOOLS),
    ...(supportedVersions.length > 0 && { supported_versions: supportedVersions }),
    ...standard,
    ...(creative && { creative_capabilities: creative }),
    ...(signals && { signals_capabilities: signals }),
    ...(isObject(measurement) && {
      measurement_capabilities: { metrics: readMetrics(member(measurement, 'metrics'), findings) },
    }),
  };
}

function readClaims(answer: JsonObject, findings: FindingList): readonly string[] {
  const portfolio = member(member(answer, 'media_buy'), 'portfolio');
  return readDomains(
    member(portfolio, 'publisher_domains'),
    '/media_buy/portfolio/publisher_domains',
    findings,
  );
}

function readBrandJsonUrl(answer: JsonObject, findings: FindingList): string | undefined {
  const url = member(member(answer, 'identity'), 'brand_json_url');
  if (url === undefined || url === null) return undefined;
  if (typeof url === 'string' && url.length <= 2048 && isHttpsUrl(url)) return url;
  findings.add(
    'warning',
    'brand_json_url_invalid',
    '/identity/brand_json_url',
    'brand_json_url must be an https URL',
  );
  return undefined;
}
