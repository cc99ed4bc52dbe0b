import { type Command, Option } from 'commander';
import { INTERVAL_HOURS } from '../../domain/agent-settings.ts';
import { LIFECYCLE_STAGES, type LifecycleStage } from '../../domain/compliance.ts';
import type { Done } from '../command.ts';
import { type JsonFlag, type StoreFlags, wholeNumber, withJson, withStore } from '../options.ts';

export interface SettingsFlags extends StoreFlags, JsonFlag {
  readonly member?: string;
  readonly optOut?: true;
  readonly optIn?: true;
  readonly pause?: true;
  readonly resume?: true;
  readonly interval?: number;
  readonly stage?: LifecycleStage;
}

/** `registry agents settings`. */
export function defineAgentSettings(agents: Command, done: Done): void {
  const { min, max } = INTERVAL_HOURS;
  const settings = agents
    .command('settings')
    .description("Show or change what is decided about an agent's tests; each change is in registry audit.")
    .argument('<url>', 'the agent')
    .option('--member <slug>', 'for this member, who must be the proven owner; without it, as the operator')
    .addOption(new Option('--opt-out', 'no tests, and nothing of earlier ones is shown').conflicts('optIn'))
    .option('--opt-in', 'the end of that')
    .addOption(new Option('--pause', 'no tests by the clock for now').conflicts('resume'))
    .option('--resume', 'the end of that')
    .option('--interval <hours>', `between two tests, ${min} to ${max}`, wholeNumber(min, max))
    .addOption(new Option('--stage <stage>', 'where it is in its life').choices(LIFECYCLE_STAGES));
  withJson(withStore(settings)).action(async (url: string, flags: SettingsFlags) => {
    const { settingsCommand } = await import('../run/agent-settings.ts');
    done(await settingsCommand(url, flags));
  });
}
