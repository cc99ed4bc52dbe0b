import { lookAtCredentials, openStore } from '../../compose.ts';
import { feedState } from '../../indexing/feed-index.ts';
import { runChecks } from '../../ops/doctor.ts';
import type { DoctorFlags } from '../commands/doctor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { paint, printJson, printLine } from '../output/print.ts';
import { publicFaceOf, settingsOf } from '../settings.ts';
import { READ } from '../with-store.ts';

/** `registry doctor`: a tick list; 1 when something is wrong, 3 when it is the store. */
export async function doctorCommand(flags: DoctorFlags): Promise<ExitCode> {
  const ticks = await runChecks({
    readConfig: () => settingsOf(flags),
    readFiles: publicFaceOf,
    openStore: (config) => openStore(config, READ),
    feedState,
    credentials: (config, records) => lookAtCredentials(config, records),
  });
  if (flags.json) printJson({ ok: ticks.every((tick) => tick.ok), checks: ticks });
  else {
    for (const { ok, name, detail, hint } of ticks) {
      printLine(`${ok ? paint('green', '✓') : paint('red', '✗')} ${name}: ${detail}`);
      if (hint !== undefined) printLine(`    hint: ${hint}`);
    }
  }
  if (ticks.some((tick) => !tick.ok && tick.name === 'store')) return EXIT.store;
  return ticks.every((tick) => tick.ok) ? EXIT.ok : EXIT.findings;
}
