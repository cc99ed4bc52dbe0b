import { shellWord } from '../../domain/shell-word.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import { INCONCLUSIVE_WORDS } from '../output/inconclusive.ts';
import { counted } from '../output/print.ts';

/** When the heartbeat comes, epoch milliseconds or null, and why then, or why never. */
export interface NextRun {
  readonly at: number | null;
  readonly why: string;
}

/** Why an agent is tested when it is; the decision itself is `nextRunAt`'s, and was made when the last thing happened to it. */
export function explainNextRun(agent: string, { owner, settings, standing, due }: ComplianceState): NextRun {
  const never = (why: string): NextRun => ({ at: null, why });
  if (owner === undefined)
    return never(
      `nobody has proven to own it (registry agents challenge ${shellWord(agent)} --member SLUG begins the proof)`,
    );
  if (settings.optedOut) return never('its owner has opted out of tests');
  if (settings.monitoringPaused) return never('its owner has paused tests by the clock');
  const { lifecycleStage: stage, checkIntervalHours: hours } = settings;
  if (stage === 'development' || stage === 'deprecated')
    return never(`its stage is ${stage}; tests by the clock are for testing and production`);
  if (due === null) return never('it is decided with the next run, or the next change of its settings');
  return { at: due, why: reasonOf(standing, hours) };
}

function reasonOf({ lastAttempt, away }: ComplianceState['standing'], hours: number): string {
  const usual = `tested every ${hours} h`;
  if (lastAttempt === null) return `never tested yet; ${usual}`;
  const { outcome, reason, inRow } = lastAttempt;
  if (outcome === 'inconclusive' && reason !== null)
    return `the last try said nothing (${reason}, ${counted(inRow, 'time')} in a row): ${INCONCLUSIVE_WORDS[reason].why}`;
  if (outcome !== 'unreachable' || away === null) return usual;
  return away.tries < 2
    ? 'a second look, as the last try reached nobody'
    : `${counted(away.tries, 'try')} in a row reached nobody, so it is tried more rarely; ${usual} otherwise`;
}
