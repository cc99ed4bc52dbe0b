import type { Seen, WebInput } from '../sides/web.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { PARENT, type Spread } from './publishers.ts';
import { startSide } from './side.ts';

/** The TLS server of all publishers and agents. */
export interface Web {
  readonly port: number;
  readonly ca: string;
  /** What it has seen since this was last called. */
  seen(): Promise<Seen>;
  stop(): Promise<void>;
}

/** Starts it in a process of its own, under an authority made for it. */
export async function startWeb(spread: Spread): Promise<Web> {
  const certificates: Certificates = makeCertificates(PARENT);
  const input: WebInput = { certificates, ...spread };
  const { ready, ask, stop } = await startSide<{ port: number }, Seen>('web', input);
  return { port: ready.port, ca: certificates.ca, seen: () => ask('seen'), stop };
}
