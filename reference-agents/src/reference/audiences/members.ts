import { hash } from 'node:crypto';
import { type AudienceMembersItem, type Problem, problem } from '@agent-registry/surface/agent-kit';
import type { TaskCall } from '../handler.ts';

/** A member is kept under a hash of its first identifier; nothing else of it is kept. */
type StoredMember = true;

/** Members of one audience. */
export const MAX_MEMBERS = 1_000_000;

/** Share of all hashes that this agent knows, of 256: about 70 per cent. */
const KNOWN_BELOW = 180;

/** What a change of members did. */
export interface MemberChange {
  /** Members more, or fewer. */
  readonly uploaded: number;
  /** The same of those that are known here. */
  readonly matched: number;
}

export function membersOf({ agent, caller }: Pick<TaskCall, 'agent' | 'caller'>, audienceId: string) {
  const name = `audience_members ${sha256(audienceId).slice(0, 32)}`;
  return agent.state.collection<StoredMember>(name, caller.id);
}

/**
 * The first member that cannot be kept: one without any identifier, or whose own name is an address or a number in
 * the open. The hashes themselves are checked by the schema.
 */
export function badMember(members: readonly AudienceMembersItem[], pointer: string): Problem | undefined {
  for (const [at, member] of members.entries()) {
    if (identifierOf(member) === undefined) {
      const suggestion = 'send hashed_email, hashed_phone or external_id';
      return problem('VALIDATION_ERROR', 'a member requires an identifier', {
        pointer: `${pointer}/${at}`,
        suggestion,
      });
    }
    if (isOpen(member.external_id ?? '')) {
      const suggestion = 'send the SHA-256 of the normalised value, as hashed_email or hashed_phone';
      const message = 'an external_id may not be an e-mail address or a telephone number';
      return problem('VALIDATION_ERROR', message, { pointer: `${pointer}/${at}/external_id`, suggestion });
    }
  }
  return undefined;
}

/** The members that come and go, by key. What is there already, or is not there, changes nothing; who comes and goes, goes. */
export interface Comings {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What a request would change; nothing is kept yet. */
export function comingsOf(
  call: TaskCall,
  audienceId: string,
  add: readonly AudienceMembersItem[],
  remove: readonly AudienceMembersItem[],
): Comings {
  const members = membersOf(call, audienceId);
  const leaving = new Set(keysOf(remove));
  return {
    added: keysOf(add).filter((key) => !leaving.has(key) && members.get(key) === undefined),
    removed: [...leaving].filter((key) => members.get(key) !== undefined),
  };
}

export function countComings({ added, removed }: Comings): MemberChange {
  return {
    uploaded: added.length - removed.length,
    matched: added.filter(isKnown).length - removed.filter(isKnown).length,
  };
}

export function keepComings(call: TaskCall, audienceId: string, { added, removed }: Comings): void {
  const members = membersOf(call, audienceId);
  for (const key of added) members.put(key, true);
  for (const key of removed) members.delete(key);
}

/** Forgets all members of an audience. */
export function forgetMembers(call: TaskCall, audienceId: string): void {
  const members = membersOf(call, audienceId);
  for (const { key } of members.list()) members.delete(key);
}

/** Each once. */
function keysOf(members: readonly AudienceMembersItem[]): readonly string[] {
  return [...new Set(members.flatMap((member) => identifierOf(member) ?? []))];
}

/** E-mail before telephone before the buyer's own name; hashed once more, so that no list of hashes fits ours. */
function identifierOf({ hashed_email, hashed_phone, external_id }: AudienceMembersItem): string | undefined {
  if (hashed_email !== undefined) return sha256(`email ${hashed_email}`);
  if (hashed_phone !== undefined) return sha256(`phone ${hashed_phone}`);
  return external_id === undefined ? undefined : sha256(`external ${external_id}`);
}

function isOpen(externalId: string): boolean {
  return externalId.includes('@') || /^\+?[\d\s()./-]{7,20}$/.test(externalId);
}

/** Whether the agent has met this person: chance, but always the same. */
function isKnown(key: string): boolean {
  return Number.parseInt(key.slice(0, 2), 16) < KNOWN_BELOW;
}

function sha256(text: string): string {
  return hash('sha256', text);
}
