import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { RunReport } from '../../../../ports/compliance.ts';

const deflated = promisify(deflate);
const inflated = promisify(inflate);

/** Of a run as JSON; a run of all storyboards is some hundred KiB. */
export const MAX_REPORT_BYTES = 4 << 20;
/** The mark that it is shortened comes on top. */
const MAX_READ_BYTES = MAX_REPORT_BYTES + 1_024;

/** A run as bytes to keep: whole, else without what went to and fro, else without its steps. */
export async function packReport(report: object): Promise<Uint8Array> {
  return deflated(fitting(report));
}

/** The run of such bytes. */
export async function unpackReport(bytes: Uint8Array): Promise<RunReport> {
  const text = await inflated(bytes, { maxOutputLength: MAX_READ_BYTES });
  return JSON.parse(text.toString()) as RunReport;
}

function fitting(report: object): Buffer {
  const whole = Buffer.from(JSON.stringify(report));
  if (whole.length <= MAX_REPORT_BYTES) return whole;
  const plain = Buffer.from(JSON.stringify({ shortened: 'evidence', ...withoutEvidence(report) }));
  if (plain.length <= MAX_REPORT_BYTES) return plain;
  const { run_id, agent_url, started_at, finished_at, outcome } = report as Readonly<Record<string, unknown>>;
  return Buffer.from(
    JSON.stringify({ shortened: 'steps', run_id, agent_url, started_at, finished_at, outcome, steps: [] }),
  );
}

function withoutEvidence(report: object): object {
  const { steps } = report as { readonly steps?: unknown };
  if (!Array.isArray(steps)) return report;
  const bare = steps.map((step: object) => ({ ...step, evidence: undefined }));
  return { ...report, steps: bare };
}
