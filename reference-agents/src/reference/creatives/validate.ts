import { handler } from '../handler.ts';
import { checkAssets } from './check-assets.ts';
import { findFormat } from './formats.ts';

/** Problems that are told of one creative; more than these help nobody. */
const MAX_PROBLEMS = 100;

/** validate_creative: every place where a creative does not follow its format, or another one that is named. */
export const validateCreative = handler('validate_creative', {
  description: 'Validates a creative against its format',
  callers: 'anybody',
  run: ({ creative, format_id: other }, call) => {
    const pointer = other === undefined ? '/creative/format_id' : '/format_id';
    const format = findFormat(call, other ?? creative.format_id, pointer);
    const found = checkAssets(creative, format).slice(0, MAX_PROBLEMS);
    const problems = found.map(({ rule, pointer: place, message }) => ({
      pointer: place,
      code: rule,
      message,
    }));
    return { valid: problems.length === 0, problems };
  },
});
