import type { Seen, WebInput } from '../sides/web.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { PARENT, type Spread } from './publishers.ts';
import { startSide } from './side.ts';

/** The TLS server of all publishers and agents. */
export interface Web {
  readonly port: number;
  /** Of the process that sends hostile files, where there is one. */
  readonly hostilePort?: number;
  readonly ca: string;
  /** What it has seen since this was last called. */
  seen(): Promise<Seen>;
  stop(): Promise<void>;
}

/** Starts it in a process of its own, under an authority made for it; with a second process that sends hostile files alone. */
export async function startWeb(spread: Spread, withHostile = false): Promise<Web> {
  const certificates: Certificates = makeCertificates(PARENT);
  const input: WebInput = { certificates, ...spread };
  const start = (more: Partial<WebInput>) => startSide<{ port: number }, Seen>('web', { ...input, ...more });
  const { ready, ask, stop } = await start({});
  const hostile = withHostile ? await start({ givesWay: true }) : undefined;
  return {
    port: ready.port,
    ...(hostile && { hostilePort: hostile.ready.port }),
    ca: certificates.ca,
    seen: () => ask('seen'),
    async stop() {
      await Promise.all([stop(), hostile?.stop()]);
    },
  };
}
