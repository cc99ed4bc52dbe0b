import { runCli } from '@agent-registry/surface/command-line';

/*
 * The program as the demo starts it for its sandbox: it ends with whoever started it, also with one that was killed and
 * could stop nothing any more.
 */

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref(); // it alone keeps nobody here
process.exitCode = await runCli(process.argv.slice(2));
