/**
 * The sandbox and a command that is pointed at it, in one process, for tests that kill both:
 *
 *   node reference-agents/test/support/sandbox-and-command.ts STATE COMMAND…
 */
import { runCli } from '../../../src/cli/run-cli.ts';
import { startSandbox } from '../../src/start-sandbox.ts';

const [state = '', ...words] = process.argv.slice(2);
const sandbox = await startSandbox({ seed: 5, publishers: 20, managed: 5, state });
process.exitCode = await runCli([...words, '--connect-to', sandbox.connectTo[0] ?? '']);
await sandbox.close();
