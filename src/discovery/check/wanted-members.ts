import { isObject, type JsonObject, stepsOf } from '../../base/json.ts';
import { isSameWord } from '../../base/near-names.ts';
import { COMPANIONS, LIMITS, takesAway } from '../member-names.ts';
import { memberBeside, valueAt } from './advised-values.ts';

/** Each selection_type with the member that goes with it. */
export const SELECTED_BY: ReadonlyMap<unknown, string> = new Map([
  ['by_id', 'property_ids'],
  ['by_tag', 'property_tags'],
]);

const TEXTS = [
  'url',
  'authorization_type',
  'selection_type',
  'publisher_domain',
  'property_type',
  'type',
  'value',
];
/** Lists of texts, for one of which authors write the text alone. */
const TEXT_LISTS = ['property_ids', 'property_tags', 'signal_ids', 'signal_tags', 'publisher_domains'];

/**
 * Whether a member under another name can only be meant as this one, which is not there. The same word in another notation
 * is. So is a limit, which can only take away. So is what its object cannot do without, where the value is of its kind.
 */
export function isSurelyMeant(document: JsonObject, pointer: string, meant: string): boolean {
  const name = stepsOf(pointer).at(-1) ?? '';
  if (valueAt(document, memberBeside(pointer, meant)) !== undefined) return false;
  if (meant === 'authorized_agents' && hasOlderList(document)) return false;
  if (isSameWord(name, meant) || LIMITS.some((limit) => limit === meant)) return true;
  const owner = pointer.slice(0, pointer.lastIndexOf('/'));
  const object = valueAt(document, owner);
  if (!isObject(object) || takesAway(name) || !wantedBy(object, owner).includes(meant)) return false;
  const value = object[name];
  if (TEXTS.includes(meant)) return typeof value === 'string';
  return Array.isArray(value) || (TEXT_LISTS.includes(meant) && typeof value === 'string');
}

/** Whether agents stand in an older form, which a list of today's name would hide. */
export function hasOlderList({ agents, properties }: JsonObject): boolean {
  const listed = Array.isArray(properties) ? (properties as readonly unknown[]) : [];
  return agents !== undefined || listed.some((one) => isObject(one) && Object.hasOwn(one, 'agents'));
}

/** What an object of an adagents.json cannot do without, as far as what it says of itself goes. */
function wantedBy(object: JsonObject, pointer: string): readonly string[] {
  const [inside, place] = stepsOf(pointer).toReversed();
  if (inside === undefined) return ['authorized_agents'];
  const { authorization_type: type, selection_type: selection } = object;
  switch (place) {
    case 'authorized_agents': {
      const companions = Object.entries(COMPANIONS);
      const named = companions.filter(([name]) => type === undefined || name === type);
      const isThere = companions.some(([, companion]) => Object.hasOwn(object, companion));
      return ['url', 'authorization_type', ...(isThere ? [] : named.map(([, companion]) => companion))];
    }
    case 'agents':
      return ['url'];
    case 'publisher_properties': {
      const isNamed = ['publisher_domain', 'publisher_domains'].some((name) => Object.hasOwn(object, name));
      const domains = isNamed ? [] : ['publisher_domain', 'publisher_domains'];
      return ['selection_type', ...domains, ...[SELECTED_BY.get(selection) ?? []].flat()];
    }
    case 'properties':
      return ['property_type', 'identifiers'];
    case 'identifiers':
      return ['type', 'value'];
    default:
      return [];
  }
}
