import { agentKey } from '../domain/agent-url.ts';
import { LAB_GRADES, type LabCheck, type LabResult } from '../domain/lab-report.ts';
import { shortText } from '../domain/text.ts';
import type { SeenOver } from './exam.ts';
import {
  type Judged,
  judgeAgreement,
  judgeCapabilities,
  judgeCard,
  judgeHandshake,
  judgeHttps,
  judgeKeys,
  judgeSchema,
  judgeTools,
  judgeUnknownTask,
  judgeWrongRequest,
  type SeenKeys,
} from './judgements.ts';

const MOST_STEPS = 40;
const MOST_TEXT = 300;

/** The checks of one agent, which was dialled at `url`, with their points; pure. `durationMs` is that of the whole exam. */
export function gradeAgent(
  url: string,
  seen: readonly SeenOver[],
  keys: SeenKeys,
  durationMs: number,
): LabResult {
  const answering = seen.filter(({ failure }) => failure === undefined);
  const [first] = answering;
  const checks = [
    check('https', 'Uses HTTPS', 5, judgeHttps(url)),
    check('handshake', 'Answers over MCP or A2A', 20, judgeHandshake(seen)),
    check('tools', 'Lists protocol tasks', 10, first ? judgeTools(first) : NOT_REACHED),
    check('capabilities', 'Declares its capabilities', 15, first ? judgeCapabilities(first) : NOT_REACHED),
    check('schema', 'Capabilities match the schema', 15, first ? judgeSchema(first) : NOT_REACHED),
    check('unknown_task', 'Rejects unknown tasks', 10, first ? judgeUnknownTask(first) : NOT_REACHED),
    check('wrong_request', 'Locates errors in requests', 10, first ? judgeWrongRequest(first) : NOT_REACHED),
    check('card', 'Has a usable agent card', 5, judgeCard(seen)),
    check('agreement', 'MCP and A2A agree', 5, judgeAgreement(answering)),
    check('keys', 'Publishes usable signing keys', 5, judgeKeys(keys)),
  ];
  const outOf = checks.reduce((sum, one) => sum + one.outOf, 0);
  const points = checks.reduce((sum, one) => sum + one.points, 0);
  const name = answering.map((one) => one.name).find((one) => one !== undefined);
  return {
    grade: answering.length === 0 ? 'F' : gradeOf(points / outOf),
    ...{ points, outOf, durationMs, protocols: answering.map(({ protocol }) => protocol), checks },
    ...(name !== undefined && { name }),
    ...(new URL(url).href !== agentKey(url) && { dialledUrl: url }),
    steps: seen.flatMap(({ steps }) => steps.slice(0, MOST_STEPS / 2)).map(shortStep),
  };
}

const NOT_REACHED: Judged = { result: 'skipped', reason: 'not tested: the agent could not be reached' };

function check(id: string, title: string, outOf: number, { result, reason, hint }: Judged): LabCheck {
  const parts = { passed: 1, partly: 0.5, failed: 0, skipped: 0 };
  return {
    ...{ id, title, result, points: outOf * parts[result], outOf: result === 'skipped' ? 0 : outOf },
    reason: shortText(reason, MOST_TEXT) ?? '',
    ...(hint !== undefined && { hint }),
  };
}

function gradeOf(share: number): LabResult['grade'] {
  const earned = LAB_GRADES.find(({ from }) => share * 100 >= from);
  return earned?.grade ?? 'F';
}

function shortStep({ detail, ...step }: SeenOver['steps'][number]) {
  return { ...step, ...(detail !== undefined && { detail: shortText(detail, MOST_TEXT) ?? '' }) };
}
