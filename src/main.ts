import { runCli } from './cli/run-cli.ts';

// a reader that has seen enough (`registry search --json | head`) is no fault of ours
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2));
