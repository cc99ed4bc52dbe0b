import { Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Way {
  /** Files of ours in which some function ran, as paths from the root, in order. */
  readonly files: readonly string[];
  /** Functions of ours that ran. */
  readonly functions: number;
}

let isMeasured = false;
const every = globalThis.setInterval;
// What a process does by the minute belongs to no action: an interval that began before one stands still meanwhile.
globalThis.setInterval = ((tick: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
  const isOfAction = isMeasured;
  return every(() => (isOfAction || !isMeasured ? tick(...given) : undefined), ms);
}) as typeof setInterval;

/**
 * What of ours runs while an action is done once, by V8's precise coverage. Do the action once before, so that what
 * is loaded and made at the first time does not count.
 */
export async function filesThatRun(action: () => Promise<unknown>): Promise<Way> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage'); // sets all counts to zero
    isMeasured = true;
    await action();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.flatMap(({ url, functions }) => {
      const file = ourFile(url);
      const count = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length;
      return file === undefined || count === 0 ? [] : [{ file, count }];
    });
    return {
      files: ran.map(({ file }) => file).toSorted(),
      functions: ran.reduce((sum, { count }) => sum + count, 0),
    };
  } finally {
    isMeasured = false;
    session.disconnect();
  }
}

/** Of the product: `src/` and `pipelines/`, neither tests nor what is generated. */
function ourFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url);
  if (!path.startsWith(`${ROOT}/`)) return undefined;
  const file = path.slice(ROOT.length + 1);
  return /^(src|pipelines)\//.test(file) ? file : undefined;
}
