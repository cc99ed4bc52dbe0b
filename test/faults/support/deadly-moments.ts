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

const BEGUN = 'SET applied_seq';
const COPY = 'INTO "index_agent_';
const BUILT = "SET state = 'built' WHERE id = \\? AND";
const LISTED = 'AS listed WHERE url >';
const LIVE = "SET state = 'live'";
const CHANGES = 'change_log';
const DROP = 'DROP TABLE';

/** Each step of a rebuild as the embedded index does it. */
export const SQLITE_MOMENTS: readonly DeadlyMoment[] = [
  { step: 'begin', marks: ['INSERT INTO index_generation'], when: 'before' },
  { step: 'begin', marks: ['INSERT INTO index_generation'], when: 'after commit' },
  { step: 'begin', marks: [BEGUN], when: 'before' },
  { step: 'copy', marks: [COPY], when: 'before' },
  { step: 'copy', marks: [COPY], when: 'after commit' },
  { step: 'catch up', marks: [COPY, CHANGES], when: 'before' },
  { step: 'built', marks: [BUILT], when: 'before' },
  { step: 'built', marks: [BUILT], when: 'after commit' },
  {
    step: 'compare',
    marks: [BUILT, LISTED, LISTED],
    when: 'before',
  },
  { step: 'switch', marks: ["state = 'previous' WHERE state = 'live'"], when: 'before' },
  { step: 'switch', marks: [LIVE], when: 'before' },
  { step: 'switch', marks: [LIVE], when: 'after commit' },
  { step: 'switch', marks: [DROP, DROP], when: 'before' },
  { step: 'follow', marks: [LIVE, CHANGES], when: 'before' },
];

const BULK_AGENTS = String.raw`^PUT \S+/_bulk .*"_id":"https:`;
const APPLIED_UP_TO = String.raw`^PUT \S+/_doc/generation%3Aapplied `;
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
  { step: 'catch up', marks: [BULK_AGENTS, LOOK], when: 'before' },
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
