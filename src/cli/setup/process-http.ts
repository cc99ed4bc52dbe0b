import { createProcessServer, type ProcessServerOptions } from '../../api/process-server.ts';
import { serve } from '../../api/serve.ts';
import { printLine } from '../output/print.ts';

/** /metrics and /health of this process, when it was given a port, which `announce` reports; `stop` resolves when nothing listens any more. */
export async function serveProcess(
  { port, host }: { readonly port?: number | undefined; readonly host: string },
  options: ProcessServerOptions,
  announce: (line: string) => void = printLine,
): Promise<{ stop(): Promise<void> }> {
  if (port === undefined) return { stop: async () => {} };
  const end = new AbortController();
  const server = createProcessServer(options);
  const serving = await serve({ server, host, port, signal: end.signal, graceMs: 1_000 });
  announce(`metrics at ${serving.url}/metrics, health at ${serving.url}/health`);
  return {
    stop() {
      end.abort();
      return serving.stopped;
    },
  };
}
