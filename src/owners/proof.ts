import { randomBytes } from 'node:crypto';
import type { Capture } from '../domain/capture.ts';
import { CHALLENGE_MS, type Challenge, type ProofWay, proofPlaces } from '../domain/ownership.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { TxtResolver } from '../ports/txt-resolver.ts';

/** One place that was checked, and what was found, in a few words. */
interface LookedAt {
  readonly way: ProofWay;
  readonly where: string;
  readonly seen: string;
}

export interface ProofSearch {
  /** Absent: the text is in neither place. */
  readonly via?: ProofWay;
  readonly looked: readonly LookedAt[];
}

/**
 * Checks the places of an agent for its verification text. `bounded` wraps a check that this call starts, to apply the
 * caller's limits; its rejections are passed on.
 */
export type FindProof = (agent: string, token: string, bounded?: BoundedLook) => Promise<ProofSearch>;

export type BoundedLook = <T>(look: () => Promise<T>) => Promise<T>;

interface ProofSources {
  readonly fetcher: Fetcher;
  readonly txt: TxtResolver;
  readonly signal?: AbortSignal;
}

interface Found {
  readonly texts: readonly string[];
  /** Why nothing could be read. */
  readonly trouble?: string;
}

const VISIT_MS = 15_000;
const MAX_FILE_BYTES = 65_536;

/**
 * Checks for the verification text: as a line of the file on the agent's host, then as a TXT record of its registrable
 * domain. Redirects are not followed, since many sites have open redirects. Never rejects because of the content.
 */
export async function findProof(agent: string, token: string, sources: ProofSources): Promise<ProofSearch> {
  return judgePlaces(agent, token, await readPlaces(agent, sources));
}

/** The content of both places of an agent. */
interface Published {
  readonly file: Found;
  readonly dns: Found;
}

async function readPlaces(agent: string, sources: ProofSources): Promise<Published> {
  const { fileUrl, dnsName } = proofPlaces(agent);
  const [file, dns] = await Promise.all([
    readFile(fileUrl, sources),
    dnsName === undefined ? NOTHING : readTxt(dnsName, sources),
  ]);
  return { file, dns };
}

const NOTHING: Found = { texts: [] };

function judgePlaces(agent: string, token: string, { file, dns }: Published): ProofSearch {
  const { fileUrl, dnsName } = proofPlaces(agent);
  const inFile = judge('file', fileUrl, token, file);
  if (inFile.seen === THERE || dnsName === undefined) return searched([inFile]);
  return searched([inFile, judge('dns', dnsName, token, dns)]);
}

/**
 * The same for many callers: those who ask about one host during a check share the next one. So other callers cannot delay
 * the discovery of a published text, and a host gets one check at a time.
 */
export function createSharedProofs(sources: Pick<ProofSources, 'fetcher' | 'txt'>): FindProof {
  const running = new Map<string, Promise<unknown>>();
  /** Checks that have not started; undefined: the caller that was to start it could not. */
  const waiting = new Map<string, Promise<{ readonly published: Published } | undefined>>();

  async function begin(agent: string, host: string, bounded: BoundedLook): Promise<Published> {
    await running.get(host);
    return bounded(async () => {
      waiting.delete(host);
      const look = readPlaces(agent, sources);
      const ended = look.then(
        () => {},
        () => {},
      );
      running.set(host, ended);
      try {
        return await look;
      } finally {
        if (running.get(host) === ended) running.delete(host);
      }
    });
  }

  async function look(agent: string, bounded: BoundedLook): Promise<Published> {
    const host = proofPlaces(agent).fileUrl;
    for (let shared = waiting.get(host); shared !== undefined; shared = waiting.get(host)) {
      const found = await shared;
      if (found !== undefined) return found.published;
    }
    const own = begin(agent, host, bounded);
    const shared = own.then(
      (published) => ({ published }),
      () => undefined,
    );
    waiting.set(host, shared);
    try {
      return await own;
    } finally {
      if (waiting.get(host) === shared) waiting.delete(host);
    }
  }

  return async (agent, token, bounded = (work) => work()) =>
    judgePlaces(agent, token, await look(agent, bounded));
}

const THERE = 'text found';

function searched(looked: readonly LookedAt[]): ProofSearch {
  const via = looked.find(({ seen }) => seen === THERE)?.way;
  return { looked, ...(via !== undefined && { via }) };
}

function judge(way: ProofWay, where: string, token: string, { texts, trouble }: Found): LookedAt {
  if (trouble !== undefined) return { way, where, seen: trouble };
  if (texts.some((text) => text.trim() === token)) return { way, where, seen: THERE };
  const others = texts.some((text) => text.trim() !== '');
  return { way, where, seen: others ? 'other content, but not this text' : 'nothing found' };
}

async function readFile(url: string, { fetcher, signal }: ProofSources): Promise<Found> {
  const options = { host: new URL(url).hostname, deadlineMs: VISIT_MS, ...(signal && { signal }) };
  const asked = {
    url,
    maxBytes: MAX_FILE_BYTES,
    redirects: { allow: 'none' } as const,
    accept: 'text/plain',
  };
  return fileTexts(await fetcher.visit(options, (visit) => visit.get(asked)));
}

function fileTexts(capture: Capture): Found {
  if (!capture.ok) return { texts: [], trouble: `${capture.failure.code}: ${capture.failure.detail}` };
  if (capture.status !== 200) return { texts: [], trouble: `HTTP ${capture.status}` };
  return { texts: new TextDecoder().decode(capture.body).split(/\r?\n/) };
}

async function readTxt(name: string, { txt }: ProofSources): Promise<Found> {
  const answer = await txt.texts(name);
  return answer.ok ? { texts: answer.texts } : { texts: [], trouble: answer.reason };
}

/**
 * An unpredictable text, valid for seven days. It names the member and the agent, so that the publisher of the text sees
 * which member becomes the owner.
 */
export function newChallenge(agent: string, member: string, now: number): Challenge {
  const secret = randomBytes(32).toString('base64url');
  const token = `agent-registry-challenge=${secret} member=${member} agent=${agent}`;
  return { agent, member, token, expiresAt: now + CHALLENGE_MS };
}

/** A challenge on the wire: the text to publish, until when, and where. */
export function shownChallenge({ agent, token, expiresAt }: Challenge) {
  const { fileUrl, dnsName } = proofPlaces(agent);
  return {
    token,
    expires_at: new Date(expiresAt).toISOString(),
    file_url: fileUrl,
    dns_name: dnsName ?? null,
  };
}
