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

/** Looks for a challenge's text in the places of an agent. */
export type FindProof = (agent: string, token: string) => Promise<ProofSearch>;

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
  const { fileUrl, dnsName } = proofPlaces(agent);
  const inFile = judge('file', fileUrl, token, await readFile(fileUrl, sources));
  if (inFile.seen === THERE || dnsName === undefined) return searched([inFile]);
  return searched([inFile, judge('dns', dnsName, token, await readTxt(dnsName, sources))]);
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
