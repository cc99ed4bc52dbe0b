import { answerQuestions } from '../../../src/base/asked-thread.ts';

/** What the thread of the test does: gives the text back, throws it, computes for ever, or takes all memory there is. */
export type Deed = readonly ['say' | 'throw' | 'compute' | 'hoard' | 'leave', text: string];

answerQuestions(async ([deed, text]: Deed): Promise<string> => {
  if (deed === 'throw') throw new Error(text);
  if (deed === 'leave') process.exit(1);
  const kept: string[][] = [];
  while (deed === 'compute' || deed === 'hoard')
    if (deed === 'hoard')
      kept.push(Array.from({ length: 10_000 }, (_, at) => `${text} ${kept.length} ${at}`));
  return text;
});
