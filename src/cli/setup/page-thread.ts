import { keepPacked } from '../../api/answers.ts';
import type { MakePage, PageOrder } from '../../api/pages/page-makers.ts';
import { HttpProblem } from '../../api/problem.ts';
import { AskedThread } from '../../base/asked-thread.ts';
import { RegistryError } from '../../errors.ts';
import type { PageAnswer, PageWorkerData } from './page-worker.ts';

/** What pages may take. An order beyond either ends the thread, and the next one begins another. */
const HEAP_MIB = 384;
const CEILING_MS = 30_000;

export interface PageThread {
  /** Makes pages on the thread; by `here`, on the loop, until the thread is there. */
  beside(here: MakePage): MakePage;
  close(): Promise<void>;
}

/**
 * Pages are made on a thread of its own, with its own way to the records: a page takes milliseconds of work, and programs do
 * not wait for it. It begins with the first page that is asked for, so that a registry that nobody looks at has none.
 */
export function openPageThread(workerData: PageWorkerData): PageThread {
  let thread: AskedThread<PageOrder, PageAnswer> | undefined;
  let isThere = false;
  return {
    beside: (here) => async (order) => {
      if (thread === undefined || thread.hasEnded) thread = pageThread(workerData);
      // one that has ended may have met a page that takes too much: it is made on the loop no more
      isThere ||= thread.isReady;
      return isThere ? madeOf(await thread.ask(order), order) : here(order);
    },
    close: async () => thread?.end(),
  };
}

function pageThread(workerData: PageWorkerData): AskedThread<PageOrder, PageAnswer> {
  return new AskedThread({
    file: new URL('./page-worker.ts', import.meta.url),
    name: 'pages',
    workerData,
    limits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 32 },
    ceilingMs: CEILING_MS,
  });
}

function madeOf(answer: PageAnswer, { encoding }: PageOrder): Awaited<ReturnType<MakePage>> {
  if ('problem' in answer) throw new HttpProblem(...answer.problem);
  if ('fault' in answer) throw new RegistryError(...answer.fault);
  if (!('body' in answer)) return answer.made;
  const { made, packed } = answer;
  const body = asBuffer(answer.body);
  if (encoding !== undefined) keepPacked(body, encoding, packed && asBuffer(packed));
  return { ...made, body };
}

/** Bytes lose their class between threads. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
