import type { JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import type { FileKind } from '../../domain/declaration.ts';
import type { Finding } from '../../domain/finding.ts';
import { takesAway } from '../member-names.ts';
import { findingOf, MAX_FINDINGS } from '../report.ts';
import { adviceFor } from './advice.ts';
import type { Advice, Repair } from './advised-values.ts';
import { strangeMembers } from './members.ts';
import { memberOfWord } from './other-words.ts';
import type { Draft } from './placed-findings.ts';
import { hasOlderList, isSurelyMeant } from './wanted-members.ts';

/** Members outside the format that are compared with those in it: a file may have a million. */
const MAX_STRANGE = 10_000;
/** Members that an author adds and marks as an own one. */
const OWN = /^(?:x[-_]|_)/i;

/** A finding with what helps; one of a name comes with the name that was meant. */
export function drafted(finding: Finding, document: JsonObject): Draft {
  if (finding.didYouMean === undefined) return { finding, advice: adviceFor(finding, document) };
  const { pointer, didYouMean: meant } = finding;
  const advice = renamed(pointer, meant, isSurelyMeant(document, pointer, meant));
  const isRival = meant === 'authorized_agents' && hasOlderList(document);
  return {
    finding,
    advice: isRival ? { hint: 'the file has another list of agents; keep one of the two' } : advice,
  };
}

/** Members that the format does not have but that are near one that it has; all others are tolerated. */
export function strangeDrafts(document: JsonObject, kind: FileKind, found: readonly Finding[]): Draft[] {
  const known = new Set(found.map(({ pointer }) => pointer));
  const drafts: Draft[] = [];
  let looked = 0;
  for (const { pointer, name, isTwin, known: members } of strangeMembers(document, kind)) {
    looked += 1;
    if (looked > MAX_STRANGE || drafts.length === MAX_FINDINGS) break;
    // what takes away is not meant as what it takes from
    if (known.has(pointer) || OWN.test(name) || takesAway(name)) continue;
    if (isTwin) {
      drafts.push({ finding: findingOf('member_twice', pointer, name), advice: {} });
      continue;
    }
    const wanted = members();
    const meant = nearestName(name, wanted) ?? memberOfWord(name, wanted);
    if (meant === undefined) continue;
    const isCertain = isSurelyMeant(document, pointer, meant);
    const finding = findingOf(isCertain ? 'member_unread' : 'member_unknown', pointer, name);
    drafts.push({ finding, advice: renamed(pointer, meant, isCertain) });
  }
  return drafts;
}

function renamed(pointer: string, name: string, isCertain: boolean): Advice {
  const changes: readonly Repair[] = [{ pointer, part: 'key', put: JSON.stringify(name) }];
  return { didYouMean: name, ...(isCertain && { fix: { title: `write ${JSON.stringify(name)}`, changes } }) };
}
