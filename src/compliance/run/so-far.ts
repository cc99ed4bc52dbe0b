import type { RunSoFar, StoryboardSoFar } from '../../domain/run-so-far.ts';
import type { Progress } from './run-state.ts';

/** What a run has done so far, after it has told this too. Pure. */
export function soFarAfter(before: RunSoFar, progress: Progress): RunSoFar {
  switch (progress.kind) {
    case 'agent':
      return { storyboards: progress.storyboards, steps: progress.steps, begun: [] };
    case 'storyboard': {
      const { id, title } = progress;
      return { ...before, begun: [...before.begun, { id, title, steps: [] }] };
    }
    case 'step': {
      const { title, result, duration_ms } = progress.step;
      return last(before, (one) => ({ ...one, steps: [...one.steps, { title, result, duration_ms }] }));
    }
    case 'result':
      return last(before, (one) => ({ ...one, result: progress.result.result }));
  }
}

function last({ begun, ...size }: RunSoFar, change: (one: StoryboardSoFar) => StoryboardSoFar): RunSoFar {
  return { ...size, begun: begun.map((one, at) => (at === begun.length - 1 ? change(one) : one)) };
}
