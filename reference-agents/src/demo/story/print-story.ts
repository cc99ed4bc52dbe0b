import { counted, duration, note, printLine } from 'agent-registry/command-line';
import { AGENT } from './story-agent.ts';
import { printStoryHead, printStoryLine } from './story-line.ts';
import { tellStory } from './tell-story.ts';

/** `npm run demo -- --story`: what happens to one agent, as a dated log. */
export async function printStory(signal: AbortSignal): Promise<void> {
  note(
    '17 days of one agent, with the clock put forward; every probe, test and answer is real, on this machine',
  );
  const began = performance.now();
  printLine(`the story of ${AGENT}`);
  printStoryHead();
  const { days, runs, probes } = await tellStory(printStoryLine, { signal });
  const made = `${counted(runs, 'run')} and ${counted(probes, 'probe')}`;
  printLine(`${days} days in ${duration(performance.now() - began)}: ${made}`);
}
