// Checks the health of a process of the registry: exit code 0 if it is healthy, otherwise 1 with the reason.
const [url = 'http://127.0.0.1:8080/readyz'] = process.argv.slice(2);
const PATIENCE_MS = 4_000;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) stop(`${response.status} ${await response.text()}`);
} catch (error) {
  stop(`no answer: ${error instanceof Error ? error.message : error}`);
}

/** @param {string} reason */
function stop(reason) {
  process.stderr.write(`${url}: ${reason}\n`);
  process.exitCode = 1;
}
