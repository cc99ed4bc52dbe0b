import { randomBytes } from 'node:crypto';
import type { Capture } from '../domain/capture.ts';
import { CHALLENGE_MS, type Challenge, type ProofWay, proofPlaces } from '../domain/ownership.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { TxtResolver } from '../ports/txt-resolver.ts';

/** One place that was looked at, and what was there, in a few words. */
interface LookedAt {
  readonly way: ProofWay;
  readonly where: string;
  readonly seen: string;
}

export interface ProofSearch {
  /** Absent: the text is in none of the places. */
  readonly via?: ProofWay;
  readonly looked: readonly LookedAt[];
}

/**
 * Looks for a challenge's text in the places of an agent. `bounded` is put around a look that this question begins, as its caller
 * may begin only so many; what rejects in it rejects.
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
  /** Why there is nothing to read. */
  readonly trouble?: string;
}

const VISIT_MS = 15_000;
const MAX_FILE_BYTES = 65_536;

/**
 * Looks for a challenge's text: as a line of the file on the agent's host, then as a TXT record of its registrable
 * domain. Redirects are not followed, since many sites forward to wherever a caller wants. Never rejects for what is
 * there.
 */
export async function findProof(agent: string, token: string, sources: ProofSources): Promise<ProofSearch> {
  return judgePlaces(agent, token, await readPlaces(agent, sources));
}

/** What is published in both places of an agent, whoever it is for. */
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
 * The same for many callers: those who ask about one host while it is being looked at share the next look. So a published proof
 * is found whoever else asks in vain, and a host is read by one look at a time.
 */
export function createSharedProofs(sources: Pick<ProofSources, 'fetcher' | 'txt'>): FindProof {
  const running = new Map<string, Promise<unknown>>();
  /** Looks that have not begun; undefined: the caller who was to begin it could not. */
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

const THERE = 'the text is there';

function searched(looked: readonly LookedAt[]): ProofSearch {
  const via = looked.find(({ seen }) => seen === THERE)?.way;
  return { looked, ...(via !== undefined && { via }) };
}

function judge(way: ProofWay, where: string, token: string, { texts, trouble }: Found): LookedAt {
  if (trouble !== undefined) return { way, where, seen: trouble };
  if (texts.some((text) => text.trim() === token)) return { way, where, seen: THERE };
  const others = texts.some((text) => text.trim() !== '');
  return { way, where, seen: others ? 'there is something else, not this text' : 'there is nothing' };
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
 * A text that nobody could have published before it was asked for, valid for seven days. It says for whom it speaks and of
 * what, so that whoever is to publish it sees to whom it gives the agent.
 */
export function newChallenge(agent: string, member: string, now: number): Challenge {
  const secret = randomBytes(32).toString('base64url');
  const token = `agent-registry-challenge=${secret} member=${member} agent=${agent}`;
  return { agent, member, token, expiresAt: now + CHALLENGE_MS };
}

/** A challenge as programs are told it: what to publish, until when, and where. */
export function shownChallenge({ agent, token, expiresAt }: Challenge) {
  const { fileUrl, dnsName } = proofPlaces(agent);
  return {
    token,
    expires_at: new Date(expiresAt).toISOString(),
    file_url: fileUrl,
    dns_name: dnsName ?? null,
  };
}
