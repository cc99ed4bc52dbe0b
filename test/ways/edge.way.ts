import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createGuardedServer } from '../../src/edge/guarded-server.ts';
import { OVERLOADED, watchEventLoop } from '../../src/edge/watchdog.ts';
import { filesThatRun } from './files-that-run.ts';
import type { MeasuredWay } from './run.ts';

/** What every request passes before an operation sees it: a new connection, one request, a look at all connections. */
export const way: MeasuredWay = {
  name: 'through the edge',
  bound: 7,
  async measure() {
    const server = createGuardedServer((_request, response) => response.end('ok'), {
      bounds: { sweepMs: 20 },
      turnAway: (_request, others) => (watchdog.isOverloaded(others) ? OVERLOADED : undefined),
    });
    const watchdog = watchEventLoop(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async () => {
      const asked = request({ host: '127.0.0.1', port, agent: new Agent() }).end();
      const [answer] = await once(asked, 'response');
      answer.resume();
      await delay(100);
    };
    await ask();
    const ran = await filesThatRun(ask);
    server.close();
    return ran;
  },
};
