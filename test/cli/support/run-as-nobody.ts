/** Runs the program as a user whom permissions bind: `node run-as-nobody.ts ARGUMENTS`, started by root. */
const NOBODY = 65_534;
process.chdir('/');
process.setgroups?.([]);
process.setgid?.(NOBODY);
process.setuid?.(NOBODY);
await import('../../../src/main.ts');
