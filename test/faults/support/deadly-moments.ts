import type { RebuildStep } from '../../../pipelines/rebuild.ts';
import type { ProxyRequest } from '../../engines/start/proxy.ts';

/** A moment at which a rebuild is killed: when the marks were seen one after the other. */
export interface DeadlyMoment {
  readonly step: RebuildStep;
  /** Regular expressions: of statements for SQLite, of `METHOD path first-line` for OpenSearch. */
  readonly marks: readonly string[];
  /** Before or after the engine did what the last mark fits; for SQLite after its commit. */
  readonly when: 'before' | 'after' | 'after commit';
}

const COPIED = 'SET copied_up_to';
const BUILT = 'SET state = CASE';
const LIVE = "SET state = 'live'";
const CHANGES = 'change_log';
const DROP = 'DROP TABLE';

/** Each step of a rebuild as the embedded index does it. */
export const SQLITE_MOMENTS: readonly DeadlyMoment[] = [
  { step: 'begin', marks: ['INSERT INTO index_generation'], when: 'before' },
  { step: 'begin', marks: ['INSERT INTO index_generation'], when: 'after commit' },
  { step: 'copy', marks: ['INTO index_agent_'], when: 'before' },
  { step: 'copy', marks: ['INTO index_agent_'], when: 'after commit' },
  { step: 'copy', marks: [COPIED], when: 'before' },
  { step: 'copy', marks: [COPIED], when: 'after commit' },
  { step: 'catch up', marks: [COPIED, CHANGES], when: 'before' },
  { step: 'built', marks: [BUILT], when: 'before' },
  { step: 'built', marks: [BUILT], when: 'after commit' },
  {
    step: 'compare',
    marks: [BUILT, 'SELECT a.url, a.seq FROM index_agent_', 'SELECT a.url, a.seq FROM index_agent_'],
    when: 'before',
  },
  { step: 'switch', marks: ["state = 'previous' WHERE state = 'live'"], when: 'before' },
  { step: 'switch', marks: [LIVE], when: 'before' },
  { step: 'switch', marks: [LIVE], when: 'after commit' },
  { step: 'switch', marks: [LIVE, DROP, DROP], when: 'before' },
  { step: 'follow', marks: [LIVE, DROP, CHANGES], when: 'before' },
];

const BULK_AGENTS = String.raw`^PUT \S+/_bulk .*"_id":"https:`;
const APPLIED_UP_TO = String.raw`^PUT \S+/_doc/generation%3Aapplied `;
const COPIED_UP_TO = String.raw`^POST \S+/_update/generation%3Aprogress .*"copied_up_to"`;
const COMPLETE = String.raw`^POST \S+/_update/generation%3Aprogress .*"is_complete"`;
const PROMOTED = String.raw`^POST \S+/_update/generation%3Aprogress .*"promoted_at"`;
const PAGE = '/_search .*"sort"';
const TEMPLATE = '^POST /_index_template/';
const SETTINGS = String.raw`^PUT \S+/_settings`;
const LOOK = '^GET /';
const SWITCH = '^POST /_aliases';

/** The same in an OpenSearch, by its requests. */
export const OPENSEARCH_MOMENTS: readonly DeadlyMoment[] = [
  { step: 'begin', marks: [TEMPLATE], when: 'after' },
  { step: 'begin', marks: [String.raw`^PUT \S+-\d{6} `], when: 'before' },
  { step: 'begin', marks: [String.raw`^PUT \S+-\d{6} `], when: 'after' },
  { step: 'begin', marks: [APPLIED_UP_TO], when: 'before' },
  { step: 'copy', marks: [BULK_AGENTS], when: 'before' },
  { step: 'copy', marks: [BULK_AGENTS, BULK_AGENTS], when: 'after' },
  { step: 'copy', marks: [COPIED_UP_TO], when: 'after' },
  { step: 'catch up', marks: [COPIED_UP_TO, LOOK], when: 'before' },
  { step: 'built', marks: [SETTINGS], when: 'before' },
  { step: 'built', marks: [SETTINGS], when: 'after' },
  { step: 'built', marks: [COMPLETE], when: 'before' },
  { step: 'built', marks: [COMPLETE], when: 'after' },
  { step: 'compare', marks: [COMPLETE, PAGE, PAGE], when: 'before' },
  { step: 'switch', marks: [SETTINGS, SETTINGS], when: 'after' },
  { step: 'switch', marks: [PROMOTED], when: 'after' },
  { step: 'switch', marks: [SWITCH], when: 'before' },
  { step: 'switch', marks: [SWITCH], when: 'after' },
  { step: 'follow', marks: [SWITCH, LOOK], when: 'before' },
];

/** Whether a moment has come, request by request. */
export function watchFor({ marks }: DeadlyMoment): (request: ProxyRequest) => boolean {
  const patterns = marks.map((mark) => new RegExp(mark));
  let passed = 0;
  return ({ method, path, body }) => {
    const line = `${method} ${path} ${body.split('\n')[0]}`;
    if (patterns[passed]?.test(line)) passed += 1;
    else return false;
    return passed === patterns.length;
  };
}
