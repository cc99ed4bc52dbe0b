import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openPlace, sealPlace } from '../../../index/query/cursor.ts';
import { readList, readMembers } from '../../body.ts';
import { queryText, refuseParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import type { SchemaName } from '../../schema-names.ts';
import { answer, describedBy, jsonBody, linkTo, problemAnswer, problems } from '../description.ts';
import { cutTo } from './domain-list.ts';
import { type GraphParts, MAX_LIST_BYTES, textParameter, timeText } from './reading.ts';

/** Texts of one check, and bytes of it; the field's clients send no more. */
const MAX_TEXTS = 10_000;
const MAX_CHECK_BODY = 1024 * 1024;
export const CHECKED_AT_ONCE = 500;
const KEPT_MS = 7 * 24 * 3_600_000;

/** What a check sorted its texts into, by name; `total` is one of the counts. */
type CheckCounts = Readonly<Record<string, number>>;
type ReportParts = Pick<GraphParts, 'clock' | 'cursorSecret'>;

/** One of the two operations of a check: its words, and the schema of its answer. */
interface CheckOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly answers: SchemaName;
}

/** A check of a list of texts, and the report of its counts. */
export interface ReportedCheck {
  readonly path: string;
  /** The only member of the body. */
  readonly member: string;
  /** What its reports are called; no other check opens them. */
  readonly reports: string;
  /** The schema of the body. */
  readonly question: SchemaName;
  readonly check: CheckOperation;
  readonly report: CheckOperation;
  /** What a report has beside its counts. */
  readonly reportHas: object;
  judge(parts: GraphParts, texts: readonly string[]): Promise<{ summary: CheckCounts; found: object }>;
}

/** POST to the path of a check, and GET of its report behind it. */
export function checkOperations(server: FastifyInstance, parts: GraphParts, one: ReportedCheck): void {
  const { path, reports } = one;
  const options = { ...describedBy(describeCheck(one)), bodyLimit: MAX_CHECK_BODY };
  server.post(path, options, async (request, reply) => {
    refuseParameters(queryText(request), 'the check');
    const { summary, found } = await one.judge(parts, readTexts(request.body, one.member));
    const shown = { summary, ...found, report_id: sealReport(parts, reports, summary) };
    return reply.header('cache-control', 'no-store').send(cutTo(shown, MAX_LIST_BYTES));
  });
  server.get(
    `${path}/:reportId`,
    describedBy(describeReport(one)),
    async (request: FastifyRequest<{ Params: { reportId: string } }>, reply) => {
      refuseParameters(queryText(request), 'the report');
      reply.header('cache-control', 'no-store');
      return { ...openReport(parts, reports, request.params.reportId), ...one.reportHas };
    },
  );
}

function describeCheck({ check: { answers, ...words }, question, report }: ReportedCheck) {
  return {
    ...words,
    requestBody: jsonBody(question),
    responses: {
      200: {
        ...answer('The result, with the id of its report.', answers, {}),
        ...linkTo(report.operationId, { reportId: '$response.body#/report_id' }),
      },
      ...problems(400, 401, 429, 500, 503),
      413: problemAnswer('The body is larger than 1 MiB.'),
    },
  };
}

function describeReport({ report: { answers, ...words } }: ReportedCheck) {
  return {
    ...words,
    parameters: [
      { ...textParameter('reportId', 'The id of the report.', '', { in: 'path' }), example: undefined },
    ],
    responses: {
      200: answer('The counts.', answers, {}),
      ...problems(400, 401, 429, 500, 503),
      404: problemAnswer('No report with this id in the last 7 days.'),
    },
  };
}

/** The id of a report: it contains the signed counts, so that submitted lists are not stored. `kind` names the check. */
function sealReport({ clock, cursorSecret }: ReportParts, kind: string, counts: CheckCounts): string {
  return sealPlace(cursorSecret, kind, JSON.stringify([clock.now() + KEPT_MS, counts]));
}

/** The counts of a report for 7 days. Throws the HttpProblem 404 for an id that was not sealed for this check, or is older. */
function openReport({ clock, cursorSecret }: ReportParts, kind: string, id: string) {
  const opened = openPlace(cursorSecret, kind, id);
  const [until, summary] = opened.ok ? (JSON.parse(opened.after) as [number, CheckCounts]) : [0];
  if (summary === undefined || until <= clock.now())
    throw new HttpProblem('not_found', 'no report with this id in the last 7 days', {
      parameter: 'reportId',
    });
  return { summary, expires_at: timeText(until) };
}

/** The texts of a body, its only member. Throws HttpProblems. */
function readTexts(body: unknown, member: string): readonly string[] {
  const texts = readList(readMembers(body, [member]), member, MAX_TEXTS, 'texts');
  if (texts.some((one) => typeof one !== 'string'))
    throw invalidValue(member, 'a list of strings is required');
  return texts as readonly string[];
}
