import { command } from '../../command.ts';
import { VALIDATE_FLAGS } from './flags.ts';

/** 0 when the file is valid (warnings are fine), 1 when it has errors. */
export default command({
  name: 'validate',
  description: 'Validate an adagents.json or brand.json: a file, the file of a domain, or - for stdin.',
  arguments: [['<target>', 'a file, a domain name, or -']],
  flags: VALIDATE_FLAGS,
  examples: [
    'agent-registry validate ./adagents.json',
    'agent-registry validate ./adagents.json --fix --dry-run',
    'agent-registry validate news.example',
    'cat brand.json | agent-registry validate - --kind brand',
  ],
  run: async (flags, target) => (await import('./run.ts')).validate(target, flags),
});
