import { once } from 'node:events';
import { answerQuestions } from '../../../src/base/asked-thread.ts';

/** What the thread of the test does: gives the text back, at once or when it is aborted, throws it, computes for a moment or for ever, or takes all memory there is. */
export type Deed = readonly [
  'say' | 'wait' | 'throw' | 'think' | 'compute' | 'hoard' | 'leave',
  text: string,
];

answerQuestions(async ([deed, text]: Deed, signal): Promise<string> => {
  if (deed === 'wait') await once(signal, 'abort');
  if (deed === 'throw') throw new Error(text);
  if (deed === 'leave') process.exit(1);
  for (const end = performance.now() + 300; deed === 'think' && performance.now() < end; );
  const kept: string[][] = [];
  while (deed === 'compute' || deed === 'hoard')
    if (deed === 'hoard')
      kept.push(Array.from({ length: 10_000 }, (_, at) => `${text} ${kept.length} ${at}`));
  return text;
});
