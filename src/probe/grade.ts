import { agentKey } from '../domain/agent-url.ts';
import type { LabCheck, LabResult } from '../domain/lab-report.ts';
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
  judgeRefusal,
  judgeSchema,
  judgeTools,
  type SeenKeys,
} from './judgements.ts';

const MOST_STEPS = 40;
const MOST_TEXT = 300;

/** The checks of one agent, which was dialled at `url`, with their points; pure. `durationMs` is of the whole exam. */
export function gradeAgent(
  url: string,
  seen: readonly SeenOver[],
  keys: SeenKeys,
  durationMs: number,
): LabResult {
  const answering = seen.filter(({ failure }) => failure === undefined);
  const [first] = answering;
  const checks = [
    check('https', 'The address is https', 5, judgeHttps(url)),
    check('handshake', 'It answers over MCP or A2A', 20, judgeHandshake(seen)),
    check('tools', 'It lists tasks of the protocol', 10, first ? judgeTools(first) : NOT_REACHED),
    check('capabilities', 'It says what it can do', 15, first ? judgeCapabilities(first) : NOT_REACHED),
    check('schema', 'What it says follows the schema', 15, first ? judgeSchema(first) : NOT_REACHED),
    check('unknown_task', 'A task that nobody has is refused', 10, judgeRefusal(first?.toNoTask, false)),
    check(
      'wrong_request',
      'A wrong request is refused with its place',
      10,
      judgeRefusal(first?.toWrongType, true),
    ),
    check('card', 'Its agent card can be used', 5, judgeCard(seen)),
    check('agreement', 'Both protocols say the same', 5, judgeAgreement(answering)),
    check('keys', 'Its keys are published and can verify', 5, judgeKeys(keys)),
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

const NOT_REACHED: Judged = { result: 'skipped', reason: 'nothing could be asked' };

function check(id: string, title: string, outOf: number, { result, reason, hint }: Judged): LabCheck {
  const parts = { passed: 1, partly: 0.5, failed: 0, skipped: 0 };
  return {
    ...{ id, title, result, points: outOf * parts[result], outOf: result === 'skipped' ? 0 : outOf },
    reason: shortText(reason, MOST_TEXT) ?? '',
    ...(hint !== undefined && { hint }),
  };
}

function gradeOf(share: number): LabResult['grade'] {
  if (share >= 0.95) return 'A';
  if (share >= 0.85) return 'B';
  if (share >= 0.7) return 'C';
  return share >= 0.5 ? 'D' : 'F';
}

function shortStep({ detail, ...step }: SeenOver['steps'][number]) {
  return { ...step, ...(detail !== undefined && { detail: shortText(detail, MOST_TEXT) ?? '' }) };
}
